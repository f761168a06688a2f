import type { Approval } from "../approval.js";
import type { Json, JsonObject } from "../json.js";
import { isSensitive, type Mask, maskArgs, sensitiveValues } from "../mask.js";
import { argsOf, type CallRecord } from "../record.js";
import { escapeText } from "../text/escape.js";
import { type JsonPath, showName } from "../text/inline.js";
import type { Shown } from "../text/shown.js";
import type { AnyTool, Locale } from "../tool.js";
import { translateMarkers, type Words, wordsIn } from "../words/words.js";
import { replacePieces, showPieces } from "./slots.js";

/** What a card is made of. */
export interface CardSource {
  readonly approval: Approval;
  readonly call: CallRecord;
  readonly tool: AnyTool | undefined;
  /** The call whose plan this one changes. */
  readonly superseded?: CallRecord | undefined;
  /** What persons and agents are called, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** Finds the tools that alternatives name. */
  readonly find: (name: string) => AnyTool | undefined;
}

/** One call laid out for one reader: its arguments with masks in place, and the only two ways in which text gets on the card. */
export interface Sheet extends CardSource {
  readonly locale: Locale;
  readonly words: Words;
  readonly mask: Mask;
  readonly patterns: readonly string[];
  readonly real: JsonObject;
  readonly args: JsonObject;
  readonly hidden: (path: JsonPath) => boolean;
  /** Names and ids. */
  readonly show: (text: string) => Shown;
  /** What the bearer of an id is called, or the id. */
  readonly called: (id: string) => Shown;
  /** Words about the call, in which a sensitive value may have been quoted. */
  readonly say: (text: string, fragment?: string) => Shown;
}

/** Shorter secrets occur in other words by chance; they are hidden at their own places all the same. */
const SHORTEST_SECRET = 4;

export function patternsOf({ call, tool }: CardSource): readonly string[] {
  return [...new Set([...(call.sensitive ?? []), ...(tool?.sensitive ?? [])])];
}

export function layOut(source: CardSource, locale: Locale, mask: Mask): Sheet {
  const patterns = patternsOf(source);
  const real = argsOf(source.call);
  const args = maskArgs(real, patterns, mask);
  const secrets = secretsOf(source, args, patterns);
  const covers = new Map(secrets.map((secret) => [secret, mask(secret)]));
  const show = (text: string) => translateMarkers(escapeText(text), locale);
  return {
    approval: source.approval,
    call: source.call,
    tool: source.tool,
    superseded: source.superseded,
    names: source.names,
    find: source.find,
    locale,
    words: wordsIn(locale),
    mask,
    patterns,
    real,
    args,
    hidden: (path) => isSensitive(patterns, path),
    show,
    called: (id) => {
      const name = source.names.get(id);
      return name === undefined ? show(id) : translateMarkers(showName(name), locale);
    },
    say: (text, fragment) => {
      const isPart = fragment !== undefined && secrets.some((secret) => secret.includes(fragment));
      const all = isPart ? new Map([...covers, [fragment, mask(fragment)]]) : covers;
      return translateMarkers(showPieces(replacePieces(text, all)), locale);
    },
  };
}

/**
 * Texts to be kept out of words about the call, of its earlier forms too. One that also stands in an argument that is shown
 * is not among them: it is no secret, and an agent could otherwise choose a "password" to blot out what it is asked about.
 */
function secretsOf(
  { call, superseded }: CardSource,
  masked: JsonObject,
  patterns: readonly string[],
): readonly string[] {
  if (patterns.length === 0) return [];
  const forms = [argsOf(call), call.proposed, superseded && argsOf(superseded)].filter((args) => args !== undefined);
  const values = forms.flatMap((args) => [...sensitiveValues(args, patterns).values()]);
  // A quoted text is shown piece by piece, so the pieces between quotes count for themselves.
  const secrets = values.flatMap(textsOf).flatMap((text) => [text, ...text.split('"')]);
  const open = textsOf(masked);
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET && !open.some((text) => text.includes(secret)))
    .sort((a, b) => b.length - a.length);
}

function textsOf(value: Json): readonly string[] {
  if (value === null || typeof value === "boolean") return [];
  return typeof value === "object" ? Object.values(value).flatMap((item) => textsOf(item)) : [String(value)];
}
