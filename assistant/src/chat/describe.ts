import type { Card, JsonObject, Locale, Outcome } from "countersign";
import { spokenTime } from "../language/spoken-time.js";
import { wordsIn } from "../words/words.js";

/** The question as the card puts it, and what it would touch. Made from the canonical call, never from what was planned. */
export function describeCard(card: Card): string {
  const effects = card.effects
    .filter(({ kind }) => String(kind) !== "create")
    .map(({ text, samples }) => `• ${text}${samples.length === 0 ? "" : `: ${samples.join(", ")}`}`);
  const warnings = card.warnings.filter(({ severity }) => severity !== "info").map(({ text }) => `! ${text}`);
  return [String(card.humanSummary), ...effects, ...warnings].join("\n");
}

/** What the person is told when a call has ended. */
export function describeOutcome(
  {
    tool,
    args,
    description,
    locale,
    timezone,
  }: {
    readonly tool: string;
    readonly args: JsonObject;
    readonly description: string;
    readonly locale: Locale;
    readonly timezone: string;
  },
  outcome: Outcome,
): string {
  const words = wordsIn(locale);
  switch (outcome.type) {
    case "succeeded":
      return doneText(tool, args, outcome.result, { locale, timezone });
    case "failed":
      return words.failed(tool, outcome.error);
    case "unknown":
      return words.unknown(tool);
    case "denied":
      return words.denied(description, outcome.reason);
    case "expired":
      return words.expired(description);
    case "cancelled":
      return words.withdrawn(description);
    case "pending":
      return words.stillWaits;
    default:
      return outcome satisfies never;
  }
}

function doneText(
  tool: string,
  args: JsonObject,
  result: unknown,
  { locale, timezone }: { readonly locale: Locale; readonly timezone: string },
): string {
  const words = wordsIn(locale);
  const say = Object.hasOwn(words.done, tool) ? words.done[tool] : undefined;
  try {
    return say?.({ args, result, when: (time) => spokenTime(time, locale, timezone) }) ?? words.doneOtherwise(tool);
  } catch {
    return words.doneOtherwise(tool); // a result that was withheld or not kept
  }
}
