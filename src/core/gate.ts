import { askAgain, cancel, pause, settle, verify } from "./acts.js";
import { answer, latest, settled } from "./answer.js";
import { type Approval, checkAudience, type Person } from "./approval.js";
import { assess } from "./assess.js";
import { newEntry, shortHash, type Verification } from "./audit.js";
import { bindCall, type Caller, checkCall, checkCaller, contextOf, LOCAL_CALLER, type ToolCall } from "./call.js";
import type { Card } from "./card/card.js";
import type { Receipt } from "./claim.js";
import type { Decision } from "./decide.js";
import { type Decided, type DecideResult, decide, decideAll, draft, locate, vouched, withdraw } from "./deciding.js";
import type { Engine } from "./engine.js";
import { CountersignError, errorOf } from "./errors.js";
import { runClaimed, runRead } from "./execute.js";
import { type Asked, callRecord, create, hold, newRecord, overseersOf } from "./hold.js";
import { newId } from "./ids.js";
import { type LintFinding, lintTools } from "./lint.js";
import { type EngineOptions, openEngine } from "./open.js";
import { cancelled, denied, failed, type Outcome, succeeded } from "./outcome.js";
import type { Store } from "./ports.js";
import { ReadLog } from "./read-log.js";
import type { Registry } from "./registry.js";
import { type Claim, checkRequester, claim, finish } from "./remote.js";
import { reveal } from "./reveal.js";
import { validateArgs } from "./schema.js";
import type { ShownValue } from "./text/value.js";
import type { AnyTool, Locale } from "./tool.js";
import { recover, sweep } from "./upkeep.js";
import { cardOf, type Page, pendingFor, unknownIn } from "./views.js";
import { deadlineOf, type WaitOptions } from "./wait.js";

export interface GateOptions extends EngineOptions {
  /** Who calls when a call names nobody. A gate without a server has one local user. */
  readonly caller?: Caller;
}

/** How often due, stranded and orphaned records are looked for; nothing but promptness depends on it. */
const SWEEP_EVERY = 1_000;

/** How often a call is judged again because the rules changed meanwhile. */
const MAX_JUDGEMENTS = 5;

