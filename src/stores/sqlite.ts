import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { systemClock } from "../core/clock.js";
import { CountersignError } from "../core/errors.js";
import type {
  Applied,
  Change,
  ChangeRef,
  Clock,
  Entry,
  Erasure,
  Head,
  Kind,
  NewEntry,
  Store,
  StoredRecord,
} from "../core/ports.js";
import { isBusy, isFatal, SqliteFile } from "./sqlite/file.js";
import { packGroup } from "./sqlite/message.js";
import { Writer } from "./sqlite/writer.js";

/** For what a host keeps beside it: its folder, and the same driver for tables of its own. */
export { makeFolder } from "../folder.js";
export { type Database, openDatabase, type Statement } from "./sqlite/driver.js";

export interface SqliteOptions {
  readonly clock?: Clock;
  /** Where the writing thread's module is, for bundles; `false` writes on the main thread. */
  readonly worker?: URL | false;
  /** Called when a flush failed. By default the process ends: nobody knows then what is on the disk. */
  readonly onFatal?: (error: Error) => void;
}

/** How long a writer waits for another process that is writing. */
const BUSY_TIMEOUT = 10_000;
/** While the disk answers faster than this, a lone change is written at once instead of being handed to the other thread. */
const FAST_COMMIT = 4;
/** Where groups were larger than this of late, others are at work on this thread and must not wait for the disk. */
const ALONE = 1.1;
const WATCH_EVERY = 200;

/** One file on one machine: durable when acknowledged, shared safely by processes on that machine. */
export function sqliteStore(path: string, options: SqliteOptions = {}): Store {
  if (path === "" || path === ":memory:") {
    throw new CountersignError(
      "invalid_call",
      "The SQLite store needs a file. For a store in memory use memoryStore().",
    );
  }
  return new SqliteStore(path, options);
}

class SqliteStore implements Store {
  /** The writing thread has the next one at hand when it is done with one, even while this thread is at work. */
  readonly groupsAtOnce = 2;
  readonly #file: SqliteFile;
  readonly #clock: Clock;
  readonly #onFatal: (error: Error) => void;
  #writer: Writer | undefined;
  /** After a failed flush a second try may seem to succeed although the data is gone: nothing is written any more. */
  #fatal: Error | undefined;
  readonly #listeners = new Set<() => void>();
  /** How long a commit on this thread took of late, on average: now and then one has the log to empty as well. */
  #usualCommit = 0;
  /** How many changes a group had of late, on average. */
  #usualGroup = 1;
  #dataVersion = 0;
  #cancelWatch: (() => void) | undefined;
  #closed = false;

  constructor(path: string, options: SqliteOptions) {
    this.#clock = options.clock ?? systemClock;
    const onFatal = options.onFatal ?? endProcess;
    this.#onFatal = (error) => {
      this.#fatal = error;
      onFatal(error);
    };
    this.#file = new SqliteFile(path, BUSY_TIMEOUT);
    this.#writer = startWriter(path, options.worker, this.#onFatal);
    // With a writer to fall back on, the main thread never waits for another process.
    if (this.#writer !== undefined) this.#file.setBusyTimeout(0);
  }

  async commit(group: readonly Change[]): Promise<readonly Applied[]> {
    this.#checkUsable();
    this.#usualGroup += (group.length - this.#usualGroup) / 10;
    const applied = this.#commitHere(group) ?? (await this.#commitThere(group));
    this.#hint();
    return applied;
  }

  #checkUsable(): void {
    if (this.#closed) throw new CountersignError("closed", "This store is closed.");
    if (this.#fatal !== undefined) {
      const cause = this.#fatal;
      throw new CountersignError("store_failed", "The disk did not confirm an earlier write. Restart.", { cause });
    }
    if (this.#writer?.stopped) {
      this.#writer = undefined;
      this.#file.setBusyTimeout(BUSY_TIMEOUT);
    }
  }

