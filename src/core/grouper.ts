import { CountersignError } from "./errors.js";
import type { Applied, Change, Store } from "./ports.js";

/** How many changes may wait. Past that they are refused: a full queue must never turn into an approval. */
const MAX_WAITING = 20_000;
/** So that with hundreds in flight some are worked on while others are written, instead of all of both in turns. */
const MAX_GROUP = 128;
const LARGE_GROUP = MAX_GROUP / 2;
/** How often a lost reply is asked after before the caller is told that the outcome is unknown. */
const SETTLE_ATTEMPTS = 5;

interface Waiting {
  readonly change: Change;
  readonly resolve: (applied: Applied) => void;
  readonly reject: (error: Error) => void;
}

/** One durable write serves everything that waits: while one group is being written, the next one gathers. */
export class Grouper {
  readonly #store: Store;
  readonly #waiting: Waiting[] = [];
  readonly #serving = new Set<Promise<void>>();
  #atStore = 0;
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
      this.#sendSoon();
    });
  }

  /** Refuses what comes from now on and waits for what was accepted. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#waiting.length > 0 || this.#serving.size > 0) {
      await turn();
      await Promise.all(this.#serving);
    }
  }

  /** Lets every task that is ready add its change first: a group of many costs one write, like a group of one. */
  #sendSoon(): void {
    if (this.#scheduled || !this.#maySend()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  /** A store that takes several groups at once is given another one only where that is large: small ones better share a write. */
  #maySend(): boolean {
    if (this.#atStore === 0) return this.#waiting.length > 0;
    return this.#atStore < (this.#store.groupsAtOnce ?? 1) && this.#waiting.length >= LARGE_GROUP;
  }

  #send(): void {
    while (this.#maySend()) {
      const served = this.#serve(this.#waiting.splice(0, MAX_GROUP)).finally(() => this.#serving.delete(served));
      this.#serving.add(served);
    }
  }

  async #serve(group: readonly Waiting[]): Promise<void> {
    this.#atStore++;
    const tell = await this.#write(group);
    this.#atStore--;
    this.#send();
    // What waits is sent before anybody is told: the store is at work on it while those who are told go on.
    if (this.#atStore > 0) await turn();
    tell();
  }

  /** Writes one group and gives what tells everybody in it how it ended. Never rejects. */
  async #write(group: readonly Waiting[]): Promise<() => void> {
    try {
      const applied = await this.#store.commit(group.map(({ change }) => change));
      return () => group.forEach(({ resolve }, index) => resolve(applied[index] as Applied));
    } catch (error) {
      return this.#settle(group, error);
    }
  }

  /** The reply was lost: what was applied is told so, and what left no trace is written once more. */
  async #settle(group: readonly Waiting[], error: unknown): Promise<() => void> {
    const known = new Map<string, Applied>();
    const unknown = () => group.map(({ change }) => change).filter(({ changeId }) => !known.has(changeId));
    let cause = error;
    for (let attempt = 0; attempt < SETTLE_ATTEMPTS && unknown().length > 0; attempt++) {
      try {
        for (const [changeId, applied] of await this.#store.changed(unknown())) known.set(changeId, applied);
        const lost = unknown();
        if (lost.length === 0) break;
        const applied = await this.#store.commit(lost);
        lost.forEach(({ changeId }, index) => known.set(changeId, applied[index] as Applied));
      } catch (again) {
        cause = again;
      }
    }
    const failed = new CountersignError(
      "store_failed",
      "The store did not answer. Ask again with the same key to learn the outcome.",
      { cause },
    );
    return () => {
      for (const { change, resolve, reject } of group) {
        const applied = known.get(change.changeId);
        if (applied === undefined) reject(failed);
        else resolve(applied);
      }
    };
  }
}

/** Everything that is ready has its turn, and what was sent is on its way. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
