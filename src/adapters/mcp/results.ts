import type { Outcome } from "../../core/outcome.js";
import { UnknownEnd } from "../attach.js";
import { type Told, tell } from "../told.js";
import { type Answer, NoAnswer } from "./message.js";

/** What the agent gets instead of a tool's result. */
export function toldResult(told: Told, hasOutputSchema: boolean): Answer {
  const { countersign } = told;
  return {
    result: {
      content: [{ type: "text", text: `${countersign.code}: ${countersign.message}` }],
      isError: countersign.outcome !== "succeeded",
      // A tool that promises a structure would be caught breaking it.
      ...(hasOutputSchema ? {} : { structuredContent: told }),
      _meta: { "countersign/outcome": countersign },
    },
  };
}

/** The state an agent comes back from by making the same call again. */
export function blocked(
  outcome: Extract<Outcome, { type: "pending" }>,
  url: string | undefined,
  hasOutputSchema: boolean,
): Answer {
  const { approvalId, code, expiresAt } = outcome;
  const where = url === undefined ? "" : ` It can be answered at ${url}.`;
  const until = `${expiresAt.slice(11, 16)} UTC`;
  const message =
    `Not run yet: a person has to approve it, until ${until}.${where} Do other work or stop; once it is approved, make exactly the ` +
    "same call again, and it runs without a second question.";
  return toldResult({ countersign: { outcome: "pending", code, message, approvalId, retry: true } }, hasOutputSchema);
}

/** What a call came to. `live` is the server's own answer, where this very request had the tool run. */
export function resultOf(outcome: Outcome, live: Answer | undefined, hasOutputSchema: boolean): Answer {
  if (outcome.type === "failed" && live !== undefined) return live;
  const given =
    live !== undefined && "result" in live ? live.result : outcome.type === "succeeded" ? outcome.result : undefined;
  const told = tell(outcome, given);
  if (outcome.type !== "succeeded" || outcome.withheld) return toldResult(told as Told, hasOutputSchema);
  if (given === null || typeof given !== "object") {
    // It ran, and what it gave was too large to keep for a second telling.
    const { message, approvalId } = outcome;
    const about = { outcome: "succeeded" as const, code: "TOOL_RAN", message, retry: false };
    return toldResult(
      { countersign: { ...about, ...(approvalId === undefined ? {} : { approvalId }) } },
      hasOutputSchema,
    );
  }
  const result = given as { readonly content?: unknown };
  if (outcome.changes === undefined) return { result: { ...result } };
  const content = Array.isArray(result.content) ? result.content : [];
  return { result: { ...result, content: [...content, { type: "text", text: outcome.message }] } };
}

/** What is kept of an answer. A tool that says it failed has failed; of one that says nothing, nobody knows. */
export function recorded(answer: Answer): unknown {
  if (answer instanceof NoAnswer) throw new UnknownEnd(answer.error.message);
  if ("error" in answer) throw new Error(answer.error.message);
  const { isError, content } = answer.result;
  if (isError !== true) return answer.result;
  const texts = (Array.isArray(content) ? content : []).flatMap((block: { text?: unknown } | null) =>
    typeof block?.text === "string" ? [block.text] : [],
  );
  throw new Error(texts.join(" ").slice(0, 2_000) || "the tool reported an error");
}
