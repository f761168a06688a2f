import { type Approval, dueOf, indexesOf, isFinal, mayBecome } from "./approval.js";
import type { Signal } from "./classify.js";
import { CountersignError } from "./errors.js";
import { newId } from "./ids.js";
import type { Json, JsonObject } from "./json.js";
import type { Verdict } from "./judge.js";
import type { Change, NewEntry, Put, StoredRecord } from "./ports.js";
import type { Preview } from "./tool.js";

/** The immutable row beside an approval, one per revision: what was asked, and why it had to be. */
export interface CallRecord {
  /** RFC 8785 text of the binding; its SHA-256 is the approval's `toolCallHash`. */
  readonly canonical: string;
  readonly reasons: readonly Signal[];
  readonly verdict: Verdict;
  readonly confidence?: number;
  readonly preview?: Preview;
  readonly summary?: string;
  readonly model?: string;
  readonly runId?: string;
  readonly alternatives?: readonly { readonly tool: string; readonly args: Json }[];
  readonly lineage?: readonly string[];
  readonly surface?: string;
  /** The tool's sensitive paths when it was asked: they stay hidden even where the tool is no longer known. */
  readonly sensitive?: readonly string[];
  /** Arguments as the agent proposed them, when a person's edit made this revision. */
  readonly proposed?: JsonObject;
}

export function argsOf(record: CallRecord): JsonObject {
  return (JSON.parse(record.canonical) as { args: JsonObject }).args;
}

/** The first revision has the approval's own id, so that the common case costs no longer key. */
export function callId(approvalId: string, revision: number): string {
  return revision === 1 ? approvalId : `${approvalId}.${revision}`;
}

export interface Loaded {
  readonly approval: Approval;
  readonly version: number;
}

export function decodeApproval(record: StoredRecord): Loaded {
  return { approval: JSON.parse(record.value) as Approval, version: record.version };
}

/** What a rule wants to happen: the next state with its entries, and the conditions the store has to judge. */
export interface Move {
  readonly next: Approval;
  readonly entries: readonly NewEntry[];
  readonly call?: CallRecord;
  /** A state passed on the way, when two steps share one commit. */
  readonly through?: Approval["state"];
  readonly guards?: Pick<Change, "before" | "after" | "epoch" | "counts">;
}

export interface NewRecordLimits {
  readonly maxPending: number;
  readonly idempotencyUntil: number;
}

/** The change that creates a record. Its keys join later calls to this one; the counter bounds a person's open questions. */
export function createChange(move: Move, limits: NewRecordLimits): Change {
  const { next } = move;
  const unique = [
    ...(next.joinKey === undefined ? [] : [{ key: next.joinKey, id: next.approvalId, until: Number.MAX_SAFE_INTEGER }]),
    ...(next.idempotencyKey === undefined
      ? []
      : [{ key: next.idempotencyKey, id: next.approvalId, until: limits.idempotencyUntil }]),
  ];
  const counts = next.state === "pending" ? [{ key: pendingKey(next), add: 1, max: limits.maxPending }] : [];
  return buildChange(undefined, 0, move, unique, counts);
}

/** The change from one state to the next. Leaving a state gives back what was held for it. */
export function moveChange(from: Loaded, move: Move): Change {
  const { approval } = from;
  const { next } = move;
  const legal =
    move.through === undefined
      ? mayBecome(approval.state, next.state)
      : mayBecome(approval.state, move.through) && mayBecome(move.through, next.state);
  if (!legal) {
    throw new CountersignError("invalid_change", `An approval that is ${approval.state} cannot become ${next.state}.`);
  }
  const unique =
    next.joinKey !== undefined && isFinal(next.state) ? [{ key: next.joinKey, id: next.approvalId, until: 0 }] : [];
  const counts = approval.state === "pending" && next.state !== "pending" ? [{ key: pendingKey(next), add: -1 }] : [];
  return buildChange(approval, from.version, move, unique, counts);
}

function buildChange(
  previous: Approval | undefined,
  version: number,
  move: Move,
  unique: NonNullable<Change["unique"]>,
  counts: NonNullable<Change["counts"]>,
): Change {
  const { next, call, guards, entries } = move;
  const due = dueOf(next);
  const puts: Put[] = [
    {
      kind: "approval",
      id: next.approvalId,
      version,
      value: JSON.stringify(next),
      indexes: indexesOf(next),
      ...(due === undefined ? {} : { due }),
    },
  ];
  if (call !== undefined && next.revision !== previous?.revision) {
    puts.push({ kind: "call", id: callId(next.approvalId, next.revision), version: 0, value: JSON.stringify(call) });
  }
  const counted = [...counts, ...(guards?.counts ?? [])];
  return {
    changeId: newId(),
    workspaceId: next.workspaceId,
    puts,
    entries,
    ...guards,
    ...(unique.length === 0 ? {} : { unique }),
    ...(counted.length === 0 ? {} : { counts: counted }),
  };
}

function pendingKey(approval: Approval): string {
  return `pending/${approval.workspaceId}/${approval.requester.userId}`;
}
