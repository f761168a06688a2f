import type { Approval } from "../../core/approval.js";
import { decodeApproval, decodeCall } from "../../core/codec.js";
import { bareMask, maskArgs } from "../../core/mask.js";
import type { Change, Put, StoredRecord } from "../../core/ports.js";
import { argsOf, callId } from "../../core/record.js";

/** A key for others to read. Nothing is ever read from it here, and nothing depends on when Redis lets it go. */
export interface Mirror {
  readonly key: string;
  /** Absent when the key has to go. */
  readonly fields?: readonly string[];
  readonly till?: number;
}

/**
 * What waits for a person, under the key form and with the fields of the pending-skill records that other services read:
 * `pending_app_skill:{user_id}:{app_skill_id}`. The key lives exactly as long as the question does. Sensitive values are
 * hidden, and of the confirmation token there is only the hash: reading Redis must not be enough to present it.
 */
export function mirrorsOf(change: Change): Mirror[] {
  return change.puts.flatMap((put) => {
    const approval = approvalOf(put);
    if (approval === undefined) return [];
    const key = keyOf(approval);
    if (approval.state === "pending") {
      return [{ key, fields: fieldsOf(approval, change), till: approval.decideBy }];
    }
    return put.version === 0 ? [] : [{ key }];
  });
}

/** The key that mirrors a stored record, if any does. */
export function pendingSkillKeyOf({ kind, id, version, value }: StoredRecord): string | undefined {
  const approval = approvalOf({ kind, id, version, value });
  return approval && keyOf(approval);
}

function keyOf({ requester, approvalId }: Approval): string {
  return `pending_app_skill:${requester.userId}:${approvalId}`;
}

/** Undefined for values that are sealed or not an approval's: those are mirrored nowhere. */
function approvalOf({ kind, id, version, value }: Put): Approval | undefined {
  if (kind !== "approval" || value === null || !value.startsWith("{")) return undefined;
  try {
    const approval = decodeApproval({ kind, id, version: version + 1, value });
    return typeof approval.requester.userId === "string" ? approval : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(approval: Approval, change: Change): string[] {
  const { approvalId, revision, workspaceId, tool, state, requestedAt, decideBy, tokenHash = "" } = approval;
  const call = change.puts.find((put) => put.kind === "call" && put.id === callId(approvalId, revision));
  const fields = {
    app_skill_id: approvalId,
    workspace_id: workspaceId,
    type: tool,
    status: state,
    created_at: new Date(requestedAt).toISOString(),
    expires_at: new Date(decideBy).toISOString(),
    confirmation_token: tokenHash === "" ? "" : `hash:${tokenHash}`,
    ...(call === undefined ? {} : { details: detailsOf(call) }),
  };
  return Object.entries(fields).flat();
}

function detailsOf({ kind, id, version, value }: Put): string {
  try {
    const call = decodeCall({ kind, id, version, value: value ?? "" });
    return JSON.stringify(maskArgs(argsOf(call), call.sensitive ?? [], bareMask));
  } catch {
    return "";
  }
}