  #hint(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Writes on this thread when that is quick and nobody waits behind it, as when one agent asks one thing after the other. */
  #commitHere(group: readonly Change[]): readonly Applied[] | undefined {
    const alone =
      group.length === 1 && this.#usualGroup < ALONE && !this.#writer?.busy && this.#usualCommit < FAST_COMMIT;
    if (this.#writer !== undefined && !alone) {
      // Forgotten slowly, so that a slow disk is tried again.
      this.#usualCommit *= 0.9;
      return undefined;
    }
    const started = performance.now();
    try {
      const applied = this.#file.commit(group, () => this.#clock.now());
      if (this.#file.log.takeFull()) (this.#writer ?? this.#file).emptyLog();
      return applied;
    } catch (error) {
      if (this.#writer !== undefined && isBusy(error)) return undefined;
      throw this.#failure(error);
    } finally {
      this.#usualCommit += (performance.now() - started - this.#usualCommit) / 4;
    }
  }

  #commitThere(group: readonly Change[]): Promise<readonly Applied[]> {
    if (this.#writer === undefined) throw new CountersignError("store_failed", "The SQLite file is busy.");
    const packed = packGroup(group);
    return this.#writer.write(
      this.#clock === systemClock ? { group: packed } : { group: packed, now: this.#clock.now() },
    );
  }

  async changed(changes: readonly ChangeRef[]): Promise<ReadonlyMap<string, Extract<Applied, { ok: true }>>> {
    return this.#file.changed(changes);
  }

  async get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    return this.#file.get(kind, id);
  }

  async list(index: string, after: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#file.list(index, after, limit);
  }

  async latest(index: string, before: string, limit: number): Promise<readonly StoredRecord[]> {
    return this.#file.latest(index, before, limit);
  }

  async due(kind: Kind, limit: number): Promise<readonly StoredRecord[]> {
    return this.#file.due(kind, this.time(), limit);
  }

  async count(key: string): Promise<number> {
    return this.#file.count(key, this.time());
  }

  async entries(workspaceId: string, after: number, limit: number): Promise<readonly Entry[]> {
    return this.#file.entries(workspaceId, after, limit);
  }

  async erase(refs: Erasure, entry: NewEntry): Promise<void> {
    await this.#waitingForOthers(() => this.#file.erase(refs, entry, () => this.#clock.now()));
  }

  async checkpoint(workspaceId: string, signed?: string): Promise<Head & { readonly signed?: string }> {
    if (signed !== undefined) await this.#waitingForOthers(() => this.#file.sign(workspaceId, signed));
    return this.#file.head(workspaceId);
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#scheduleWatch();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#cancelWatch?.();
    };
  }

  time(): number {
    return this.#clock.now();
  }

  promises() {
    const text = "Kept in an SQLite file: what was acknowledged survives a crash and a power cut, on this machine.";
    return { engine: "sqlite", durable: true, shared: true, text };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelWatch?.();
    this.#listeners.clear();
    await this.#writer?.close();
    this.#file.close();
  }

  /** Rare writes of their own: they may wait for another process on this thread. */
  async #waitingForOthers(write: () => void): Promise<void> {
    this.#checkUsable();
    this.#file.setBusyTimeout(BUSY_TIMEOUT);
    try {
      write();
    } catch (error) {
      throw this.#failure(error);
    } finally {
      if (this.#writer !== undefined) this.#file.setBusyTimeout(0);
    }
    this.#hint();
  }

  #failure(error: unknown): CountersignError {
    if (error instanceof CountersignError) return error;
    if (isFatal(error)) this.#onFatal(error as Error);
    return new CountersignError("store_failed", (error as Error).message, { cause: error });
  }

  /** Another process's commits show in the file; looking for them costs a few microseconds. */
  #scheduleWatch(): void {
    this.#cancelWatch?.();
    this.#cancelWatch = systemClock.timer(WATCH_EVERY, () => {
      if (this.#closed || this.#listeners.size === 0) return;
      const version = this.#file.dataVersion();
      if (version !== this.#dataVersion) this.#hint();
      this.#dataVersion = version;
      this.#scheduleWatch();
    });
  }
}

function startWriter(
  path: string,
  worker: URL | false | undefined,
  onFatal: (error: Error) => void,
): Writer | undefined {
  if (worker === false) return undefined;
  const url = worker ?? new URL("./sqlite-worker.js", import.meta.url);
  if (url.protocol === "file:" && !existsSync(fileURLToPath(url))) {
    process.emitWarning(
      "The SQLite store found no writing thread beside it and writes on the main thread. " +
        'In a bundle, pass sqliteStore(path, { worker: new URL(…) }) with the entry "countersign/stores/sqlite-worker".',
      { code: "COUNTERSIGN_NO_WORKER" },
    );
    return undefined;
  }
  return new Writer(url, path, BUSY_TIMEOUT, onFatal);
}

function endProcess(error: Error): never {
  process.stderr.write(
    `countersign: the disk did not confirm a write (${error.message}). Ending, so that nothing is acknowledged that may be lost.\n`,
  );
  process.exit(70);
}
