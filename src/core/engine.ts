import { type Approval, atVersion } from "./approval.js";
import type { Caller, ToolCall } from "./call.js";
import type { Signal } from "./classify.js";
import { decodeApproval, decodeCall } from "./codec.js";
import { CountersignError, type ErrorCode, isRefusal, type Refusal, refuse } from "./errors.js";
import type { Grouper } from "./grouper.js";
import { sha256Hex } from "./ids.js";
import type { JsonObject } from "./json.js";
import type { Opinion, Question, Requirement } from "./judge.js";
import type { Budget, Spending, Thresholds } from "./judging/budgets.js";
import type { Scope } from "./judging/scope.js";
import type { KnownStanding, Weaken } from "./judging/standing.js";
import type { Lease } from "./lease.js";
import type { Mask } from "./mask.js";
import type { Applied, Clock, Notice, People, Store } from "./ports.js";
import type { Recent } from "./recent.js";
import { type CallRecord, callId, type Move, moveChange } from "./record.js";
import type { Registry } from "./registry.js";
import type { AnyTool } from "./tool.js";
import type { Waiters } from "./wait.js";

/** Looks at a call and may raise its tier. Failing counts as "cannot be inspected", never as "nothing found". */
export type Analyser = (asked: {
  readonly tool: AnyTool;
  readonly args: JsonObject;
  readonly call: ToolCall;
  readonly caller: Caller;
  /** Where the session works; what lies outside drifts. */
  readonly scope?: Scope;
}) => Promise<readonly Signal[]>;

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
  /** How long a denial is remembered, and how many of one tool in a session stop it altogether; 0 for never. */
  readonly denialCoolDown: number;
  readonly denialBreaker: number;
  /** The longest that Autonomous Mode may be switched on for. */
  readonly autonomous: number;
}

const DEFAULT_LIMITS: Limits = {
  pendingPerUser: 100,
  ttl: 5 * 60_000,
  offlineTtl: 30 * 60_000,
  claimWindow: 5 * 60_000,
  timeout: 5 * 60_000,
  previewTimeout: 10_000,
  idempotency: 24 * 3_600_000,
  denialCoolDown: 10 * 60_000,
  denialBreaker: 3,
  autonomous: 24 * 3_600_000,
};

/** Those that count instead of timing; any number of them may be without end. */
const COUNTS: readonly string[] = ["pendingPerUser", "denialBreaker"] satisfies (keyof Limits)[];

/** What is left undefined is as usual. A word that is none, or a number, would make a limit that never refuses, or always. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of set) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name))
      throw new CountersignError("invalid_call", `No limit "${name}" is known.`);
    if (!(value >= 0) || (value === Number.POSITIVE_INFINITY && !COUNTS.includes(name)))
      throw new CountersignError("invalid_call", `The limit "${name}" is a number of at least 0.`);
  }
  // Stores count in whole milliseconds; a seventh of a minute is none.
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(set.map(([name, value]) => [name, Math.round(value)])) };
}

export interface KnownHead {
  readonly epoch: number;
  readonly paused: boolean;
  /** When its reading began. */
  readonly at: number;
}

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
  readonly online: ((approval: Approval) => boolean | Promise<boolean>) | undefined;
  readonly thresholds: () => Thresholds;
  readonly budgets: (spending: Spending) => readonly Budget[];
  /** Where sessions work unless a person or the host says otherwise. */
  readonly scope: Scope | ((caller: Caller) => Scope | undefined) | undefined;
  /** Names the rules in force: a grant holds under the ones it was given under, a verdict under those it was reached by. */
  readonly policyVersion: (() => string) | undefined;
  readonly weaken: Weaken | undefined;
  /** Hides sensitive values wherever they would be shown. */
  readonly mask: Mask;
  readonly limits: Limits;
  /** The time to decide where neither tool, person nor rule says another one. */
  readonly defaultTimes: () => Pick<Limits, "ttl" | "offlineTtl">;
  readonly notice: Notice;
  readonly waiters: Waiters;
  /** Tokens minted here, by their approvals: a store keeps the hashes alone, and who looks twice is told the same one. */
  readonly minted: Recent<string>;
  readonly lease: Lease;
  /** The claims whose runs go on in this process. */
  readonly running: Set<string>;
  /** Last known head of each workspace; a stale epoch is refused by the store and corrected. */
  readonly heads: Map<string, KnownHead>;
  /** Those that are being read. */
  readonly headReadings: Map<string, { readonly at: number; readonly head: Promise<KnownHead> }>;
  /** What was last read to stand in each workspace. */
  readonly standing: Map<string, KnownStanding>;
}

/** Enough for any race that makes progress: each lost round means that somebody else's change was applied. */
const MAX_ROUNDS = 200;

