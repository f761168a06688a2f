import type { Problem } from "../../client/wire.js";
import { type CountersignError, type ErrorCode, toCountersignError } from "../../core/errors.js";
import { respond, type Sent } from "./respond.js";

/** One table from code to status, for every route. */
export const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid_json: 400,
  invalid_call: 400,
  invalid_args: 422,
  invalid_decision: 400,
  invalid_tool: 422,
  invalid_change: 400,
  invalid_policy: 422,
  duplicate_tool: 409,
  unknown_tool: 404,
  unsupported_scope: 422,
  idempotency_conflict: 409,
  not_found: 404,
  user_mismatch: 403,
  // Whether another workspace has such a thing is nobody's business.
  family_mismatch: 404,
  device_mismatch: 403,
  self_approval: 403,
  step_up_required: 403,
  authority_lost: 403,
  not_signed_in: 401,
  // Misdirected: sent to a name that is not ours.
  wrong_host: 421,
  not_permitted: 403,
  fresh_passkey_required: 403,
  passkey_refused: 403,
  link_refused: 403,
  device_refused: 403,
  last_owner: 409,
  already_exists: 409,
  invalid_request: 400,
  too_large: 413,
  rate_limited: 429,
  expired: 410,
  already_resolved: 409,
  already_claimed: 409,
  not_approved: 409,
  hash_mismatch: 409,
  hash_required: 400,
  token_mismatch: 403,
  tool_changed: 409,
  preview_changed: 409,
  policy_denied: 403,
  policy_changed: 409,
  paused: 503,
  no_approver: 409,
  too_many_pending: 429,
  not_hosted: 409,
  not_supported: 422,
  missing_dependency: 501,
  queue_full: 503,
  store_failed: 503,
  chain_broken: 500,
  unknown_key: 500,
  closed: 503,
};

/** Existence is told only to those who may know: a foreign workspace's thing is one that is not there. */
export function problemOf(thrown: unknown): Problem {
  const error = hideDriver(hideForeign(toCountersignError(thrown)));
  const { approvalId, decidedBy, decidedByName, path } = error.details;
  return {
    type: `urn:countersign:problem:${error.code}`,
    title: titleOf(error.code),
    status: STATUS[error.code],
    detail: error.message,
    code: error.code,
    retryable: error.retryable,
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(decidedBy === undefined ? {} : { decidedBy }),
    ...(decidedByName === undefined ? {} : { decidedByName }),
    ...(path === undefined ? {} : { path }),
  };
}

type Told = Pick<CountersignError, "code" | "message" | "retryable" | "details" | "cause">;

/** What a driver says may name addresses and tables; the log has it. */
function hideDriver(error: Told): Told {
  const { code, message, retryable, details, cause } = error;
  if (code !== "store_failed" || !(cause instanceof Error) || !message.includes(cause.message)) return error;
  return {
    code,
    message: "The store did not answer. Nothing was decided or started by this; try again.",
    retryable,
    details,
  };
}

function hideForeign(error: CountersignError): Told {
  if (error.code !== "family_mismatch") return error;
  return { code: "not_found", message: "There is no such approval.", retryable: false, details: {} };
}

function titleOf(code: ErrorCode): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function problemResponse(thrown: unknown, headers: Readonly<Record<string, string>> = {}): Sent {
  const problem = problemOf(thrown);
  return respond(problem.status, problem, { "content-type": "application/problem+json", ...headers });
}
