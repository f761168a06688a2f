import { CountersignError } from "../../src/core/errors.js";
import { Gate } from "../../src/core/gate.js";
import type { Outcome } from "../../src/core/outcome.js";
import type { Store } from "../../src/core/ports.js";
import { type Args, CALLERS, CLAIM_WINDOW, PENDING_LIMIT, PEOPLE, TIMEOUT, TOOLS, type ToolName, TTL } from "./cast.js";
import { FakeClock } from "./fake-clock.js";
import { Activity, FakeProcess } from "./fake-process.js";
import type { Op } from "./scene.js";
import { Sink } from "./sink.js";

/** Opens the store under test; called once per process and once for the independent observer. */
export interface Backend {
  open(clock: FakeClock): Store;
  /** Whether every process opens its own. */
  readonly perProcess: boolean;
  dispose(): Promise<void>;
}

/** Somebody who asked through the gate of one process; told nothing as long as they wait. */
export interface Waiter {
  readonly process: FakeProcess;
  approvalId: string | undefined;
  told?: string;
}

interface Seat {
  readonly process: FakeProcess;
  readonly gate: Gate;
  readonly store: Store;
}

/** The gates under test: two processes on one store, which can die and come back. */
export class Real {
  readonly clock = new FakeClock();
  readonly activity = new Activity();
  readonly observer: Store;
  readonly sink: Sink;
  /** Every token and claim anybody was handed, oldest first. */
  readonly tokens = new Map<string, string[]>();
  readonly claims = new Map<string, string>();
  /** The hash a person has in front of them when they see these arguments. */
  readonly hashes = new Map<string, string>();
  readonly #backend: Backend;
  readonly #plant: (store: Store) => Store;
  readonly #gone = new Set<number>();
  readonly #seats: Seat[] = [];
  #pids = 0;

  constructor(backend: Backend, plant: (store: Store) => Store = (store) => store) {
    this.#backend = backend;
    this.#plant = plant;
    this.observer = backend.open(this.clock);
    const look: Store["get"] = (kind, id) => this.activity.during(() => this.observer.get(kind, id));
    this.sink = new Sink({ get: look }, () => this.clock.now());
    this.#seats.push(this.#open(), this.#open());
  }

  process(seat: number): FakeProcess {
    return this.#seat(seat).process;
  }

  gate(seat: number): Gate {
    return this.#seat(seat).gate;
  }

