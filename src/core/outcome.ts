import type { Approval } from "./approval.js";
import type { Card } from "./card/card.js";
import { shortCode } from "./ids.js";
import type { Json } from "./json.js";
import { type Change, describeChange } from "./text/diff.js";
import type { ShowOptions } from "./text/inline.js";
import type { ApprovalToken } from "./token.js";

/** What the caller is told. `code` is the structured state for agents; `message` is fit for a model to read. */
export type Outcome<Result = unknown> =
  | (Told<"succeeded", undefined> & {
      readonly result: Result;
      readonly changes?: readonly Change[];
      /** The result is larger than it was said to be; a person has to release it first. */
      readonly withheld?: true;
    })
  | (Told<"pending", "TOOL_BLOCKED_PENDING_APPROVAL"> & {
      readonly approvalId: string;
      readonly card: Card;
      readonly expiresAt: string;
      /** Known to the caller that asked first; a locator, not a permission. */
      readonly confirmationToken?: string;
      /** For tools that run elsewhere: approved, and this is the permission to run it once. */
      readonly token?: ApprovalToken;
    })
  | (Told<"denied", "TOOL_DENIED"> & { readonly reason: string; readonly by?: string })
  | Told<"expired", "TOOL_APPROVAL_EXPIRED">
  | Told<"cancelled", "TOOL_CANCELLED">
  | (Told<"failed", "TOOL_FAILED"> & { readonly error: string })
  | Told<"unknown", "TOOL_OUTCOME_UNKNOWN">;

interface Told<Type extends string, Code extends string | undefined> {
  readonly type: Type;
  readonly code: Code;
  readonly message: string;
  /** Absent for plain allowed reads, which have no record. */
  readonly approvalId?: string;
}

export type OutcomeType = Outcome["type"];

/*
 * What a model reads. Each says what happened, whether to call again, and what a person changed, because a model that is not
 * told so repeats the call or claims that it ran.
 */

export function pendingMessage(approval: Approval): string {
  const until = clockTime(approval.state === "pending" ? approval.decideBy : (approval.claimBy ?? approval.decideBy));
  if (approval.state === "approved" && approval.hosted)
    return `Approved, starting soon (${shortCode(approval.approvalId)}, until ${until}). Do not call it again; ask for its outcome later.`;
  if (approval.state === "approved")
    return `Approved, not run yet (${shortCode(approval.approvalId)}, until ${until}). Claim it with its token, run it once, and report how it ended.`;
  if (approval.state === "executing")
    return `Running now (${shortCode(approval.approvalId)}). Do not call it again; ask for its outcome later.`;
  return `Not run yet: waiting for a person (${shortCode(approval.approvalId)}, until ${until}). Do not call it again; do other work or stop.`;
}

function deniedMessage(reason: string, byPerson: boolean): string {
  const who = byPerson ? "A person said no" : "The rules refuse it";
  return `Not run: ${who} (${reason}). Do not call it again with the same arguments; plan another way or ask what is wanted.`;
}

function expiredMessage(wasApproved: boolean): string {
  const what = wasApproved ? "it was approved, but not started in time" : "nobody answered in time";
  return `Not run: ${what}. This is not a refusal. Ask again only if it is still needed.`;
}

function cancelledMessage(reason: string | undefined): string {
  return `Not run: the call was withdrawn${reason === undefined ? "" : ` (${reason})`}. Do not call it again unless asked to.`;
}

function failedMessage(error: string): string {
  return `It was started once and failed: ${error}. It is not tried again by itself; its effects may be partial, so look before you call it again.`;
}

const UNKNOWN_MESSAGE =
  "It was started once and nobody can tell whether it finished. Do not call it again: it may have happened. A person or the tool's own check will settle it.";

function succeededMessage(
  changes: readonly Change[],
  omitted: string | undefined,
  hidden?: ShowOptions["hidden"],
): string {
  const kept = omitted === undefined ? "" : ` The result was not kept: ${omitted}.`;
  if (changes.length === 0) return `Ran once.${kept}`;
  const listed = changes.map((change) => describeChange(change, hidden === undefined ? {} : { hidden })).join("; ");
  return `Ran once with changed arguments: ${listed}. A person changed them; use these from now on.${kept}`;
}

/** Hours and minutes in UTC: the reader is a model on another machine. */
function clockTime(time: number): string {
  return `${new Date(time).toISOString().slice(11, 16)} UTC`;
}

export function succeeded<Result>(
  result: Result,
  approvalId?: string,
  changes: readonly Change[] = [],
  omitted?: string,
  hidden?: ShowOptions["hidden"],
): Outcome<Result> {
  return {
    type: "succeeded",
    code: undefined,
    result,
    message: succeededMessage(changes, omitted, hidden),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(changes.length === 0 ? {} : { changes }),
  };
}

const WITHHELD =
  "Its result is larger than expected and is withheld until a person releases it. Do not call it again; ask for its outcome later.";

function withheld(approvalId: string, changes: readonly Change[], hidden?: ShowOptions["hidden"]): Outcome<Json> {
  const ran = succeeded(null, approvalId, changes, undefined, hidden);
  return { ...ran, message: `${ran.message} ${WITHHELD}`, withheld: true } as Outcome<Json>;
}

export function denied(reason: string, by?: string, approvalId?: string): Outcome<never> {
  return {
    type: "denied",
    code: "TOOL_DENIED",
    reason,
    message: deniedMessage(reason, by !== undefined),
    ...(by === undefined ? {} : { by }),
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}

export function failed(error: string, approvalId?: string): Outcome<never> {
  return {
    type: "failed",
    code: "TOOL_FAILED",
    error,
    message: failedMessage(error),
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}

export function unknown(approvalId: string): Outcome<never> {
  return { type: "unknown", code: "TOOL_OUTCOME_UNKNOWN", message: UNKNOWN_MESSAGE, approvalId };
}

export function cancelled(reason?: string, approvalId?: string): Outcome<never> {
  return {
    type: "cancelled",
    code: "TOOL_CANCELLED",
    message: cancelledMessage(reason),
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}

/** The outcome of a record that has ended, or of one that nobody can tell about. */
export function endedOutcome(
  approval: Approval,
  changes: readonly Change[],
  hidden?: ShowOptions["hidden"],
): Outcome<Json> | undefined {
  const { approvalId, resolution, execution } = approval;
  switch (approval.state) {
    case "succeeded":
      if (execution?.withheld) return withheld(approvalId, changes, hidden);
      return succeeded(execution?.result ?? null, approvalId, changes, execution?.resultOmitted, hidden);
    case "failed":
      return failed(execution?.error ?? "no reason was given", approvalId);
    case "unknown":
      return unknown(approvalId);
    case "denied":
      return denied(resolution?.reason ?? "no reason was given", resolution?.by, approvalId);
    case "expired":
      return {
        type: "expired",
        code: "TOOL_APPROVAL_EXPIRED",
        message: expiredMessage(approval.claimBy !== undefined),
        approvalId,
      };
    case "cancelled":
      return cancelled(resolution?.reason, approvalId);
    case "pending":
    case "approved":
    case "executing":
      return undefined;
    default:
      return approval.state satisfies never;
  }
}