/** Every tool call passes here. `submit` is the whole flow; the rest answers, waits and looks. */
export class Gate {
  readonly store: Store;
  readonly registry: Registry;
  readonly #engine: Engine;
  readonly #reads: ReadLog;
  readonly #caller: Caller;
  readonly #stopWatching: () => void;
  readonly #recovered: Promise<void>;
  #cancelSweep: (() => void) | undefined;
  #sweeping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: GateOptions) {
    this.#engine = openEngine(options);
    this.store = options.store;
    this.registry = this.#engine.registry;
    this.#caller = options.caller ?? LOCAL_CALLER;
    this.#reads = new ReadLog(this.#engine.grouper, this.#engine.clock, this.#engine.notice);
    this.#stopWatching = this.store.watch(() => this.#engine.waiters.hint());
    this.#recovered = recover(this.#engine).catch((error: Error) =>
      this.#engine.notice("recovery.failed", { why: error.message }),
    );
    this.#scheduleSweep();
    for (const finding of this.lint()) this.#engine.notice("tool.lint", { ...finding });
  }

  // ── The flow ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** ToolCall → classify → judge → allow, deny or hold. Returns at once; what waits for a person is resumed later. */
  async submit(call: ToolCall, caller: Caller = this.#caller, options: WaitOptions = {}): Promise<Outcome> {
    this.#checkOpen();
    checkCall(call);
    checkCaller(caller);
    const tool = this.registry.find(call.tool);
    if (tool === undefined) return this.#refuse(call.tool, caller, `there is no tool "${call.tool}" here`);
    for (let round = 1; ; round++) {
      const asked = await this.#ask(call, caller, tool);
      try {
        return await this.#pass(asked, options);
      } catch (error) {
        // The rules changed between the judgement and its commit: nothing happened, and the call is judged anew.
        if (round >= MAX_JUDGEMENTS || !isChangedPolicy(error)) throw error;
      }
    }
  }

  async #pass(asked: Asked, options: WaitOptions): Promise<Outcome> {
    const { verdict, tool, caller } = asked;
    if (options.signal?.aborted) return cancelled("the caller gave up");
    switch (verdict.type) {
      case "deny":
        return this.#refuse(tool.name, caller, verdict.reason ?? `${verdict.step} denies it`, asked);
      case "allow":
        return this.#allow(asked, options);
      case "confirm":
        return this.#hold(asked);
      default:
        return verdict.type satisfies never;
    }
  }

  /** The same, and then waits for the person and for the outcome. */
  async run(call: ToolCall, caller: Caller = this.#caller, options: WaitOptions = {}): Promise<Outcome> {
    // Fixed now: neither judging nor a question that is put anew lengthens it.
    const deadline = deadlineOf(options, this.#engine.clock.now());
    const until = deadline === undefined ? options : { ...options, deadline: new Date(deadline) };
    const outcome = await this.submit(call, caller, until);
    if (outcome.type !== "pending") return outcome;
    const approval = await locate(this.#engine, { approvalId: outcome.approvalId });
    return settled(this.#engine, approval, caller, until, outcome.confirmationToken);
  }

  /** Joins an earlier call of this caller, in this process or after any restart. Waits for a person only with a deadline. */
  async resume(approvalId: string, caller: Caller = this.#caller, options: WaitOptions = {}): Promise<Outcome> {
    this.#checkOpen();
    const named = await locate(this.#engine, { approvalId });
    const stranger = checkRequester(named, caller);
    if (stranger) throw errorOf(stranger);
    const approval = await latest(this.#engine, named);
    const waits = approval.state !== "pending" || options.deadline !== undefined || options.signal !== undefined;
    return waits ? settled(this.#engine, approval, caller, options) : answer(this.#engine, approval);
  }

  /** Validates, binds, classifies and judges. From here on there is one immutable value for hash, card and tool. */
  async #ask(call: ToolCall, caller: Caller, tool: AnyTool): Promise<Asked> {
    const args = await validateArgs(tool.name, tool.inputSchema, call.args);
    const canonical = bindCall(tool, args, caller, contextOf(call));
    return { call, caller, tool, canonical, ...(await assess(this.#engine, call, caller, tool, args)) };
  }

  async #refuse(tool: string, caller: Caller, reason: string, asked?: Asked): Promise<Outcome> {
    const entry = newEntry("call.denied", "", {
      tool,
      hash: asked && shortHash(asked.canonical.hash),
      for: caller.userId,
      agent: caller.agentId,
      session: caller.sessionId,
      reason,
    });
    await this.#engine.grouper.commit({
      changeId: newId(),
      workspaceId: caller.workspaceId,
      puts: [],
      entries: [entry],
    });
    return denied(reason);
  }

  /** Allowed: a read runs at once; a write is claimed first, in one commit with its record, and then runs. */
  async #allow(asked: Asked, options: WaitOptions): Promise<Outcome> {
    const { tool, caller, canonical, classification, call } = asked;
    if (tool.execute === undefined) return this.#allowRemote(asked);
    if (tool.effect === "read" && call.idempotencyKey === undefined) return this.#read(asked, options);
    const engine = this.#engine;
    const heldUntil = await engine.lease.held();
    const now = engine.store.time();
    const claimId = newId();
    const execution = { claimId, instance: engine.lease.instance, attempt: 1, startedAt: now };
    const next: Approval = { ...newRecord(asked, "executing", now, overseersOf(engine, asked)), execution };
    const entry = newEntry("call.allowed", next.approvalId, {
      tool: tool.name,
      hash: shortHash(canonical.hash),
      tier: classification.riskTier,
      for: caller.userId,
      agent: caller.agentId,
      session: caller.sessionId,
      step: asked.verdict.step,
    });
    const { approval, joined } = await create(
      engine,
      { next, call: callRecord(asked), entries: [entry], guards: { epoch: asked.epoch, before: heldUntil } },
      asked,
    );
    // The signal goes to the tool: what has started is not cancelled by looking away.
    const outcome = settled(engine, approval, caller, withoutSignal(options));
    if (!joined) void runClaimed(engine, { tool, args: canonical.args, claimId }, approval, options.signal);
    return outcome;
  }

  /** An allowed call that runs elsewhere needs no person, but its own token and claim like any other. */
  async #allowRemote(asked: Asked): Promise<Outcome> {
    const engine = this.#engine;
    const now = engine.store.time();
    const next: Approval = {
      ...newRecord(asked, "approved", now, overseersOf(engine, asked)),
      claimBy: now + engine.limits.claimWindow,
    };
    const entry = newEntry("call.allowed", next.approvalId, {
      tool: next.tool,
      hash: shortHash(next.toolCallHash),
      for: next.requester.userId,
      step: asked.verdict.step,
    });
    const { approval } = await create(
      engine,
      { next, call: callRecord(asked), entries: [entry], guards: { epoch: asked.epoch } },
      asked,
    );
    return answer(engine, approval);
  }

  async #read({ tool, caller, canonical }: Asked, options: WaitOptions): Promise<Outcome> {
    const receipt = await runRead(this.#engine, tool, canonical.args, caller, options);
    const told = {
      tool: tool.name,
      hash: shortHash(canonical.hash),
      for: caller.userId,
      agent: caller.agentId,
      session: caller.sessionId,
      as: receipt.type,
    };
    this.#reads.add(caller.workspaceId, newEntry("call.read", "", told));
    return receipt.type === "succeeded" ? succeeded(receipt.value) : failed(receipt.error);
  }

  /** Stored durably before anybody is told. Nobody to ask means no. */
  async #hold(asked: Asked): Promise<Outcome> {
    try {
      const held = await hold(this.#engine, asked);
      return await answer(this.#engine, held.approval, held);
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== "no_approver") throw error;
      return this.#refuse(asked.tool.name, asked.caller, error.message, asked);
    }
  }

  // ── People answer ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** One person's answer; an approval that is complete starts its call. Throws when the answer does not count. */
  decide(decision: Decision, person: Person): Promise<Decided> {
    return decide(this.#engine, decision, person);
  }

  /** Many answers at once, each with its own result. */
  decideAll(decisions: readonly Decision[], person: Person): Promise<DecideResult[]> {
    return decideAll(this.#engine, decisions, person);
  }

  /** An approver takes a yes back, until the claim. */
  withdraw(approvalId: string, person: Person): Promise<Decided> {
    return withdraw(this.#engine, approvalId, person);
  }

  /** The requesting side withdraws its call, until the claim. */
  cancel(
    by: { readonly approvalId?: string; readonly confirmationToken?: string },
    caller: Caller = this.#caller,
    reason?: string,
  ): Promise<Outcome> {
    return cancel(this.#engine, by, caller, reason);
  }

  /** Puts an expired question again: a new approval, judged anew, linked to the old one. */
  askAgain(approvalId: string, who: Person | Caller): Promise<Outcome> {
    return askAgain(this.#engine, approvalId, who);
  }

  /** What waits for this person, oldest first. */
  async pending(person: Person, page?: Page): Promise<Card[]> {
    const approvals = await pendingFor(this.#engine, await vouched(this.#engine, person, person.workspaceId), page);
    const cards = await Promise.all(approvals.map((approval) => cardOf(this.#engine, approval)));
    return cards.filter((card) => card !== undefined);
  }

  /** The card of one approval, for a person of its audience. */
  async card(approvalId: string, person: Person, locale?: Locale): Promise<Card | undefined> {
    const approval = await this.approval(approvalId, person);
    return cardOf(this.#engine, approval, locale);
  }

  /** The card as it would be with other arguments, and what they change. Stores nothing; `decide` with these args does. */
  draft(approvalId: string, args: unknown, person: Person, locale?: Locale): Promise<Card | undefined> {
    return draft(this.#engine, approvalId, args, person, locale);
  }

  /** The record of one approval, for a person of its audience. */
  async approval(approvalId: string, person: Person): Promise<Approval> {
    const approval = await locate(this.#engine, { approvalId });
    const stranger = checkAudience(approval, await vouched(this.#engine, person, approval.workspaceId));
    if (stranger) throw errorOf(stranger);
    return approval;
  }

  /** One sensitive value, named by its label on the card, for a person of the audience. Written down before it is told. */
  reveal(approvalId: string, label: string, person: Person): Promise<ShownValue> {
    return reveal(this.#engine, approvalId, label, person);
  }

  // ── Calls that run elsewhere ────────────────────────────────────────────────────────────────────────────────────────

  /** Spends the token of an approved call and hands out the arguments to run with. */
  claim(
    input: { readonly approvalId: string; readonly tokenId: string; readonly toolCallHash?: string },
    caller: Caller = this.#caller,
  ): Promise<Claim> {
    return claim(this.#engine, input, caller);
  }

  /** Reports how a claimed run ended. */
  async finish(
    input: { readonly approvalId: string; readonly claimId: string } & Receipt,
    caller: Caller = this.#caller,
  ): Promise<Outcome> {
    return answer(this.#engine, await finish(this.#engine, input, caller));
  }

  // ── Keeping it true ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Executions nobody can tell about. */
  unknown(workspaceId: string = this.#caller.workspaceId, page?: Page): Promise<Approval[]> {
    return unknownIn(this.#engine, workspaceId, page);
  }

  /** A person says what became of an unknown execution; without a receipt the tool's own check is asked. */
  settle(approvalId: string, person: Person, receipt?: Receipt): Promise<Outcome> {
    return settle(this.#engine, approvalId, person, receipt);
  }

  /** Stops or resumes everything in a workspace. Takes effect for every call that has not been claimed yet. */
  pause(workspaceId: string, paused: boolean, person: Person): Promise<void> {
    return pause(this.#engine, workspaceId, paused, person);
  }

  /** Walks the workspace's whole chain and says whether it holds. */
  async verify(workspaceId: string = this.#caller.workspaceId): Promise<Verification> {
    await this.#reads.flush();
    return verify(this.#engine, workspaceId);
  }

  /** Tools whose flags, tags, names and prompts disagree. Told to `notice` when the gate opens. */
  lint(): readonly LintFinding[] {
    return lintTools(this.registry.list());
  }

  /** Writes down what time has decided and takes over from instances that died. Runs by itself every second. */
  async sweep(): Promise<void> {
    await this.#recovered;
    await sweep(this.#engine);
  }

  /** Waits for what runs here, writes down what is left, and closes the store. Whoever waits for a person is told so. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cancelSweep?.();
    this.#stopWatching();
    await this.#recovered;
    await this.#sweeping;
    await this.#engine.lease.idle();
    await this.#reads.flush();
    await this.#engine.lease.release();
    this.#engine.waiters.close();
    await this.#engine.grouper.close();
    await this.store.close();
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new CountersignError("closed", "This gate is closed.");
  }

  #scheduleSweep(): void {
    if (this.#closing !== undefined) return;
    this.#cancelSweep = this.#engine.clock.timer(SWEEP_EVERY, () => {
      this.#sweeping = this.sweep()
        .catch((error: Error) => this.#engine.notice("sweep.failed", { why: error.message }))
        .then(() => this.#scheduleSweep());
    });
  }
}

function withoutSignal({ deadline }: WaitOptions): WaitOptions {
  return deadline === undefined ? {} : { deadline };
}

function isChangedPolicy(error: unknown): boolean {
  return error instanceof CountersignError && error.code === "policy_changed";
}
