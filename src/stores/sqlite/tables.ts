import type { Change, Entry, Head, Kind, Put, StoredRecord } from "../../core/ports.js";
import type { Tables } from "../apply.js";
import { KIND_CODES } from "../kind-codes.js";
import type { Database, Statement } from "./driver.js";
import { packType } from "./entry-types.js";
import { packId } from "./ids.js";
import { KnownRows, type Workspace } from "./known-rows.js";
import type { SqliteReader } from "./reader.js";
import type { CountRow, HeldRow } from "./rows.js";
import { COUNTER, ENTRY_KEY, prepareAll } from "./statements.js";
import { WaitingRows } from "./waiting-rows.js";

/**
 * What one transaction reads and writes. A group is judged in memory and written at its end by a few statements, from `begin` to
 * `flush`; in between the file is locked.
 */
export class SqliteTables implements Tables {
  readonly #sql: Record<keyof typeof STATEMENTS, Statement>;
  readonly #reader: SqliteReader;
  readonly #known: KnownRows;
  readonly #waiting: WaitingRows;
  /** Counts what is written together. */
  #batch = 0;
  #trusting = false;
  readonly #changedHeads = new Set<Workspace>();
  readonly #changedCounts = new Set<string>();

  constructor(database: Database, reader: SqliteReader) {
    this.#sql = prepareAll(database, STATEMENTS);
    this.#reader = reader;
    this.#known = new KnownRows(database);
    this.#waiting = new WaitingRows(database);
  }

  /** Trusting: what a change wants to add is taken for new. Where it is not, a constraint fails in the end. */
  begin(trusting: boolean): void {
    this.#trusting = trusting;
    this.#known.keepUnder(this.#reader.dataVersion());
  }

  flush(): void {
    this.#write();
    for (const { n, head } of this.#changedHeads)
      this.#sql.setHead.run(head.seq, head.hash, head.time, head.epoch, head.paused ? 1 : 0, n);
    for (const key of this.#changedCounts) {
      const count = this.#known.count(key);
      if (count === undefined) this.#sql.freeCount.run(key);
      else this.#sql.setCount.run(key, count.value, count.until);
    }
    this.#changedHeads.clear();
    this.#changedCounts.clear();
  }

  /** The transaction came to nothing. */
  undone(): void {
    this.#waiting.clear();
    this.#changedHeads.clear();
    this.#changedCounts.clear();
    this.#known.forget();
  }

  foresee(group: readonly Change[]): void {
    if (this.#trusting) this.#known.assumeNew(group);
    if (group.length > 1) this.#known.foresee(group);
  }

  head(workspaceId: string): Head {
    return this.#known.workspace(workspaceId).head;
  }

  setHead(head: Head): void {
    const workspace = this.#known.workspace(head.workspaceId);
    workspace.head = head;
    this.#changedHeads.add(workspace);
  }

  record(kind: Kind, id: string): StoredRecord | undefined {
    this.#write();
    return this.#reader.record(kind, id);
  }

  version(kind: Kind, id: string): number {
    return this.#known.place(kind, id)?.version ?? 0;
  }

  put({ kind, id, value, indexes = [], due }: Put): void {
    if (value === null) return this.remove(kind, id);
    const before = this.#known.place(kind, id);
    if (before?.batch === this.#batch) this.#write();
    const packed = packId(id);
    const old = before?.keys ?? [];
    const keys = indexes.length === 0 ? null : JSON.stringify(indexes);
    const n = before?.n ?? this.#known.newRow(kind);
    if (before === undefined) this.#waiting.insert(kind, n, packed, value, keys, due ?? null);
    else this.#waiting.updates.add(n, value, keys, due ?? null);
    for (const key of old) if (!indexes.includes(key)) this.#waiting.unlist(kind, key, packed);
    for (const key of indexes) if (!old.includes(key)) this.#waiting.list(kind, key, packed);
    this.#known.setPlace(kind, id, { n, version: (before?.version ?? 0) + 1, keys: indexes, batch: this.#batch });
  }

  remove(kind: Kind, id: string): void {
    this.#write();
    const packed = packId(id);
    for (const key of this.#known.place(kind, id)?.keys ?? []) this.#waiting.unlist(kind, key, packed);
    this.#sql.remove.run(KIND_CODES[kind], packed);
    this.#known.setPlace(kind, id, undefined);
  }

  unique(key: string): HeldRow | undefined {
    return this.#known.held(key);
  }

  setUnique(key: string, id: string, until: number): void {
    if (this.#waiting.has(key)) this.#write();
    if (until <= 0) this.#waiting.free(key);
    else if (this.#known.held(key) === undefined) this.#waiting.take(key, id, until);
    else this.#waiting.keep(key, id, until);
    this.#known.setHeld(key, until <= 0 ? undefined : { id, until });
  }

  count(key: string): CountRow | undefined {
    return this.#known.count(key);
  }

  setCount(key: string, value: number, until: number): void {
    this.#known.setCount(key, value === 0 ? undefined : { value, until });
    this.#changedCounts.add(key);
  }

  append({ workspaceId, seq, time, type, ref, salt, content, hash }: Entry, changeId: string | undefined): void {
    const { n } = this.#known.workspace(workspaceId);
    const about = ref === "" ? null : packId(ref);
    const change = changeId === undefined ? null : packId(changeId);
    this.#waiting.entries.add(entryKey(n, seq), time, change, packType(type), about, salt, content, hash);
  }

  eraseEntry({ workspaceId, seq, contentHash: kept }: Entry): void {
    this.#sql.erase.run(kept, workspaceId, seq);
  }

  sign(workspaceId: string, signed: string): void {
    this.#sql.sign.run(signed, this.#known.workspace(workspaceId).n);
  }

  #write(): void {
    this.#waiting.write();
    this.#batch++;
  }
}

/** As `ENTRY_KEY` has it. SQLite reads a number that is too large for JavaScript from its digits. */
function entryKey(workspace: number, seq: number): number | string {
  const key = workspace * 2 ** 40 + seq;
  return Number.isSafeInteger(key) ? key : String(BigInt(workspace) * 2n ** 40n + BigInt(seq));
}

const STATEMENTS = {
  setHead: "UPDATE workspace SET seq = ?, hash = ?, time = ?, epoch = ?, paused = ? WHERE n = ?",
  sign: "UPDATE workspace SET signed = ? WHERE n = ?",
  remove: "DELETE FROM record WHERE kind = ? AND id = ?",
  setCount: `INSERT INTO keyed (key, id, kind, value, until) VALUES (?, '', '#', ?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value, until = excluded.until`,
  freeCount: `DELETE FROM keyed WHERE key = ? AND ${COUNTER}`,
  erase: `UPDATE entry SET salt = NULL, content = NULL, erased = ? WHERE n = ${ENTRY_KEY}`,
} as const;
