import { ApiError } from "../api/http.js";
import type { Words } from "../words/words.js";

/** A refusal in the reader's language; what has no sentence of ours keeps the server's. */
export function problemText(error: unknown, words: Words): string {
  if (!(error instanceof ApiError)) return words.common.failed;
  switch (error.code) {
    case "offline":
      return words.common.offline;
    case "already_resolved":
      return words.problems.already_resolved(error.decidedBy ?? words.problems.somebody);
    case "expired":
    case "hash_mismatch":
    case "step_up_required":
    case "passkey_refused":
    case "self_approval":
    case "not_permitted":
    case "rate_limited":
    case "paused":
      return words.problems[error.code];
    default:
      return error.message === "" ? words.common.failed : words.common.error(error.message);
  }
}
