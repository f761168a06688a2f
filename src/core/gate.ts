import { askAgain, cancel, pause, settle, verify } from "./acts.js";
import { allow } from "./allow.js";
import { answer, settled } from "./answer.js";
import type { Approval, Person } from "./approval.js";
import { assess } from "./assess.js";
import type { Verification } from "./audit.js";
import { bindCall, type Caller, checkCall, checkCaller, contextOf, LOCAL_CALLER, type ToolCall } from "./call.js";
import type { Card } from "./card/card.js";
import type { Receipt } from "./claim.js";
import type { Decision } from "./decide.js";
import { type Decided, type DecideResult, decide, decideAll, withdraw } from "./deciding.js";
import { deny, denyAgain } from "./deny.js";
import { type DryRun, dryRun } from "./dry-run.js";
import { draft } from "./editing.js";
import type { Engine } from "./engine.js";
import { CountersignError } from "./errors.js";
import { handOver } from "./hand-over.js";
import { type Asked, hold, isOutdated, type Outdated, rulesChanged } from "./hold.js";
import { tellConfirmationOff } from "./judging/change-settings.js";
import { type LintFinding, lintTools } from "./lint.js";
import { latest, locate } from "./locate.js";
import { type EngineOptions, openEngine } from "./open.js";
import { cancelled, type Outcome } from "./outcome.js";
import { ownCall, ownRunning } from "./own-call.js";
import type { Store } from "./ports.js";
import { ReadLog } from "./read-log.js";
import { unknownFor } from "./reading.js";
import type { Registry } from "./registry.js";
import { type Claim, claim, claimOwn, finish } from "./remote.js";
import { reveal } from "./reveal.js";
import { validateArgs } from "./schema.js";
import type { Soon } from "./soon.js";
import { StandingGate } from "./standing-gate.js";
import type { ShownValue } from "./text/value.js";
import type { AnyTool, Locale } from "./tool.js";
import { undoOf, undoOnce } from "./undo.js";
import { recover, sweep } from "./upkeep.js";
import { cardOf, type Page, unknownIn } from "./views.js";
import { ofAudience } from "./vouch.js";
import { deadlineOf, inTime, type WaitOptions } from "./wait.js";

export interface GateOptions extends EngineOptions {
  /** Who calls when a call names nobody. A gate without a server has one local user. */
  readonly caller?: Caller;
}

/** How often due, stranded and orphaned records are looked for; nothing but promptness depends on it. */
const SWEEP_EVERY = 1_000;

/** Judging again ends: each round finds a limit full, or somebody has changed the rules. */
const MAX_ROUNDS = 50;

const NOTHING_EXHAUSTED: ReadonlySet<string> = new Set();

export interface SubmitOptions extends WaitOptions {
  /** The host vouches that a person has asked for this in a message of their own: an earlier denial is put to people again. */
  readonly personAsked?: boolean;
}

