import { CountersignError } from "./errors.js";
import type { Grouper } from "./grouper.js";
import { newId } from "./ids.js";
import type { Clock, Host, HostProcess, Store, StoredRecord } from "./ports.js";
import type { Soon } from "./soon.js";

/** How long an instance may be silent before others call its running calls unknown. */
const LEASE_TTL = 15_000;
const RENEW_EVERY = LEASE_TTL / 3;
/** Leases belong to no workspace of the users'. */
const INSTANCES = "_instances";
const LEASE_INDEX = "leases";

/** What a lease says: whose it is, and when it ends. */
interface Held extends HostProcess {
  readonly until?: number;
}

/**
 * One lease per instance, renewed while anything runs here. What an instance runs is listed under its name, so that after its
 * death exactly that becomes unknown. A stalled instance that lost its lease is fenced by the claim ids of its executions.
 */
export class Lease {
  readonly instance = newId();
  readonly #store: Store;
  readonly #grouper: Grouper;
  readonly #clock: Clock;
  readonly #host: Host;
  #version = 0;
  #until = 0;
  #running = 0;
  readonly #idle: (() => void)[] = [];
  #renewing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(store: Store, grouper: Grouper, clock: Clock, host: Host) {
    this.#store = store;
    this.#grouper = grouper;
    this.#clock = clock;
    this.#host = host;
  }

  /**
   * Resolves once this instance holds a lease that others will respect for a while, with the moment it ends. Nothing is claimed
   * without it or after it: others may have looked by then for what runs here, and would never look again.
   */
  held(): Soon<number> {
    // As new as a renewed one: what starts now may stall as long as what started before.
    if (this.#store.time() + LEASE_TTL - RENEW_EVERY < this.#until) return this.#until;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing.then(() => this.#until);
  }

  /** Runs something under the lease, renewing it for as long as it takes. */
  async during<T>(run: () => Promise<T>): Promise<T> {
    this.#running++;
    this.#arm();
    try {
      return await run();
    } finally {
      this.#running--;
      if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Resolves when nothing runs here any more. */
  async idle(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Instances that are known to be dead: silent for too long, or gone from this machine. */
  async gone(): Promise<StoredRecord[]> {
    const late = await this.#store.due("lease", 100);
    const listed = await this.#store.list(LEASE_INDEX, "", 1_000);
    const here = listed.filter((lease) => this.#host.isGone(JSON.parse(lease.value) as HostProcess));
    return [...new Map([...late, ...here].map((lease) => [lease.id, lease])).values()].filter(
      (lease) => lease.id !== this.instance,
    );
  }

  /**
   * Whether nothing can come of it any more. What was claimed in its time may be seen later: the claim of a process that died was
   * still on its way, or the store took long to make it durable. Until then others go on looking.
   */
  isOver(lease: StoredRecord): boolean {
    const { until = 0 } = JSON.parse(lease.value) as Held;
    return this.#store.time() >= until + LEASE_TTL;
  }

  async forget(lease: StoredRecord): Promise<void> {
    await this.#grouper.commit({
      changeId: newId(),
      workspaceId: INSTANCES,
      puts: [{ kind: "lease", id: lease.id, version: lease.version, value: null }],
      entries: [],
    });
  }

  /** Gives the lease back, so that nobody has to find out. Not while something runs here. */
  async release(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#version === 0 || this.#running > 0) return;
    const lease = await this.#store.get("lease", this.instance);
    if (lease) await this.forget(lease);
  }

  async #renew(): Promise<void> {
    for (let round = 0; round < 5; round++) {
      const until = this.#store.time() + LEASE_TTL;
      const applied = await this.#grouper.commit({
        changeId: newId(),
        workspaceId: INSTANCES,
        puts: [
          {
            kind: "lease",
            id: this.instance,
            version: this.#version,
            value: JSON.stringify({ ...this.#host.self, until } satisfies Held),
            indexes: [LEASE_INDEX],
            due: until,
          },
        ],
        entries: [],
      });
      if (applied.ok) {
        this.#version++;
        this.#until = until;
        return;
      }
      // Others took us for dead, or a reply was lost: go on from what stands there.
      this.#version = applied.current?.version ?? 0;
    }
    throw new CountersignError("store_failed", "This instance could not get its lease, so it starts nothing.");
  }

  #arm(): void {
    this.#cancelTimer ??= this.#clock.timer(RENEW_EVERY, () => {
      this.#cancelTimer = undefined;
      if (this.#running === 0) return;
      this.#until = 0;
      // A lease that cannot be renewed runs out; the next claim here is then refused.
      Promise.resolve(this.held()).then(
        () => this.#arm(),
        () => this.#arm(),
      );
    });
  }
}
