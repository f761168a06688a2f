import type { Applied, Change, Clock, Host, HostProcess, Store } from "../../src/core/ports.js";
import type { FakeClock } from "./fake-clock.js";

/** What happens to a commit on its way: nothing, a lost reply, a slow disk, or the end of the process. */
export type Fate = "fine" | "reply-lost" | "die-before" | "die-after" | Slow;
interface Slow {
  readonly slow: number;
  /** What others do before this commit gets its turn. */
  readonly meanwhile?: () => Promise<void>;
}

/** Counts what every process has under way, so that a test knows when nothing will happen any more by itself. */
export class Activity {
  calls = 0;
  inFlight = 0;

  async during<T>(run: () => Promise<T>): Promise<T> {
    this.calls++;
    this.inFlight++;
    try {
      return await run();
    } finally {
      this.inFlight--;
    }
  }

  /** Resolves when no store was called for a few turns of the event loop and none has yet to answer. */
  async settle(): Promise<void> {
    let seen = -1;
    for (let quiet = 0; quiet < 3; ) {
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.calls === seen && this.inFlight === 0 ? quiet + 1 : 0;
      seen = this.calls;
    }
  }
}

const silence = <T>(): Promise<T> => new Promise(() => {});

/**
 * The world as one process sees it. After `kill` it hears and does nothing more: its calls are never answered, its timers
 * never fire. What it had committed stays.
 */
export class FakeProcess {
  readonly self: HostProcess;
  readonly store: Store;
  readonly clock: Clock;
  readonly host: Host;
  readonly fates: Fate[] = [];
  alive = true;
  readonly #inner: Store;
  readonly #activity: Activity;
  readonly #time: FakeClock;

  constructor(
    pid: number,
    inner: Store,
    time: FakeClock,
    activity: Activity,
    isGone: (process: HostProcess) => boolean,
  ) {
    this.self = { host: "one", pid, started: "" };
    this.#inner = inner;
    this.#time = time;
    this.#activity = activity;
    this.host = { self: this.self, isGone };
    this.clock = {
      now: () => time.now(),
      timer: (delay, run) => time.timer(delay, () => this.alive && run()),
    };
    this.store = {
      commit: (group) => this.#call(() => this.#commit(group)),
      changed: (ids) => this.#call(() => inner.changed(ids)),
      get: (kind, id) => this.#call(() => inner.get(kind, id)),
      list: (index, after, limit) => this.#call(() => inner.list(index, after, limit)),
      latest: (index, before, limit) => this.#call(() => inner.latest(index, before, limit)),
      due: (kind, limit) => this.#call(() => inner.due(kind, limit)),
      count: (key) => this.#call(() => inner.count(key)),
      entries: (workspaceId, after, limit) => this.#call(() => inner.entries(workspaceId, after, limit)),
      erase: (refs, entry) => this.#call(() => inner.erase(refs, entry)),
      checkpoint: (workspaceId, signed) => this.#call(() => inner.checkpoint(workspaceId, signed)),
      watch: (listener) => inner.watch(() => this.alive && listener()),
      time: () => inner.time(),
      promises: () => inner.promises(),
      close: () => inner.close(),
    };
  }

  kill(): void {
    this.alive = false;
  }

  async #call<T>(run: () => Promise<T>): Promise<T> {
    if (!this.alive) return silence();
    const [answered] = await Promise.allSettled([this.#activity.during(run)]);
    if (!this.alive) return silence();
    if (answered.status === "rejected") throw answered.reason;
    return answered.value;
  }

  async #commit(group: readonly Change[]): Promise<readonly Applied[]> {
    const fate = this.fates.shift() ?? "fine";
    if (typeof fate === "object") {
      this.#time.tick(fate.slow);
      await fate.meanwhile?.();
    }
    if (fate === "die-before") this.kill();
    if (!this.alive) return [];
    const applied = await this.#inner.commit(group);
    if (fate === "die-after") this.kill();
    if (fate === "reply-lost") throw new Error("the reply was lost");
    return applied;
  }
}
