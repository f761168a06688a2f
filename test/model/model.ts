import { isDeepStrictEqual } from "node:util";
import { CALLERS, TOOLS, type WorkspaceId } from "./cast.js";
import { difference, learn } from "./compare.js";
import type { Fate } from "./fake-process.js";
import type { Real, Waiter } from "./real.js";
import { Replay } from "./replay.js";
import { callAt, isEnded, type Op, REFUSED, type World } from "./scene.js";
import { step } from "./world.js";

/** How long a gate may go on believing that a workspace is not paused, or still is. */
const HEAD_AGE = 500;
/** A claim is made with at least this much of the lease left. */
const STALL = 5_000;

/** One way in which things may have happened: the world after it, and what each was told about which call. */
interface Possible {
  readonly world: World;
  readonly told: readonly (string | undefined)[];
  readonly touched: readonly number[];
}

/** The described world beside the real one. Every step happens in both, and then they have to agree. */
export class Model {
  world: World;
  readonly replay = new Replay();
  /** Counts what was really done, over all runs. */
  readonly steps: { count: number };
  readonly #real: Real;
  #waiting: Waiter[] = [];
  #pausedAt = 0;

  constructor(real: Real, steps: { count: number }) {
    this.#real = real;
    this.steps = steps;
    const now = real.clock.now();
    this.world = { now, committed: now, paused: { w1: false, w2: false }, calls: [], touched: -1 };
  }

  /** One step through one gate, perhaps with bad luck on the way to the store. */
  async does(op: Op, seat: number, fate: Fate = "fine"): Promise<void> {
    await this.#stayAwake(typeof fate === "object" ? fate.slow : 0);
    this.#letPauseArrive(op);
    const since = this.#real.clock.now();
    const { fates } = this.#real.process(seat);
    fates.push(fate);
    const waiter = await this.#real.perform(op, seat, this.replay.created);
    fates.length = 0;
    await this.#agree([this.#after([op], [0], since)], [waiter], since);
    if (op.type === "pause") this.#pausedAt = this.#real.clock.now();
    // A gate may go on refusing for a moment; that is no promise, so the moment is left out.
    if (op.type === "pause" && !op.paused) this.#real.clock.tick(HEAD_AGE);
  }

