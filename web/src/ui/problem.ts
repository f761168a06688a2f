import { ClientError } from "countersign/client";
import type { Words } from "../words/words.js";

const OURS = [
  "expired",
  "hash_mismatch",
  "step_up_required",
  "passkey_refused",
  "self_approval",
  "not_permitted",
  "rate_limited",
  "paused",
] as const;

/** Nobody answered, so that nobody knows whether the request was heard. */
export function isSilent(error: unknown): boolean {
  return error instanceof ClientError && error.code === "unreachable";
}

/** A refusal in the reader's language; what has no sentence of ours keeps the server's. */
export function problemText(error: unknown, words: Words): string {
  if (!(error instanceof ClientError)) return words.common.failed;
  if (isSilent(error)) return navigator.onLine ? words.common.unreachable : words.common.offline;
  if (error.code === "already_resolved")
    return words.problems.already_resolved(
      error.details.decidedByName ?? error.details.decidedBy ?? words.problems.somebody,
    );
  const known = OURS.find((code) => code === error.code);
  if (known !== undefined) return words.problems[known];
  return error.message === "" ? words.common.failed : words.common.error(error.message);
}

/** The same for an answer to a question: without a word from the server it may have counted all the same. */
export function decisionProblem(error: unknown, words: Words): string {
  return isSilent(error) && navigator.onLine ? words.decide.unanswered : problemText(error, words);
}
