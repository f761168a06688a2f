import { type Approval, isFinal, type Reservation, stateAt } from "./approval.js";
import { newEntry, shortHash } from "./audit.js";
import { type Refusal, refuse } from "./errors.js";
import { sha256Hex } from "./ids.js";
import type { Json } from "./json.js";
import type { Move } from "./record.js";
import { sameSecret } from "./token.js";

/** How a run ended, as its holder tells it. */
export type Receipt =
  | {
      readonly type: "succeeded";
      readonly result?: Json;
      readonly resultOmitted?: string;
      readonly withheld?: boolean;
    }
  | { readonly type: "failed"; readonly error: string };

export interface ClaimRequest {
  readonly claimId: string;
  readonly instance: string;
  /** When the claiming instance's lease ends; a claim written later would have nobody who answers for it. */
  readonly heldUntil?: number;
  /** When the claimer has to have reported, for calls that run elsewhere. */
  readonly reportBy?: number;
  /** Presented by whoever did not approve in the same step. */
  readonly tokenId?: string;
  /** The call the claimer is about to run. */
  readonly toolCallHash?: string;
  readonly deviceId?: string;
  /** The epoch under which the call was last judged. */
  readonly epoch: number;
  /** What the call takes from budgets, reserved with the claim. */
  readonly counts?: readonly Reservation[];
}

/** The single step from approved to executing. A refusal leaves the approval unspent. */
export function applyClaim(approval: Approval, request: ClaimRequest, now: number): Move | Refusal {
  const notNow = notClaimable(approval, now);
  if (notNow) return notNow;
  if (request.toolCallHash !== undefined && request.toolCallHash !== approval.toolCallHash) {
    return refuse("hash_mismatch", "This is not the call that was approved.");
  }
  const { approvalToken } = approval;
  if (request.tokenId !== undefined && !(approvalToken && sameSecret(request.tokenId, approvalToken.hash))) {
    return refuse("token_mismatch", "This token does not belong to the approval, or was replaced by a newer one.");
  }
  const { deviceId } = approval.requester;
  if (deviceId !== undefined && request.deviceId !== deviceId) {
    return refuse("device_mismatch", "The approval was given to another device.");
  }
  const { claimId, instance, reportBy, counts = [], heldUntil = Number.MAX_SAFE_INTEGER } = request;
  if (now >= heldUntil) return stalled();
  const execution = { claimId, instance, attempt: 1, startedAt: now, reportBy };
  return {
    next: {
      ...approval,
      state: "executing",
      epoch: request.epoch,
      approvalToken: undefined,
      execution,
      reserved: counts.length === 0 ? approval.reserved : [...(approval.reserved ?? []), ...counts],
    },
    entries: [newEntry("call.claimed", approval.approvalId, { hash: shortHash(approval.toolCallHash) })],
    guards: {
      epoch: request.epoch,
      before: Math.min(approval.claimBy ?? heldUntil, heldUntil),
      counts: counts.length === 0 ? undefined : counts,
    },
  };
}

function stalled(): Refusal {
  return refuse("store_failed", "This instance stalled and lost its lease. Nothing was started; try again.");
}

/** Why nothing can be claimed here whatever the rules say now: nobody approved it, it ended, or it was started. */
export function notClaimable(approval: Approval, now: number): Refusal | undefined {
  const state = stateAt(approval, now);
  switch (state) {
    case "approved":
      return undefined;
    case "pending":
      return refuse("not_approved", "Nobody has approved this yet.");
    case "expired":
      return refuse("expired", "The approval expired before it was used. Nothing ran.");
    case "denied":
    case "cancelled":
      return refuse("already_resolved", `It was ${state}. Nothing may run.`);
    case "executing":
    case "succeeded":
    case "failed":
    case "unknown":
      return refuse("already_claimed", "It was started already, once, and is not started again.");
    default:
      return state satisfies never;
  }
}

/** Another attempt at an idempotent call, with the same key and a new fence. */
export function applyRetry(
  approval: Approval,
  { claimId, instance, heldUntil }: { readonly claimId: string; readonly instance: string; readonly heldUntil: number },
  now: number,
): Move | Refusal {
  const { execution } = approval;
  if (execution === undefined || (approval.state !== "executing" && approval.state !== "unknown")) {
    return refuse("already_resolved", "There is nothing to try again.");
  }
  if (now >= heldUntil) return stalled();
  const attempt = execution.attempt + 1;
  return {
    next: { ...approval, state: "executing", execution: { claimId, instance, attempt, startedAt: now } },
    entries: [newEntry("call.retried", approval.approvalId, { attempt, instance })],
    guards: { before: heldUntil },
  };
}

/** The holder's word on how it ended; it counts also when others have called the run unknown meanwhile. */
export function applyReceipt(approval: Approval, claimId: string, receipt: Receipt, now: number): Move | Refusal {
  const { execution } = approval;
  if (execution?.claimId !== claimId) return refuse("token_mismatch", "This claim does not hold the execution.");
  return settle(approval, receipt, now, {});
}

/** The tool's own check, or a person, says what became of an unknown execution. */
export function applySettlement(approval: Approval, receipt: Receipt, by: string, now: number): Move | Refusal {
  if (approval.state !== "unknown")
    return refuse("already_resolved", `It is ${approval.state}; only an unknown outcome is settled.`);
  return settle(approval, receipt, now, { by });
}

function settle(approval: Approval, receipt: Receipt, now: number, told: { readonly by?: string }): Move | Refusal {
  const { execution } = approval;
  if (
    execution === undefined ||
    isFinal(approval.state) ||
    (approval.state !== "executing" && approval.state !== "unknown")
  ) {
    return refuse("already_resolved", `It is ${approval.state} already.`);
  }
  const { type, ...ended } = receipt;
  // Apart, because a literal that begins with a copy and adds to it has a shape of its own each time (docs/speed.md).
  const { claimId, ...run } = execution;
  return {
    next: { ...approval, state: type, execution: { claimId, ...run, ...ended, finishedAt: now } },
    entries: [
      newEntry("call.executed", approval.approvalId, {
        as: type,
        ...(receipt.type === "failed" ? { error: receipt.error } : resultHash(receipt)),
        ...(receipt.type === "succeeded" && receipt.withheld ? { withheld: true } : {}),
        ...told,
      }),
    ],
  };
}

/** Binds the result to the chain without copying it there. */
export function resultHash({ result }: { readonly result?: Json }): { readonly result?: string } {
  return result === undefined ? {} : { result: shortHash(sha256Hex(JSON.stringify(result))) };
}

/** Nobody can say whether it ran: its holder is gone or does not answer. */
export function applyLoss(approval: Approval, claimId: string | undefined, why: string): Move | Refusal {
  if (approval.state !== "executing" || (claimId !== undefined && approval.execution?.claimId !== claimId)) {
    return refuse("already_resolved", "It is not running.");
  }
  return {
    next: { ...approval, state: "unknown" },
    entries: [newEntry("call.lost", approval.approvalId, { why })],
  };
}