/** Every tool call passes here. `submit` is the whole flow; the rest answers, waits and looks. */
export class Gate extends StandingGate {
  readonly store: Store;
  readonly registry: Registry;
  readonly #engine: Engine;
  readonly #reads: ReadLog;
  /** Who calls when a call names nobody. */
  readonly caller: Caller;
  readonly #stopWatching: () => void;
  readonly #recovered: Promise<void>;
  #cancelSweep: (() => void) | undefined;
  #sweeping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: GateOptions) {
    const engine = openEngine(options);
    super(engine);
    this.#engine = engine;
    this.store = options.store;
    this.registry = this.#engine.registry;
    this.caller = options.caller ?? LOCAL_CALLER;
    this.#reads = new ReadLog(this.#engine.grouper, this.#engine.clock, this.#engine.notice);
    this.#stopWatching = this.store.watch(() => this.#engine.waiters.hint());
    this.#recovered = this.#begin().catch((error: Error) =>
      this.#engine.notice("recovery.failed", { why: error.message }),
    );
    this.#scheduleSweep();
    for (const finding of this.lint()) this.#engine.notice("tool.lint", { ...finding });
  }

  // ── The flow ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** ToolCall → classify → judge → allow, deny or hold. Returns at once; what waits for a person is resumed later. */
  async submit(call: ToolCall, caller: Caller = this.caller, options: SubmitOptions = {}): Promise<Outcome> {
    this.#checkOpen();
    checkCall(call);
    checkCaller(caller);
    const tool = this.registry.find(call.tool, caller);
    if (tool === undefined) return deny(this.#engine, call.tool, caller, `there is no tool "${call.tool}" here`);
    let exhausted = NOTHING_EXHAUSTED;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = await this.#pass(await this.#ask(call, caller, tool, exhausted), options);
      if (!isOutdated(outcome)) return outcome;
      if (outcome.outdated !== undefined) exhausted = new Set([...exhausted, outcome.outdated]);
    }
    throw rulesChanged();
  }

  /** Does what the verdict says. What moved between judging and starting is judged again. */
  #pass(asked: Asked, options: SubmitOptions): Soon<Outcome | Outdated> {
    const { verdict, tool, caller } = asked;
    if (options.signal?.aborted) return cancelled("the caller gave up");
    switch (verdict.type) {
      case "deny":
        if (verdict.step === "remembered_denial") return denyAgain(this.#engine, asked, options);
        return deny(this.#engine, tool.name, caller, verdict.reason ?? `${verdict.step} denies it`, asked);
      case "allow":
        return allow(this.#engine, this.#reads, asked, options);
      case "confirm":
        return this.#hold(asked);
      default:
        return verdict.type satisfies never;
    }
  }

  /** The same, and then waits for the person and for the outcome. */
  async run(call: ToolCall, caller: Caller = this.caller, options: SubmitOptions = {}): Promise<Outcome> {
    // Fixed now: neither judging nor a question that is put anew lengthens it.
    const deadline = deadlineOf(options, this.#engine.clock.now());
    const until = deadline === undefined ? options : { ...options, deadline: new Date(deadline) };
    return inTime(this.#engine.clock, deadline, this.#run(call, caller, until));
  }

  async #run(call: ToolCall, caller: Caller, until: SubmitOptions): Promise<Outcome> {
    const outcome = await this.submit(call, caller, until);
    if (outcome.type !== "pending") return outcome;
    const approval = await locate(this.#engine, { approvalId: outcome.approvalId });
    return settled(this.#engine, approval, caller, until, outcome.confirmationToken);
  }

  /** Joins an earlier call of this caller, in this process or after any restart. Waits for a person only with a deadline. */
  async resume(approvalId: string, caller: Caller = this.caller, options: WaitOptions = {}): Promise<Outcome> {
    this.#checkOpen();
    const { clock } = this.#engine;
    return inTime(clock, deadlineOf(options, clock.now()), this.#resume(approvalId, caller, options));
  }

  async #resume(approvalId: string, caller: Caller, options: WaitOptions): Promise<Outcome> {
    const approval =
      ownRunning(this.#engine, approvalId, caller) ??
      (await latest(this.#engine, await ownCall(this.#engine, { approvalId }, caller)));
    const waits = approval.state !== "pending" || options.deadline !== undefined || options.signal !== undefined;
    return waits ? settled(this.#engine, approval, caller, options) : answer(this.#engine, approval);
  }

  /** Validates, binds, classifies and judges. From here on there is one immutable value for hash, card and tool. */
  async #ask(call: ToolCall, caller: Caller, tool: AnyTool, exhausted: ReadonlySet<string>): Promise<Asked> {
    const valid = validateArgs(tool.name, tool.inputSchema, call.args);
    const args = valid instanceof Promise ? await valid : valid;
    const canonical = bindCall(tool, args, caller, contextOf(call));
    const circumstances = { toolCallHash: canonical.hash, exhausted };
    return { call, caller, tool, canonical, ...(await assess(this.#engine, call, caller, tool, args, circumstances)) };
  }

  /** Stored durably before anybody is told. Nobody to ask means no. */
  async #hold(asked: Asked): Promise<Outcome> {
    try {
      const held = await hold(this.#engine, asked);
      const told = answer(this.#engine, held.approval, held);
      return told instanceof Promise ? await told : told;
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== "no_approver") throw error;
      return deny(this.#engine, asked.tool.name, asked.caller, error.message, asked);
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
    caller: Caller = this.caller,
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
    const waiting = await this.waiting(person, page);
    return waiting.flatMap(({ card }) => card?.drawListed(page?.locale) ?? []);
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

  /** What the tool says it would do, without doing it; for a person of the audience, and written down. */
  dryRun(approvalId: string, person: Person): Promise<DryRun> {
    return dryRun(this.#engine, approvalId, person);
  }

  /** Asks another person of the audience to answer, live and in the record. Everybody of it may still answer. */
  handOver(
    approvalId: string,
    wanted: { readonly to: string; readonly note?: string },
    person: Person,
  ): Promise<Approval> {
    return handOver(this.#engine, approvalId, wanted, person);
  }

  /** Takes a call that succeeded back by the call that its tool names for it: a new one, gated like any other, and once. */
  async undo(approvalId: string, person: Person): Promise<Outcome> {
    const { call, caller } = await undoOf(this.#engine, approvalId, person);
    return undoOnce(approvalId, (idempotencyKey) =>
      this.submit({ ...call, idempotencyKey }, caller, { personAsked: true }),
    );
  }

  /** The record of one approval, for a person of its audience. */
  async approval(approvalId: string, person: Person): Promise<Approval> {
    const approval = await locate(this.#engine, { approvalId });
    await ofAudience(this.#engine, approval, person);
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
    caller: Caller = this.caller,
  ): Promise<Claim> {
    return claim(this.#engine, input, caller);
  }

  /** The same by id alone, for whoever asked. */
  claimOwn(approvalId: string, caller: Caller = this.caller): Promise<Claim> {
    return claimOwn(this.#engine, approvalId, caller);
  }

  /** Reports how a claimed run ended. */
  async finish(
    input: { readonly approvalId: string; readonly claimId: string } & Receipt,
    caller: Caller = this.caller,
  ): Promise<Outcome> {
    return answer(this.#engine, await finish(this.#engine, input, caller));
  }

  // ── Keeping it true ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Executions nobody can tell about. */
  unknown(workspaceId: string = this.caller.workspaceId, page?: Page): Promise<Approval[]> {
    return unknownIn(this.#engine, workspaceId, page);
  }

  /** The same, among those that concern this person. */
  unknownFor(person: Person): Promise<Approval[]> {
    return unknownFor(this.#engine, person);
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
  async verify(workspaceId: string = this.caller.workspaceId): Promise<Verification> {
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

  async #begin(): Promise<void> {
    await recover(this.#engine);
    await tellConfirmationOff(this.#engine);
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
