import type { Approval } from "./approval.js";
import type { Caller, ToolCall } from "./call.js";
import type { Signal } from "./classify.js";
import { CountersignError, isRefusal, type Refusal, refuse } from "./errors.js";
import type { Grouper } from "./grouper.js";
import type { JsonObject } from "./json.js";
import type { Opinion, Question, Requirement } from "./judge.js";
import type { Lease } from "./lease.js";
import type { Mask } from "./mask.js";
import type { Clock, Notice, People, Store } from "./ports.js";
import { type CallRecord, callId, decodeApproval, type Loaded, type Move, moveChange } from "./record.js";
import type { Registry } from "./registry.js";
import type { AnyTool } from "./tool.js";
import type { Waiters } from "./wait.js";

/** Looks at a call and may raise its tier. Failing counts as "cannot be inspected", never as "nothing found". */
export type Analyser = (call: { readonly tool: AnyTool; readonly args: JsonObject }) => Promise<readonly Signal[]>;

/** Speaks at its own step of the precedence: a policy, grants, settings, remembered denials. */
export type Source = (
  question: Question & { readonly call: ToolCall; readonly caller: Caller },
) => Promise<readonly Opinion[]>;

export interface Limits {
  /** Open questions per person the calls are made for. */
  readonly pendingPerUser: number;
  /** Milliseconds to decide, to decide when nobody is connected, and to claim after the decision. */
  readonly ttl: number;
  readonly offlineTtl: number;
  readonly claimWindow: number;
  /** Milliseconds a tool may run, and a preview may take. */
  readonly timeout: number;
  readonly previewTimeout: number;
  /** How long an idempotency key returns the first outcome. */
  readonly idempotency: number;
}

export const DEFAULT_LIMITS: Limits = {
  pendingPerUser: 100,
  ttl: 5 * 60_000,
  offlineTtl: 30 * 60_000,
  claimWindow: 5 * 60_000,
  timeout: 5 * 60_000,
  previewTimeout: 10_000,
  idempotency: 24 * 3_600_000,
};

/** What the steps of the flow share. */
export interface Engine {
  readonly store: Store;
  readonly grouper: Grouper;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly people: People | undefined;
  readonly analysers: readonly Analyser[];
  readonly sources: readonly Source[];
  /** Widens or narrows the default audience of a held call. */
  readonly audience: ((call: ToolCall, caller: Caller) => Requirement | undefined) | undefined;
  /** Whether somebody of the audience has a live connection; decides between `ttl` and `offlineTtl`. */
  readonly online: ((approval: Approval) => boolean) | undefined;
  /** Hides sensitive values wherever they would be shown. */
  readonly mask: Mask;
  readonly limits: Limits;
  readonly notice: Notice;
  readonly waiters: Waiters;
  readonly lease: Lease;
  /** Last known head of each workspace; a stale epoch is refused by the store and corrected. */
  readonly heads: Map<string, { readonly epoch: number; readonly paused: boolean; readonly at: number }>;
}

/** Enough for any race that makes progress: each lost round means that somebody else's change was applied. */
const MAX_ROUNDS = 200;

export async function loadApproval(engine: Engine, approvalId: string): Promise<Loaded | undefined> {
  const record = await engine.store.get("approval", approvalId);
  return record && decodeApproval(record);
}

export async function loadCall(engine: Engine, approval: Approval): Promise<CallRecord | undefined> {
  const record = await engine.store.get("call", callId(approval.approvalId, approval.revision));
  return record && (JSON.parse(record.value) as CallRecord);
}

/** A pure rule: where this approval goes from here, or why it does not. */
export type Rule = (approval: Approval, now: number) => Move | Refusal;

/** A commit told another epoch than the one known here: the head is read anew before the next judgement. */
export function noteEpoch(engine: Engine, workspaceId: string, epoch: number): void {
  if (engine.heads.get(workspaceId)?.epoch !== epoch) engine.heads.delete(workspaceId);
}

/**
 * Applies a rule to the fresh state and commits its move. Whenever somebody else was first, the rule is run again on what
 * stands now; it is the rule, never this loop, that decides what a late answer is told. `told` is what waiters here learn.
 */
export async function transition(
  engine: Engine,
  approvalId: string,
  rule: Rule,
  told: (next: Approval) => Approval = (next) => next,
): Promise<Approval | Refusal> {
  let loaded = await loadApproval(engine, approvalId);
  let now = engine.store.time();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (loaded === undefined) return refuse("not_found", "There is no such approval.");
    const move = rule(loaded.approval, now);
    if (isRefusal(move)) return move;
    const applied = await engine.grouper.commit(moveChange(loaded, move));
    if (applied.ok) {
      noteEpoch(engine, move.next.workspaceId, applied.epoch);
      engine.waiters.changed(told(move.next));
      return move.next;
    }
    if (applied.refused === "broken")
      throw new CountersignError("invalid_change", applied.problem ?? "The change was not well formed.");
    if (applied.refused === "limit" || applied.refused === "taken") {
      return refuse("too_many_pending", "A limit was reached; nothing was changed.");
    }
    // The store's clock and epoch are the ones that count: the rule sees them in its next round.
    now = Math.max(engine.store.time(), applied.time);
    noteEpoch(engine, move.next.workspaceId, applied.epoch);
    if (applied.refused === "epoch")
      return refuse("policy_changed", "The rules changed at this moment. Nothing was started; try again.");
    loaded =
      applied.refused === "version" && applied.current
        ? decodeApproval(applied.current)
        : await loadApproval(engine, approvalId);
  }
  return refuse("store_failed", "The approval changed too often at once. Nothing was done; try again.");
}
