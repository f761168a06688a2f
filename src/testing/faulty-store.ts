import { CountersignError } from "../core/errors.js";
import type {
  Applied,
  Change,
  ChangeRef,
  Entry,
  Erasure,
  Head,
  Kind,
  NewEntry,
  Store,
  StoredRecord,
} from "../core/ports.js";

/**
 * `before-commit`: nothing is written. `after-commit`: everything is written and the reply is lost. `changed`: the question
 * after a lost reply fails. `read`: any other read fails.
 */
export type Fault = "before-commit" | "after-commit" | "changed" | "read";

export interface FaultyStore extends Store {
  /** The next time, or the next few times, this goes wrong. */
  failNext(fault: Fault, times?: number): void;
  /** From here on nothing goes wrong any more. */
  mend(): void;
  /** Every commit waits, before it writes anything, until the returned function is called. */
  holdCommits(): () => void;
  /** The groups handed to `commit` so far, those that failed too. */
  readonly groups: readonly (readonly Change[])[];
}

/** A real store that fails on cue, so that tests can stand at every point where a crash or a cut line would hurt. */
export function faultyStore(store: Store): FaultyStore {
  return new FailingStore(store);
}

class FailingStore implements FaultyStore {
  readonly groups: (readonly Change[])[] = [];
  readonly #store: Store;
  readonly #failures = new Map<Fault, number>();
  #held: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  failNext(fault: Fault, times = 1): void {
    this.#failures.set(fault, (this.#failures.get(fault) ?? 0) + times);
  }

  mend(): void {
    this.#failures.clear();
  }

  holdCommits(): () => void {
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#held = held;
    return () => {
      if (this.#held === held) this.#held = undefined;
      open();
    };
  }

  get groupsAtOnce(): number | undefined {
    return this.#store.groupsAtOnce;
  }

  commit(group: readonly Change[]): Promise<readonly Applied[]> {
    this.groups.push(group);
    return this.#write(() => this.#store.commit(group));
  }

  erase(refs: Erasure, entry: NewEntry): Promise<void> {
    return this.#write(() => this.#store.erase(refs, entry));
  }

  checkpoint(workspaceId: string, signed?: string): Promise<Head & { readonly signed?: string }> {
    const run = () => this.#store.checkpoint(workspaceId, signed);
    return signed === undefined ? this.#read(run) : this.#write(run);
  }

  async changed(changes: readonly ChangeRef[]): Promise<ReadonlyMap<string, Extract<Applied, { ok: true }>>> {
    this.#failIfAsked("changed");
    return this.#store.changed(changes);
  }

  get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    return this.#read(() => this.#store.get(kind, id));
  }

  list(index: string, after: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#read(() => this.#store.list(index, after, limit));
  }

  latest(index: string, before: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#read(() => this.#store.latest(index, before, limit));
  }

  due(kind: Kind, limit: number): Promise<readonly StoredRecord[]> {
    return this.#read(() => this.#store.due(kind, limit));
  }

  count(key: string): Promise<number> {
    return this.#read(() => this.#store.count(key));
  }

  entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]> {
    return this.#read(() => this.#store.entries(workspaceId, after, limit));
  }

  watch(listener: () => void): () => void {
    return this.#store.watch(listener);
  }

  time(): number {
    return this.#store.time();
  }

  promises() {
    return this.#store.promises();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #write<T>(run: () => Promise<T>): Promise<T> {
    await this.#held;
    this.#failIfAsked("before-commit");
    const written = await run();
    this.#failIfAsked("after-commit");
    return written;
  }

  async #read<T>(run: () => Promise<T>): Promise<T> {
    this.#failIfAsked("read");
    return run();
  }

  #failIfAsked(fault: Fault): void {
    const left = this.#failures.get(fault) ?? 0;
    if (left === 0) return;
    this.#failures.set(fault, left - 1);
    throw new CountersignError("store_failed", `The store failed at "${fault}", as the test asked.`);
  }
}
