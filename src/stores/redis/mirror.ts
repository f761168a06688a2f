import { APPROVAL_STATES, type Approval } from "../../core/approval.js";
import type { Binding } from "../../core/call.js";
import { decodeApproval, decodeCall } from "../../core/codec.js";
import { bareMask, maskArgs } from "../../core/mask.js";
import type { Change, Put } from "../../core/ports.js";
import { Recent } from "../../core/recent.js";
import { callId } from "../../core/record.js";

/** A key for others to read. Nothing is ever read from it here, and nothing depends on when Redis lets it go. */
export interface Mirror {
  readonly key: string;
  /** How long it lives, and then a value for each of `MIRROR_FIELDS`. */
  readonly texts: readonly string[];
}

/** Without new details, the last of them, those that stand there stay. */
export const MIRROR_FIELDS = [
  "app_skill_id",
  "workspace_id",
  "type",
  "status",
  "created_at",
  "expires_at",
  "confirmation_token",
  "details",
] as const;

/**
 * What waits for a person, under the key form and with the fields of the pending-skill records that other services read:
 * `pending_app_skill:{user_id}:{app_skill_id}`. The key lives exactly as long as the question does. Sensitive values are
 * hidden, and of the confirmation token there is only the hash: reading Redis must not be enough to present it.
 */
export function mirrorOf(put: Put, change: Change, now: number): Mirror | undefined {
  const approval = approvalOf(put);
  if (approval === undefined || approval.state !== "pending" || approval.decideBy <= now) return undefined;
  const { approvalId, requester, decideBy } = approval;
  const key = `pending_app_skill:${requester.userId}:${approvalId}`;
  return { key, texts: [String(decideBy - now), ...valuesOf(approval, change)] };
}

/** The state stands first in a row, so that most that do not wait are told without reading all of it. */
const STATE = /^\{"s":(\d),/;

/** Undefined for values that are sealed or not an approval's: those are mirrored nowhere. */
function approvalOf({ kind, id, version, value }: Put): Approval | undefined {
  if (kind !== "approval" || value === null || !value.startsWith("{")) return undefined;
  const state = STATE.exec(value)?.[1];
  if (state !== undefined && APPROVAL_STATES[Number(state)] !== "pending") return undefined;
  try {
    const approval = decodeApproval({ kind, id, version: version + 1, value });
    return typeof approval.requester.userId === "string" ? approval : undefined;
  } catch {
    return undefined;
  }
}

/** In the order of `MIRROR_FIELDS`. */
function valuesOf(approval: Approval, { puts }: Change): string[] {
  const { approvalId, revision, workspaceId, tool, state, requestedAt, decideBy, tokenHash = "" } = approval;
  const call = puts.find((put) => put.kind === "call" && put.id === callId(approvalId, revision));
  return [
    approvalId,
    workspaceId,
    tool,
    state,
    written(requestedAt),
    written(decideBy),
    tokenHash === "" ? "" : `hash:${tokenHash}`,
    call === undefined ? "" : detailsOf(call),
  ];
}

/** Most of a group were asked in the same millisecond, and have as long. */
const moments = new Recent<string>(16);

function written(time: number): string {
  const name = String(time);
  const known = moments.get(name);
  if (known !== undefined) return known;
  const text = new Date(time).toISOString();
  moments.put(name, text);
  return text;
}

function detailsOf({ kind, id, version, value }: Put): string {
  try {
    const call = decodeCall({ kind, id, version, value: value ?? "" });
    // Parsed here and handed to nobody, so that it need not be frozen.
    const { args } = JSON.parse(call.canonical) as Binding;
    return JSON.stringify(maskArgs(args, call.sensitive ?? [], bareMask));
  } catch {
    return "";
  }
}