/** The tool of a record: the gate's own, or the one its agent has declared. */
export function toolOf(
  { registry }: Pick<Engine, "registry">,
  approval: Approval,
  name = approval.tool,
): AnyTool | undefined {
  return registry.find(name, { workspaceId: approval.workspaceId, agentId: approval.requester.agentId });
}

export async function loadApproval(engine: Pick<Engine, "store">, approvalId: string): Promise<Approval | undefined> {
  const record = await engine.store.get("approval", approvalId);
  return record && decodeApproval(record);
}

export async function loadCall(engine: Pick<Engine, "store">, approval: Approval): Promise<CallRecord | undefined> {
  const record = await engine.store.get("call", callId(approval.approvalId, approval.revision));
  return record && decodeCall(record);
}

/** The call for whoever is about to approve or run it: a row that was changed in the store is not the call that was held. */
export async function loadIntactCall(engine: Pick<Engine, "store">, approval: Approval): Promise<CallRecord | Refusal> {
  const changed = refuse("hash_mismatch", "The stored call is not the one that was held: its row was changed.");
  let call: CallRecord | undefined;
  try {
    call = await loadCall(engine, approval);
  } catch (error) {
    // A row that cannot be read is refused like one that reads differently; a store that fails is another matter.
    if (error instanceof SyntaxError) return changed;
    if (!(error instanceof CountersignError) || !UNREADABLE.includes(error.code)) throw error;
    return refuse(error.code, error.message);
  }
  if (call === undefined) return refuse("not_found", "The call of this approval is gone.");
  return sha256Hex(call.canonical) === approval.toolCallHash ? call : changed;
}

const UNREADABLE: readonly ErrorCode[] = ["hash_mismatch", "unknown_key"];

/** A pure rule: where this approval goes from here, or why it does not. */
export type Rule = (approval: Approval, now: number) => Move | Refusal;

/** The next judgement reads the head anew, and does not wait for a reading that began before. */
export function forgetHead(engine: Engine, workspaceId: string): void {
  engine.heads.delete(workspaceId);
  engine.headReadings.delete(workspaceId);
}

/** A commit told another epoch than the one known here: the head is read anew before the next judgement. */
export function noteEpoch(engine: Engine, workspaceId: string, epoch: number): void {
  if (engine.heads.get(workspaceId)?.epoch !== epoch) forgetHead(engine, workspaceId);
}

/**
 * Applies a rule to an approval and commits its move. Given the approval as known here, the rule runs on that first: whoever
 * was faster makes the store refuse it. In every further round it runs on the fresh state. It is the rule, never this loop,
 * that decides what a late answer is told, and it never says no by stale knowledge. `told` is what waiters here learn.
 */
export async function transition(
  engine: Engine,
  known: Approval | string,
  rule: Rule,
  told: (next: Approval) => Approval = (next) => next,
): Promise<Approval | Refusal> {
  const approvalId = typeof known === "string" ? known : known.approvalId;
  let approval = typeof known === "string" ? await loadApproval(engine, known) : known;
  let fresh = typeof known === "string";
  let now = engine.store.time();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (approval === undefined) return refuse("not_found", "There is no such approval.");
    const move = rule(approval, now);
    if (isRefusal(move)) {
      if (fresh) return move;
    } else {
      const applied = await engine.grouper.commit(moveChange(approval, move));
      noteEpoch(engine, approval.workspaceId, applied.epoch);
      if (applied.ok) {
        const next = atVersion(move.next, approval.version + 1);
        engine.waiters.changed(told(next), move.call);
        return next;
      }
      // What was refused by stale knowledge may be refused for another reason: a key, say, that its successor holds by now.
      const end = fresh ? refusalOf(applied) : undefined;
      if (end) return end;
      // The store's clock is the one that counts: the rule sees it in its next round.
      now = Math.max(engine.store.time(), applied.time);
    }
    approval = await loadApproval(engine, approvalId);
    fresh = true;
  }
  return refuse("store_failed", "The approval changed too often at once. Nothing was done; try again.");
}

/** What another round with the fresh state cannot mend. */
function refusalOf(applied: Extract<Applied, { ok: false }>): Refusal | undefined {
  switch (applied.refused) {
    case "broken":
      return refuse("invalid_change", applied.problem ?? "The change was not well formed.");
    case "limit":
    case "taken":
      return refuse("too_many_pending", "A limit was reached; nothing was changed.");
    case "epoch":
      return refuse("policy_changed", "The rules changed at this moment. Nothing was started; try again.");
    case "version":
    case "late":
    case "early":
      return undefined;
    default:
      return applied.refused satisfies never;
  }
}
