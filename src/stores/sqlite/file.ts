import { ERASED } from "../../core/audit.js";
import { CountersignError } from "../../core/errors.js";
import { newId } from "../../core/ids.js";
import type {
  Applied,
  Change,
  ChangeRef,
  Entry,
  Erasure,
  Head,
  Kind,
  NewEntry,
  StoredRecord,
} from "../../core/ports.js";
import { isStorable } from "../../core/storable.js";
import { applyGroup, emptyHead } from "../apply.js";
import { type Database, openDatabase, rollBack, type Statement } from "./driver.js";
import { Log } from "./log.js";
import { SqliteReader } from "./reader.js";
import { migrate } from "./schema.js";
import { SqliteTables } from "./tables.js";

/** One connection. A worker and the main thread each have their own to the same file; SQLite's lock keeps writers apart. */
export class SqliteFile {
  readonly #database: Database;
  readonly #reader: SqliteReader;
  readonly #tables: SqliteTables;
  readonly log: Log;
  readonly #begin: Statement;
  readonly #end: Statement;

  constructor(path: string, busyTimeout: number) {
    this.#database = openDatabase(path);
    try {
      // FULL: what was acknowledged survives power loss. macOS only promises that with its own full flush.
      // Secure delete: what is erased or replaced must not stay readable in pages that are free.
      const settings = `
        PRAGMA busy_timeout = ${busyTimeout};
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA fullfsync = ON;
        PRAGMA checkpoint_fullfsync = ON;
        PRAGMA secure_delete = ON;
        PRAGMA foreign_keys = ON;
      `;
      untilFree(() => this.#database.exec(settings), busyTimeout);
      migrate(this.#database, path);
      this.#reader = new SqliteReader(this.#database);
      this.#tables = new SqliteTables(this.#database, this.#reader);
      this.log = new Log(this.#database);
      this.#begin = this.#database.prepare("BEGIN IMMEDIATE");
      this.#end = this.#database.prepare("COMMIT");
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  setBusyTimeout(milliseconds: number): void {
    this.#database.exec(`PRAGMA busy_timeout = ${milliseconds}`);
  }

  /** One transaction, one flush, for the whole group. */
  commit(group: readonly Change[], now: () => number): Applied[] {
    try {
      return this.#apply(group, now);
    } catch (error) {
      if (!isOfTheChange(error)) throw error;
    }
    // Something in the group cannot be written: each gets its own transaction, and only the broken one fails.
    return group.flatMap((change): Applied[] => {
      try {
        return this.#apply([change], now);
      } catch (error) {
        // Those before it stay written: the caller learns from `changed` which.
        if (!isOfTheChange(error)) throw error;
        return [{ ok: false, refused: "broken", problem: (error as Error).message, time: now(), epoch: 0 }];
      }
    });
  }

  erase({ workspaceId, seqs, records = [] }: Erasure, entry: NewEntry, now: () => number): void {
    this.#transaction(false, () => {
      const change = { changeId: newId(), workspaceId, puts: [], entries: [entry] };
      if (applyGroup(this.#tables, [change], now).some(({ ok }) => !ok))
        throw new CountersignError("invalid_change", "The erasure was not well formed; nothing was erased.");
      for (const seq of seqs) {
        const [found] = this.#reader.entries(workspaceId, seq - 1, 1);
        if (found?.seq === seq && found.type !== ERASED) this.#tables.eraseEntry(found);
      }
      for (const { kind, id } of records) if (isStorable(id)) this.#tables.remove(kind, id);
    });
    // The log still holds what it was written from; emptied, it holds nothing. A reader may put this off until it has ended.
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  sign(workspaceId: string, signed: string): void {
    if (!isStorable(workspaceId) || !isStorable(signed))
      throw new CountersignError("invalid_change", "A checkpoint is text without NUL characters.");
    this.#transaction(false, () => this.#tables.sign(workspaceId, signed));
  }

  changed(changes: readonly ChangeRef[]): Map<string, Extract<Applied, { ok: true }>> {
    return this.#reader.changed(
      changes.filter((change) => isStorable(change.changeId) && isStorable(change.workspaceId)),
    );
  }

  get(kind: Kind, id: string): StoredRecord | undefined {
    return isStorable(id) ? this.#reader.record(kind, id) : undefined;
  }

  list(index: string, after: string, limit: number): StoredRecord[] {
    if (!isStorable(index) || !isStorable(after)) return [];
    return this.#reader.list(index, after, limit);
  }

  latest(index: string, before: string, limit: number): StoredRecord[] {
    if (!isStorable(index) || !isStorable(before)) return [];
    return this.#reader.latest(index, before, limit);
  }

  due(kind: Kind, now: number, limit: number): StoredRecord[] {
    return this.#reader.due(kind, now, limit);
  }

  count(key: string, now: number): number {
    return isStorable(key) ? this.#reader.count(key, now) : 0;
  }

  entries(workspaceId: string, after: number, limit: number): Entry[] {
    return isStorable(workspaceId) ? this.#reader.entries(workspaceId, after, limit) : [];
  }

  head(workspaceId: string): Head & { readonly signed?: string } {
    return isStorable(workspaceId) ? this.#reader.head(workspaceId) : emptyHead(workspaceId);
  }

  dataVersion(): number {
    return this.#reader.dataVersion();
  }

  emptyLog(): void {
    this.log.empty();
  }

  /** Empties the log into the file first. What others who are at work leave there is read from the log next time. */
  close(): void {
    try {
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // A full disk: the log holds everything.
    }
    this.#database.close();
  }

  #apply(group: readonly Change[], now: () => number): Applied[] {
    this.log.wrote(group.length);
    return this.#applyTrusting(group, now) ?? this.#transaction(false, () => applyGroup(this.#tables, group, now));
  }

  /** Saves the look whether what is new is: SQLite sees it when it is written. Undefined where that must be looked at first. */
  #applyTrusting(group: readonly Change[], now: () => number): Applied[] | undefined {
    try {
      return this.#transaction(true, () => {
        const applied = applyGroup(this.#tables, group, now);
        if (applied.some((answer, index) => isDoubtful(answer, group[index] as Change))) throw new Doubt();
        return applied;
      });
    } catch (error) {
      if (error instanceof Doubt || resultCode(error) === CONSTRAINT) return undefined;
      throw error;
    }
  }

  #transaction<T>(trusting: boolean, run: () => T): T {
    this.#begin.run();
    try {
      this.#tables.begin(trusting);
      const result = run();
      this.#tables.flush();
      this.#end.run();
      return result;
    } catch (error) {
      rollBack(this.#database);
      this.#tables.undone();
      throw error;
    }
  }
}

class Doubt extends Error {}

/** Refused, with something in it that was only taken for new: nothing is written that would show whether it is. */
function isDoubtful(answer: Applied, { puts, unique = [] }: Change): boolean {
  if (answer.ok || answer.refused === "broken") return false;
  return puts.some(({ version }) => version === 0) || unique.some(({ until }) => until > 0);
}

const BUSY = 5;
const IO_ERROR = 10;
const CONSTRAINT = 19;
/** Too big, against a constraint, of the wrong type, out of range. */
const OF_THE_CHANGE: readonly (number | undefined)[] = [18, CONSTRAINT, 20, 25];

/** SQLite itself does not wait where a new file gets its log: of several processes that create it, all but one try again. */
function untilFree(run: () => void, patience: number): void {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Another connection is writing. Nothing happened. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY;
}

/** After a failed flush nobody knows what is on the disk: the process must end rather than go on from memory. */
export function isFatal(error: unknown): boolean {
  return resultCode(error) === IO_ERROR;
}

/** The change cannot be written whenever it is tried. Errors without a code were thrown before SQLite saw anything. */
function isOfTheChange(error: unknown): boolean {
  const code = resultCode(error);
  return code === undefined || OF_THE_CHANGE.includes(code);
}

/** The primary result code is in the lowest byte; drivers name the field differently. */
function resultCode(error: unknown): number | undefined {
  const { errcode, code, sqliteCode } = (error ?? {}) as { errcode?: unknown; code?: unknown; sqliteCode?: unknown };
  const found = [errcode, sqliteCode, code].find((value) => typeof value === "number");
  return found === undefined ? undefined : found & 0xff;
}