  #seat(seat: number): Seat {
    return this.#seats[seat % this.#seats.length] as Seat;
  }

  #open() {
    const store = this.#backend.perProcess ? this.#backend.open(this.clock) : this.observer;
    const pid = ++this.#pids;
    const isGone = (other: { readonly pid: number }) => this.#gone.has(other.pid);
    const process = new FakeProcess(pid, this.#plant(store), this.clock, this.activity, isGone);
    const gate = new Gate({
      store: process.store,
      clock: process.clock,
      host: process.host,
      tools: this.sink.toolsOf(pid),
      limits: {
        ttl: TTL,
        claimWindow: CLAIM_WINDOW,
        timeout: TIMEOUT,
        pendingPerUser: PENDING_LIMIT,
        denialCoolDown: 0,
      },
      audience: (call) => TOOLS[call.tool as ToolName],
    });
    return { process, gate, store };
  }

  /** Ends the process in this seat. With `known`, everybody on the machine can tell at once that it is gone. */
  async kill(seat: number, known: boolean): Promise<void> {
    const { process, store } = this.#seat(seat);
    process.kill();
    if (known) this.#gone.add(process.self.pid);
    await this.activity.settle();
    if (this.#backend.perProcess) await store.close();
  }

  /** Another process takes the seat. */
  async restart(seat: number): Promise<void> {
    this.#seats[seat % this.#seats.length] = this.#open();
    await this.activity.settle();
  }

  async sweep(): Promise<void> {
    for (const { gate, process } of this.#seats) if (process.alive) await gate.sweep();
    await this.activity.settle();
  }

  /** Does it through one gate and tells what came of it; what has no answer when all is quiet is waiting. */
  async perform(op: Op, seat: number, ids: readonly string[]): Promise<Waiter> {
    const waiter: Waiter = { process: this.process(seat), approvalId: "call" in op ? ids[op.call] : undefined };
    void this.#hear(waiter, op, this.gate(seat));
    await this.activity.settle();
    return waiter;
  }

  async #hear(waiter: Waiter, op: Op, gate: Gate): Promise<void> {
    try {
      const { told, outcome } = await this.#ask(op, gate, waiter.approvalId ?? "");
      waiter.approvalId ??= outcome?.approvalId;
      if (outcome?.type === "pending" && outcome.token !== undefined) this.#keepToken(outcome.token);
      waiter.told = told;
    } catch (error) {
      waiter.told = error instanceof CountersignError ? error.code : `threw ${String(error)}`;
    }
  }

  #keepToken({ approvalId, tokenId }: { readonly approvalId: string; readonly tokenId: string }): void {
    const kept = this.tokens.get(approvalId) ?? [];
    // Who looks again at the process that minted it is told the same one.
    if (kept.at(-1) !== tokenId) kept.push(tokenId);
    this.tokens.set(approvalId, kept);
  }

  async #ask(op: Op, gate: Gate, approvalId: string): Promise<{ told: string; outcome?: Outcome }> {
    const heard = (outcome: Outcome) => ({ told: outcome.type, outcome });
    switch (op.type) {
      case "submit": {
        const call = { tool: op.tool, args: op.args, ...(op.key === undefined ? {} : { idempotencyKey: op.key }) };
        return heard(await (op.waits ? gate.run(call, CALLERS[op.caller]) : gate.submit(call, CALLERS[op.caller])));
      }
      case "decide": {
        const hash = op.shown === undefined ? undefined : this.hashes.get(shownKey(approvalId, op.shown));
        const decision = {
          approvalId,
          decision: op.decision,
          ...(hash === undefined ? {} : { toolCallHash: hash }),
          ...(op.edit === undefined ? {} : { args: op.edit }),
        };
        const { state } = await gate.decide(decision, PEOPLE[op.person]);
        return { told: state === "executing" ? "approved" : state };
      }
      case "withdraw":
        return { told: (await gate.withdraw(approvalId, PEOPLE[op.person])).state };
      case "cancel":
        return heard(await gate.cancel({ approvalId }, CALLERS[op.caller]));
      case "resume":
        return heard(await gate.resume(approvalId, CALLERS[op.caller], { deadline: 0 }));
      case "claim": {
        const caller = CALLERS[op.caller];
        const tokenId = (op.token === "own" ? undefined : this.tokens.get(approvalId)?.[op.token ?? -1]) ?? "forged";
        const { claimId } = await (op.token === "own"
          ? gate.claimOwn(approvalId, caller)
          : gate.claim({ approvalId, tokenId }, caller));
        this.claims.set(approvalId, claimId);
        return { told: "claimed" };
      }
      case "finish": {
        const claimId = op.claim === "right" ? (this.claims.get(approvalId) ?? "") : "not-mine";
        const receipt = op.as === "succeeded" ? { type: op.as, result: 1 } : { type: op.as, error: "as told" };
        return heard(await gate.finish({ approvalId, claimId, ...receipt }, CALLERS[op.caller]));
      }
      case "settle": {
        const receipt = op.as === "succeeded" ? { type: op.as } : { type: op.as, error: "as told" };
        return heard(await gate.settle(approvalId, PEOPLE[op.person], receipt));
      }
      case "askAgain":
        return heard(await gate.askAgain(approvalId, PEOPLE[op.person]));
      case "pause":
        await gate.pause(op.workspace, op.paused, PEOPLE[op.person]);
        return { told: "done" };
      case "release":
        for (const effect of this.sink.of(approvalId)) effect.release?.();
        return { told: "done" };
      case "sweep":
        await this.sweep();
        return { told: "done" };
      case "crash":
        throw new Error("a crash is done to a process, not through its gate");
      default:
        return op satisfies never;
    }
  }

  async dispose(): Promise<void> {
    for (const { process } of this.#seats) process.kill();
    await this.activity.settle();
    if (this.#backend.perProcess) for (const { store } of this.#seats) await store.close();
    await this.observer.close();
    await this.#backend.dispose();
  }
}

export function shownKey(approvalId: string, { n, wait, fails }: Args): string {
  return `${approvalId}/${n}/${wait}/${fails}`;
}
