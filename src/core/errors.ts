/**
 * Every way a request to the gate can be refused, as one closed set. Codes are stable: callers test `error.code`, never
 * `instanceof`, because two copies of the package may be loaded. What a tool call came to (denied, expired, failed …) is not
 * an error but an Outcome.
 */
export const ERROR_CODES = [
  // what was sent is not well formed
  "invalid_json",
  "invalid_call",
  "invalid_args",
  "invalid_decision",
  "invalid_tool",
  "invalid_change",
  "invalid_policy",
  "duplicate_tool",
  "unknown_tool",
  "unsupported_scope",
  "idempotency_conflict",
  // who asks
  "not_found",
  "user_mismatch",
  "family_mismatch",
  "device_mismatch",
  "self_approval",
  "step_up_required",
  "authority_lost",
  // who signs in, and what they may change
  "not_signed_in",
  "wrong_host",
  "not_permitted",
  "fresh_passkey_required",
  "passkey_refused",
  "link_refused",
  "device_refused",
  "last_owner",
  "already_exists",
  "invalid_request",
  "too_large",
  "rate_limited",
  // when it is asked
  "expired",
  "already_resolved",
  "already_claimed",
  "not_approved",
  "hash_mismatch",
  "hash_required",
  "token_mismatch",
  "tool_changed",
  "preview_changed",
  "policy_denied",
  "policy_changed",
  "paused",
  // what cannot be done now
  "no_approver",
  "too_many_pending",
  "not_hosted",
  "not_supported",
  "missing_dependency",
  "queue_full",
  "store_failed",
  "chain_broken",
  "unknown_key",
  "closed",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "queue_full",
  "store_failed",
  "too_many_pending",
  "rate_limited",
  "paused",
  "policy_changed",
]);

export interface ErrorDetails {
  readonly approvalId?: string;
  /** Who decided first, when the answer came too late. */
  readonly decidedBy?: string;
  /** What they decided: `approved`, `denied`, `cancelled`. */
  readonly resolved?: string;
  /** What they are called, made safe to draw, where a server knows it. */
  readonly decidedByName?: string;
  /** The place in the input that is wrong, as a path such as `args.to`. */
  readonly path?: string;
  readonly cause?: unknown;
}

/** Messages say what was expected, what came and what to do; never a token, a secret or an argument's value. */
export class CountersignError extends Error {
  override readonly name = "CountersignError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Omit<ErrorDetails, "cause">;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { cause, ...rest } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = RETRYABLE.has(code);
    this.details = rest;
  }
}

/** A rule's "no", as a value: rules are pure and never throw for what a person or agent may do wrong. */
export interface Refusal {
  readonly refused: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
}

export function refuse(refused: ErrorCode, message: string, details?: ErrorDetails): Refusal {
  return details === undefined ? { refused, message } : { refused, message, details };
}

export function isRefusal(value: object): value is Refusal {
  return Object.hasOwn(value, "refused");
}

export function errorOf(refusal: Refusal): CountersignError {
  return new CountersignError(refusal.refused, refusal.message, refusal.details);
}

/** Called at the edges only: whatever was thrown becomes one of ours. */
export function toCountersignError(thrown: unknown): CountersignError {
  if (thrown instanceof CountersignError) return thrown;
  if (thrown instanceof Error && ERROR_CODES.includes((thrown as { code?: ErrorCode }).code as ErrorCode)) {
    return new CountersignError((thrown as unknown as { code: ErrorCode }).code, thrown.message, { cause: thrown });
  }
  return new CountersignError("store_failed", "Something failed inside; nothing was approved by it.", {
    cause: thrown,
  });
}
