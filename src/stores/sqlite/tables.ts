import type { Change, Entry, Head, Kind, Put, StoredRecord } from "../../core/ports.js";
import { emptyHead, type Tables } from "../apply.js";
import { KIND_CODES } from "../kind-codes.js";
import type { Database, Statement } from "./driver.js";
import { packType } from "./entry-types.js";
import { packId } from "./ids.js";
import { KnownRows } from "./known-rows.js";
import type { SqliteReader } from "./reader.js";
import { type CountRow, type HeadRow, type HeldRow, toHead } from "./rows.js";
import { COUNT, ENTRY_KEY, HEAD, prepareAll } from "./statements.js";
import { WaitingRows } from "./waiting-rows.js";

interface Workspace {
  readonly n: number;
  head: Head;
  changed: boolean;
}

/**
 * What one transaction reads and writes. A group is judged in memory and written at its end by a few statements: `begin` forgets
 * heads and counters, `flush` writes everything, and in between the file is locked.
 */
export class SqliteTables implements Tables {
  readonly #sql: Record<keyof typeof STATEMENTS, Statement>;
  readonly #reader: SqliteReader;
  readonly #known: KnownRows;
  readonly #waiting: WaitingRows;
  /** The records whose rows wait. */
  readonly #put = new Set<string>();
  readonly #workspaces = new Map<string, Workspace>();
  readonly #counts = new Map<string, CountRow | undefined>();
  readonly #changedCounts = new Set<string>();

  constructor(database: Database, reader: SqliteReader) {
    this.#sql = prepareAll(database, STATEMENTS);
    this.#reader = reader;
    this.#known = new KnownRows(database);
    this.#waiting = new WaitingRows(database);
  }

  begin(): void {
    this.#known.keepUnder(this.#reader.dataVersion());
    this.#workspaces.clear();
    this.#counts.clear();
    this.#changedCounts.clear();
  }

  flush(): void {
    this.#write();
    for (const { n, head, changed } of this.#workspaces.values()) {
      if (changed) this.#sql.setHead.run(head.seq, head.hash, head.time, head.epoch, head.paused ? 1 : 0, n);
    }
    for (const key of this.#changedCounts) {
      const count = this.#counts.get(key);
      if (count === undefined) this.#sql.freeCount.run(key);
      else this.#sql.setCount.run(key, count.value, count.until);
    }
  }

  /** The transaction came to nothing. */
  undone(): void {
    this.#waiting.clear();
    this.#put.clear();
    this.#known.forget();
  }

  foresee(group: readonly Change[]): void {
    if (group.length > 1) this.#known.foresee(group);
  }

  head(workspaceId: string): Head {
    return this.#workspace(workspaceId).head;
  }

  setHead(head: Head): void {
    const workspace = this.#workspace(head.workspaceId);
    workspace.head = head;
    workspace.changed = true;
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
    const code = KIND_CODES[kind];
    if (this.#put.has(code + id)) this.#write();
    this.#put.add(code + id);
    const packed = packId(id);
    const before = this.#known.place(kind, id);
    const old = before?.keys ?? [];
    const keys = indexes.length === 0 ? null : JSON.stringify(indexes);
    const n = before?.n ?? this.#known.newRow(kind);
    if (before === undefined) this.#waiting.inserts.add(n, code, packed, value, keys, due ?? null);
    else this.#waiting.updates.add(n, value, keys, due ?? null);
    for (const key of old) if (!indexes.includes(key)) this.#waiting.unlist(key, code, packed);
    for (const key of indexes) if (!old.includes(key)) this.#waiting.lists.add(key, code, packed);
    this.#known.setPlace(kind, id, { n, version: (before?.version ?? 0) + 1, keys: indexes });
  }

  remove(kind: Kind, id: string): void {
    this.#write();
    const packed = packId(id);
    const code = KIND_CODES[kind];
    for (const key of this.#known.place(kind, id)?.keys ?? []) this.#waiting.unlist(key, code, packed);
    this.#sql.remove.run(code, packed);
    this.#known.setPlace(kind, id, undefined);
    this.#put.add(code + id);
  }

  unique(key: string): HeldRow | undefined {
    return this.#known.held(key);
  }

  setUnique(key: string, id: string, until: number): void {
    const held = until <= 0 ? undefined : { id, until };
    this.#known.setHeld(key, held);
    this.#waiting.hold(key, held);
  }

  count(key: string): CountRow | undefined {
    if (!this.#counts.has(key)) this.#counts.set(key, this.#sql.count.get(key) as CountRow | undefined);
    return this.#counts.get(key);
  }

  setCount(key: string, value: number, until: number): void {
    this.#counts.set(key, value === 0 ? undefined : { value, until });
    this.#changedCounts.add(key);
  }

  append({ workspaceId, seq, time, type, ref, salt, content, hash }: Entry, changeId: string | undefined): void {
    const { n } = this.#workspace(workspaceId);
    const change = changeId === undefined ? null : packId(changeId);
    const about = ref === "" ? null : packId(ref);
    this.#waiting.entries.add(n, seq, time, change, packType(type), about, salt, content, hash);
  }

  eraseEntry({ workspaceId, seq, contentHash: kept }: Entry): void {
    this.#sql.erase.run(kept, workspaceId, seq);
  }

  sign(workspaceId: string, signed: string): void {
    this.#sql.sign.run(signed, this.#workspace(workspaceId).n);
  }

  #write(): void {
    this.#waiting.write();
    this.#put.clear();
  }

  #workspace(workspaceId: string): Workspace {
    const known = this.#workspaces.get(workspaceId);
    if (known !== undefined) return known;
    let row = this.#sql.head.get(workspaceId) as HeadRow | undefined;
    if (row === undefined) {
      this.#sql.addHead.run(workspaceId, emptyHead(workspaceId).hash);
      row = this.#sql.head.get(workspaceId) as HeadRow;
    }
    const workspace = { n: row.n, head: toHead(workspaceId, row), changed: false };
    this.#workspaces.set(workspaceId, workspace);
    return workspace;
  }
}

const STATEMENTS = {
  head: HEAD,
  addHead: "INSERT INTO workspace (id, seq, hash, time, epoch, paused) VALUES (?, 0, ?, 0, 0, 0)",
  setHead: "UPDATE workspace SET seq = ?, hash = ?, time = ?, epoch = ?, paused = ? WHERE n = ?",
  sign: "UPDATE workspace SET signed = ? WHERE n = ?",
  remove: "DELETE FROM record WHERE kind = ? AND id = ?",
  count: COUNT,
  setCount: `INSERT INTO counted (key, value, until) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until`,
  freeCount: "DELETE FROM counted WHERE key = ?",
  erase: `UPDATE entry SET salt = NULL, content = NULL, erased = ? WHERE n = ${ENTRY_KEY}`,
} as const;