  /** Two steps at once, through one gate (then both changes are in one group) or through two: as if one had come first. */
  async races(ops: readonly [Op, Op], seats: readonly [number, number]): Promise<void> {
    for (const op of ops) this.#letPauseArrive(op);
    const since = this.#real.clock.now();
    const waiters = await Promise.all(
      ops.map((op, index) => this.#real.perform(op, seats[index] ?? 0, this.replay.created)),
    );
    await this.#agree([this.#after(ops, [0, 1], since), this.#after(ops, [1, 0], since)], waiters, since);
  }

  /** A step in whose middle the process dies. It may have happened, or not, or have started what nobody can tell about. */
  async diesDuring(op: Op, seat: number, fates: readonly Fate[]): Promise<void> {
    this.#letPauseArrive(op);
    const since = this.#real.clock.now();
    const process = this.#real.process(seat);
    process.fates.push(...fates);
    await this.#real.perform(op, seat, this.replay.created);
    const { pid } = process.self;
    await this.#real.kill(seat, true);
    await this.#real.restart(seat);
    this.#real.tokens.clear();
    const ways = [this.world, ...halfDone(this.#after([op], [0], since).world)];
    const crashed = ways.map(
      (world) => step({ ...world, now: since, committed: since }, this.#crash(pid, world)).world,
    );
    await this.#agree(
      crashed.map((world) => ({ world, told: [], touched: [] })),
      [],
      since,
    );
  }

  /** A process ends. Its successor, or with `known: false` the end of its lease, makes what it was running unknown. */
  async dies(seat: number, how: { readonly known: boolean; readonly peerFirst: boolean }): Promise<void> {
    const { pid } = this.#real.process(seat).self;
    await this.#real.kill(seat, how.known);
    if (!how.known) {
      await this.passes(16_000, pid);
      await this.#real.restart(seat);
      return;
    }
    if (how.peerFirst) await this.#real.sweep();
    await this.#real.restart(seat);
    const since = this.#real.clock.now();
    let { world } = step({ ...this.world, now: since }, this.#crash(pid, this.world));
    if (how.peerFirst) world = step(world, { type: "sweep", startedAt: [] }).world;
    await this.#agree([{ world, told: [], touched: [] }], [], since);
  }

  /** Time passes while gates look after things. */
  async passes(milliseconds: number, dead?: number): Promise<void> {
    const { clock, activity } = this.#real;
    await this.#real.sweep();
    this.world = step({ ...this.world, now: clock.now() }, { type: "sweep", startedAt: [] }).world;
    const settled = this.world.calls.map(isSettled);
    await clock.advance(milliseconds, () => activity.settle());
    await this.#real.sweep();
    const now = clock.now();
    let world = { ...this.world, now };
    if (dead !== undefined) world = step(world, this.#crash(dead, world)).world;
    await this.replay.read(this.#real.observer);
    const startedAt = world.calls.map((_, index) => this.#real.sink.of(this.replay.created[index])[0]?.at);
    world = step(world, { type: "sweep", startedAt }).world;
    await this.#agree([{ world, told: [], touched: [] }], [], now);
    if (milliseconds >= 1_000) this.#nobodyWaitsInVain(settled);
  }

  /** The end of a run: also what ended long ago is still as it was, and a fresh reader finds the whole chain sound. */
  async ends(): Promise<void> {
    const afresh = new Replay();
    await afresh.read(this.#real.observer);
    if (!isDeepStrictEqual(afresh.told, this.replay.told))
      throw new Error("I7: the log tells another story than before");
    this.world.now = this.#real.clock.now();
    const { world } = step(this.world, { type: "crash", running: [] });
    const problem = await difference(world, this.#real, this.replay, true);
    if (problem !== undefined) throw new Error(`in the end: ${problem}`);
  }

  /** Time passes and nobody looks. */
  async ticks(milliseconds: number): Promise<void> {
    await this.#stayAwake(milliseconds);
    this.#real.clock.tick(milliseconds);
  }

  /** Who sleeps for too long loses the lease, and that is a crash: here it is one only when the commands say so. */
  async #stayAwake(milliseconds: number): Promise<void> {
    if (this.#real.clock.unseen + milliseconds + HEAD_AGE > STALL) await this.passes(0);
  }

  /** Whether the tool of this call is blocked in a process that lives. */
  blocked(index: number): boolean {
    const [effect] = this.#real.sink.of(this.replay.created[index]);
    return effect?.release !== undefined && [0, 1].some((seat) => this.#real.process(seat).self.pid === effect.pid);
  }

  /** Whether anybody was handed a claim on this call. */
  holdsClaim(index: number): boolean {
    return this.#real.claims.has(this.replay.created[index] ?? "");
  }

  #crash(pid: number, world: World): Op {
    const running = world.calls.flatMap((call, index) => {
      const [effect] = this.#real.sink.of(this.replay.created[index]);
      return call.state === "executing" && TOOLS[call.tool].hosted && (effect === undefined || effect.pid === pid)
        ? [index]
        : [];
    });
    return { type: "crash", running };
  }

  #after(ops: readonly Op[], order: readonly number[], since: number): Possible {
    let world: World = { ...this.world, now: since, committed: this.#real.clock.now() };
    const told: string[] = [];
    const touched: number[] = [];
    for (const index of order) {
      const done = step(world, ops[index] as Op);
      world = done.world;
      told[index] = done.told;
      touched[index] = world.touched;
    }
    return { world, told, touched };
  }

  async #agree(ways: readonly Possible[], waiters: readonly Waiter[], since: number): Promise<void> {
    await this.replay.read(this.#real.observer);
    const problems: string[] = [];
    for (const { world, told, touched } of ways) {
      world.now = this.#real.clock.now();
      const misheard = waiters.findIndex(({ told: heard }, index) => !agrees(told[index], heard ?? "waiting"));
      const problem =
        misheard >= 0
          ? `told ${waiters[misheard]?.told ?? "to wait"} instead of ${told[misheard]}`
          : await difference(world, this.#real, this.replay);
      if (problem !== undefined) {
        problems.push(problem);
        continue;
      }
      this.world = world;
      waiters.forEach((waiter, index) => {
        waiter.approvalId ??= this.replay.created[touched[index] ?? -1];
        if (waiter.told === undefined) this.#waiting.push(waiter);
      });
      const wrong = await learn(world, since, this.#real, this.replay);
      if (wrong !== undefined) throw new Error(wrong);
      return;
    }
    throw new Error(problems.join(", or else "));
  }

  /** Whoever waits for what was settled a second ago has been told so by now, and the same as everybody else (I4, I9). */
  #nobodyWaitsInVain(settled: readonly boolean[]): void {
    this.#waiting = this.#waiting.filter(({ process, approvalId, told }) => {
      if (!process.alive) return false;
      const index = this.replay.created.indexOf(approvalId ?? "");
      const call = callAt(this.world, index);
      if (told === undefined) {
        if (settled[index]) throw new Error(`I9: somebody still waits for a call that is ${call.state}`);
        return true;
      }
      const claimable = told === "pending" && !TOOLS[call.tool].hosted;
      if (told !== call.state && !(told === "unknown" && call.maybe) && !claimable)
        throw new Error(`I4: somebody who waited was told ${told}, the call is ${call.state}`);
      return false;
    });
  }

  /** Questions and edits are no claims: they may be a moment behind a pause, so that moment is left out here. */
  #letPauseArrive(op: Op): void {
    const asks =
      (op.type === "submit" && TOOLS[op.tool].asks) ||
      op.type === "askAgain" ||
      (op.type === "decide" && op.edit !== undefined);
    const now = this.#real.clock.now();
    if (asks && now - this.#pausedAt < HEAD_AGE) this.#real.clock.tick(HEAD_AGE);
  }

  workspaceOf(index: number): WorkspaceId {
    return CALLERS[callAt(this.world, index).caller].workspaceId;
  }
}

/** Whether whoever waits for it has something to hear. */
function isSettled({ state, tool }: World["calls"][number]): boolean {
  return isEnded(state) || state === "unknown" || (state === "approved" && !TOOLS[tool].hosted);
}

function agrees(expected: string | undefined, told: string): boolean {
  if (expected === REFUSED) return told !== "claimed" && told !== "waiting";
  // Whoever joined a run in the other process hears its end a moment later; that they do is checked when time passes.
  if (told === "waiting" && (expected === "succeeded" || expected === "failed")) return true;
  // Refused by the rules or because the rules changed at that moment: nothing started either way.
  return expected === told || (expected === "denied" && told === "policy_changed");
}

/** Where a process may have died on the way to this world: done, done without a receipt, or decided and not started. */
function halfDone(world: World): World[] {
  return [
    world,
    ...(["unknown", "approved"] as const).map((state) => {
      const half = structuredClone(world);
      const call = half.calls[half.touched];
      const ran =
        call?.started && (call.state === "succeeded" || call.state === "failed" || call.state === "executing");
      if (call !== undefined && ran) Object.assign(call, { state, maybe: true, started: state === "unknown" });
      return half;
    }),
  ];
}
