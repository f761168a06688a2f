import { CountersignError } from "./errors.js";
import type { Applied, Change, Store } from "./ports.js";

/** How many changes may wait. Past that they are refused: a full queue must never turn into an approval. */
const MAX_WAITING = 20_000;
const MAX_GROUP = 512;
/** Fewer changes than this are not worth a flush of their own while the store still writes others. */
const FULL_GROUP = 32;
/** Groups at the store at once: one that it writes and one that it finds ready. */
const MAX_AT_STORE = 2;
/** How often a lost reply is asked after before the caller is told that the outcome is unknown. */
const SETTLE_ATTEMPTS = 5;

interface Waiting {
  readonly change: Change;
  readonly resolve: (applied: Applied) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One durable write serves everything that waits: while one group is being written, the next one gathers. Once that is as
 * large, it is sent on, so that the store and this process work at the same time instead of waiting for each other in turns: with
 * 256 calls in flight all of them would else be in the one group that is being written. The store may apply the two in any
 * order: whoever needs a change to be applied before another waits for its answer.
 */
export class Grouper {
  readonly #store: Store;
  readonly #waiting: Waiting[] = [];
  readonly #atStore = new Set<Promise<void>>();
  #changesAtStore = 0;
  #scheduled = false;
  #closed = false;

  constructor(store: Store) {
    this.#store = store;
  }

  commit(change: Change): Promise<Applied> {
    if (this.#closed) return Promise.reject(new CountersignError("closed", "This gate is closed."));
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(
        new CountersignError("queue_full", "Too many changes wait for the store. Nothing was done; try again."),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (this.#waiting.length >= FULL_GROUP) this.#send();
      else if (this.#atStore.size === 0) this.#schedule();
    });
  }

  /** Refuses what comes from now on and waits for what was accepted. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#send();
    while (this.#atStore.size > 0) await Promise.race(this.#atStore);
  }

  /** Lets every task that is ready add its change first: a group of many costs one write, like a group of one. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#atStore.size < this.#mayBeAtStore()) {
      const group = this.#waiting.splice(0, MAX_GROUP);
      this.#changesAtStore += group.length;
      const writing = this.#write(group).finally(() => {
        this.#changesAtStore -= group.length;
        this.#atStore.delete(writing);
        this.#send();
      });
      this.#atStore.add(writing);
    }
  }

  /** Equal halves share the work best; a smaller second group would cost a flush and save little waiting. */
  #mayBeAtStore(): number {
    return this.#waiting.length >= Math.max(FULL_GROUP, this.#changesAtStore) ? MAX_AT_STORE : 1;
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    try {
      const applied = await this.#store.commit(group.map((waiting) => waiting.change));
      group.forEach((waiting, index) => waiting.resolve(applied[index] as Applied));
    } catch (error) {
      await this.#settle(group, error);
    }
  }

  /** The reply was lost: what was applied is told so, and what left no trace is written once more. */
  async #settle(group: readonly Waiting[], error: unknown): Promise<void> {
    let cause = error;
    for (let attempt = 0; attempt < SETTLE_ATTEMPTS; attempt++) {
      try {
        const known = await this.#store.changed(group.map((waiting) => waiting.change));
        const lost = group.filter((waiting) => !known.has(waiting.change.changeId));
        for (const waiting of group) {
          const applied = known.get(waiting.change.changeId);
          if (applied) waiting.resolve(applied);
        }
        if (lost.length === 0) return;
        const applied = await this.#store.commit(lost.map((waiting) => waiting.change));
        lost.forEach((waiting, index) => waiting.resolve(applied[index] as Applied));
        return;
      } catch (again) {
        cause = again;
      }
    }
    const failed = new CountersignError(
      "store_failed",
      "The store did not answer. Ask again with the same key to learn the outcome.",
      { cause },
    );
    for (const waiting of group) waiting.reject(failed);
  }
}
