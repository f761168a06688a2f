import { type Approval, dueOf, indexesOf, isFinal, mayBecome, type Reservation } from "./approval.js";
import type { Binding } from "./call.js";
import type { Signal } from "./classify.js";
import { encodeApproval, encodeCall } from "./codec.js";
import { CountersignError } from "./errors.js";
import { newId } from "./ids.js";
import { freezeJson, type Json, type JsonObject } from "./json.js";
import type { Verdict } from "./judge.js";
import type { Scope } from "./judging/scope.js";
import type { Change, NewEntry, Put } from "./ports.js";
import type { Preview } from "./tool.js";

/** The immutable row beside an approval, one per revision: what was asked, and why it had to be. */
export interface CallRecord {
  /** RFC 8785 text of the binding; its SHA-256 is the approval's `toolCallHash`. */
  readonly canonical: string;
  /** The same as it was bound in this process; never stored. */
  readonly bound?: Binding;
  readonly reasons: readonly Signal[];
  readonly verdict: Verdict;
  /** The version of the policy that gave the verdict. */
  readonly policy?: string;
  readonly confidence?: number;
  readonly preview?: Preview;
  readonly summary?: string;
  readonly model?: string;
  readonly runId?: string;
  readonly alternatives?: readonly { readonly tool: string; readonly args: Json }[];
  readonly lineage?: readonly string[];
  readonly surface?: string;
  /** Where the session works, as the host said. */
  readonly scope?: Scope;
  /** The tool's sensitive paths when it was asked: they stay hidden even where the tool is no longer known. */
  readonly sensitive?: readonly string[];
  /** Arguments as the agent proposed them, when a person's edit made this revision. */
  readonly proposed?: JsonObject;
}

/** The parts of the binding that are needed again. */
export function bindingOf({ canonical, bound }: CallRecord): Binding {
  return bound ?? (freezeJson(JSON.parse(canonical) as JsonObject) as unknown as Binding);
}

export function argsOf(record: CallRecord): JsonObject {
  return bindingOf(record).args;
}

/** The first revision has the approval's own id, so that the common case costs no longer key. */
export function callId(approvalId: string, revision: number): string {
  return revision === 1 ? approvalId : `${approvalId}.${revision}`;
}

/** What a rule wants to happen: the next state with its entries, and the conditions the store has to judge. */
export interface Move {
  readonly next: Approval;
  readonly entries: readonly NewEntry[];
  readonly call?: CallRecord | undefined;
  /** What is written or refused together with it: the question that follows, a grant that was given, a denial to remember. */
  readonly beside?: Pick<Change, "puts" | "entries" | "unique" | "counts"> | undefined;
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
  const { approvalId: id, joinKey, idempotencyKey } = next;
  const unique: NonNullable<Change["unique"]>[number][] = [];
  if (joinKey !== undefined) unique.push({ key: joinKey, id, until: Number.MAX_SAFE_INTEGER });
  if (idempotencyKey !== undefined) unique.push({ key: idempotencyKey, id, until: limits.idempotencyUntil });
  const counts = next.state === "pending" ? [{ key: pendingKey(next), add: 1, max: limits.maxPending }] : [];
  return buildChange(undefined, move, unique, counts);
}

/** The change from one state to the next. Leaving a state gives back what was held for it. */
export function moveChange(approval: Approval, move: Move): Change {
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
  const answered = approval.state === "pending" && next.state !== "pending" ? [{ key: pendingKey(next), add: -1 }] : [];
  const unused = isFinal(next.state) && next.state !== "succeeded" ? approval.reserved?.map(givenBack) : undefined;
  return buildChange(approval, move, unique, joined<Reservation>(answered, unused));
}

/** The change that rewrites a record in the state it has. */
export function rewriteChange(approval: Approval, next: Approval, entries: readonly NewEntry[]): Change {
  return buildChange(approval, { next, entries }, [], []);
}

function givenBack({ add, ...reservation }: Reservation): Reservation {
  return { ...reservation, add: -add };
}

function buildChange(
  previous: Approval | undefined,
  move: Move,
  unique: NonNullable<Change["unique"]>,
  counts: NonNullable<Change["counts"]>,
): Change {
  const { next, call, guards, beside } = move;
  const puts: Put[] = [
    {
      kind: "approval",
      id: next.approvalId,
      version: previous?.version ?? 0,
      value: encodeApproval(next),
      indexes: indexesOf(next),
      due: dueOf(next),
    },
  ];
  if (call !== undefined && next.revision !== previous?.revision) {
    puts.push({ kind: "call", id: callId(next.approvalId, next.revision), version: 0, value: encodeCall(call) });
  }
  if (beside?.puts !== undefined) puts.push(...beside.puts);
  return {
    changeId: newId(),
    workspaceId: next.workspaceId,
    puts,
    entries: joined(move.entries, beside?.entries),
    before: guards?.before,
    after: guards?.after,
    epoch: guards?.epoch,
    unique: joined(unique, beside?.unique),
    counts: joined(joined(counts, guards?.counts), beside?.counts),
  };
}

function joined<T>(some: readonly T[], more: readonly T[] = []): readonly T[] {
  return more.length === 0 ? some : [...some, ...more];
}

export function pendingKey(approval: Approval): string {
  return `pending/${approval.workspaceId}/${approval.requester.userId}`;
}
