import { contentHash } from "../../core/audit.js";
import type { Applied, ChangeRef, Entry, Head, Kind, Put, StoredRecord } from "../../core/ports.js";
import { emptyHead, type Tables } from "../apply.js";
import { KIND_CODES, kindOf } from "../kind-codes.js";
import type { Database, Statement } from "./driver.js";
import { packType, unpackType } from "./entry-types.js";
import { type Id, packId, unpackId } from "./ids.js";

interface HeadRow extends Omit<Head, "workspaceId" | "paused"> {
  readonly n: number;
  readonly paused: number;
  readonly signed: string | null;
}

interface EntryRow {
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  readonly ref: Id | null;
  readonly salt: Uint8Array | null;
  readonly content: string | null;
  readonly erased: Uint8Array | null;
  readonly hash: Uint8Array;
}

interface Workspace {
  readonly n: number;
  head: Head;
  changed: boolean;
}

/**
 * The statements of one connection, each prepared once. Heads and counters change with every change of a group but are read
 * once and written once for all of it: `begin` forgets them, `flush` writes them, and in between the file is locked.
 */
export class SqliteTables implements Tables {
  readonly #sql: Record<keyof typeof STATEMENTS, Statement>;
  readonly #workspaces = new Map<string, Workspace>();
  readonly #counts = new Map<string, { value: number; until: number } | undefined>();
  readonly #changedCounts = new Set<string>();
  /** The record whose version was read last. */
  #judged: (Place & { readonly kind: Kind; readonly id: string }) | undefined;

  constructor(database: Database) {
    const prepared = Object.entries(STATEMENTS).map(([name, text]) => [name, database.prepare(text)]);
    this.#sql = Object.fromEntries(prepared) as Record<keyof typeof STATEMENTS, Statement>;
  }

  begin(): void {
    this.#judged = undefined;
    this.#workspaces.clear();
    this.#counts.clear();
    this.#changedCounts.clear();
  }

  flush(): void {
    for (const { n, head, changed } of this.#workspaces.values()) {
      if (changed) this.#sql.setHead.run(head.seq, head.hash, head.time, head.epoch, head.paused ? 1 : 0, n);
    }
    for (const key of this.#changedCounts) {
      const count = this.#counts.get(key);
      if (count === undefined) this.#sql.freeCount.run(key);
      else this.#sql.setCount.run(key, count.value, count.until);
    }
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
    const row = this.#sql.record.get(KIND_CODES[kind], packId(id)) as { version: number; value: string } | undefined;
    return row && { kind, id, version: row.version, value: row.value };
  }

  version(kind: Kind, id: string): number {
    const row = this.#place(KIND_CODES[kind], packId(id));
    // The put that follows asks for the place of the very record whose version was judged.
    this.#judged = row && { kind, id, n: row.n, version: row.version, keys: row.keys };
    return row?.version ?? 0;
  }

  put({ kind, id, version, value, indexes = [], due }: Put): void {
    const packed = packId(id);
    const code = KIND_CODES[kind];
    const before = version === 0 ? undefined : this.#placeBefore(kind, id);
    const old = keysIn(before);
    for (const key of old) if (!indexes.includes(key)) this.#sql.unlist.run(key, packed, code);
    this.#judged = undefined;
    if (value === null) {
      this.#sql.remove.run(code, packed);
      return;
    }
    const keys = indexes.length === 0 ? null : JSON.stringify(indexes);
    if (before === undefined) this.#insertOf(kind).run(code, packed, value, keys, due ?? null);
    else this.#sql.update.run(value, keys, due ?? null, before.n);
    for (const key of indexes) if (!old.includes(key)) this.#sql.list.run(key, code, packed);
  }

  /** Calls are erased a day after their end: where they lie apart, whole pages become free and are used again. */
  #insertOf(kind: Kind): Statement {
    return kind === "call" ? this.#sql.insertApart : this.#sql.insert;
  }

  remove(kind: Kind, id: string): void {
    const packed = packId(id);
    const code = KIND_CODES[kind];
    for (const key of keysIn(this.#place(code, packed))) this.#sql.unlist.run(key, packed, code);
    this.#sql.remove.run(code, packed);
  }

  unique(key: string): { readonly id: string; readonly until: number } | undefined {
    return this.#sql.unique.get(key) as { id: string; until: number } | undefined;
  }

  setUnique(key: string, id: string, until: number): void {
    if (until <= 0) this.#sql.freeUnique.run(key);
    else this.#sql.setUnique.run(key, id, until);
  }

  count(key: string): { readonly value: number; readonly until: number } | undefined {
    if (!this.#counts.has(key))
      this.#counts.set(key, this.#sql.count.get(key) as { value: number; until: number } | undefined);
    return this.#counts.get(key);
  }

  setCount(key: string, value: number, until: number): void {
    this.#counts.set(key, value === 0 ? undefined : { value, until });
    this.#changedCounts.add(key);
  }

  append({ workspaceId, seq, time, type, ref, salt, content, hash }: Entry, changeId: string | undefined): void {
    const { n } = this.#workspace(workspaceId);
    const change = changeId === undefined ? null : packId(changeId);
    this.#sql.append.run(n, seq, time, change, packType(type), ref === "" ? null : packId(ref), salt, content, hash);
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

  #placeBefore(kind: Kind, id: string): Place | undefined {
    const judged = this.#judged;
    return judged?.kind === kind && judged.id === id ? judged : this.#place(KIND_CODES[kind], packId(id));
  }

  #place(code: string, id: Id): Place | undefined {
    return this.#sql.place.get(code, id) as Place | undefined;
  }

  // ── Reads outside a transaction ─────────────────────────────────────────────────────────────────────────────────────

  readHead(workspaceId: string): Head & { readonly signed?: string } {
    const row = this.#sql.head.get(workspaceId) as HeadRow | undefined;
    if (row === undefined) return emptyHead(workspaceId);
    return { ...toHead(workspaceId, row), ...(row.signed === null ? {} : { signed: row.signed }) };
  }

  sign(workspaceId: string, signed: string): void {
    this.#sql.sign.run(signed, this.#workspace(workspaceId).n);
  }

  list(index: string, after: string, limit: number): StoredRecord[] {
    return this.#sql.listed.all(index, after === "" ? "" : packId(after), limit).map(listedRecord);
  }

  latest(index: string, before: string, limit: number): StoredRecord[] {
    const rows = before === "" ? this.#sql.last.all(index, limit) : this.#sql.latest.all(index, packId(before), limit);
    return rows.map(listedRecord);
  }

  due(kind: Kind, now: number, limit: number): StoredRecord[] {
    const rows = this.#sql.due.all(KIND_CODES[kind], now, limit) as RecordRow[];
    return rows.map(({ id, version, value }) => ({ kind, id: unpackId(id), version, value }));
  }

  entriesAfter(workspaceId: string, after: number, limit: number): Entry[] {
    return (this.#sql.entries.all(workspaceId, after, workspaceId, 2 ** 40 - 1, limit) as EntryRow[]).map((row) =>
      toEntry(workspaceId, row),
    );
  }

  eraseEntry({ workspaceId, seq, contentHash: kept }: Entry): void {
    this.#sql.erase.run(kept, workspaceId, seq);
  }

  changed(changes: readonly ChangeRef[]): Map<string, Extract<Applied, { ok: true }>> {
    const found = new Map<string, Extract<Applied, { ok: true }>>();
    for (const { workspaceId, changeId } of changes) {
      const row = this.#sql.changed.get(workspaceId, packId(changeId)) as
        | { time: number; seq: number; epoch: number }
        | undefined;
      if (row !== undefined) found.set(changeId, { ok: true, ...row });
    }
    return found;
  }

  dataVersion(): number {
    return (this.#sql.dataVersion.get() as { data_version: number }).data_version;
  }
}

/** Where a record stands: its row, by which it is updated without looking for it again, and the keys that list it. */
interface Place {
  readonly n: number;
  readonly version: number;
  readonly keys: string | null;
}

function keysIn(place: Place | undefined): string[] {
  return JSON.parse(place?.keys ?? "[]") as string[];
}

interface RecordRow {
  readonly id: Id;
  readonly version: number;
  readonly value: string;
}

function listedRecord(row: unknown): StoredRecord {
  const { kind, id, version, value } = row as RecordRow & { readonly kind: string };
  return { kind: kindOf(kind), id: unpackId(id), version, value };
}

function toHead(workspaceId: string, { seq, hash, time, epoch, paused }: HeadRow): Head {
  return { workspaceId, seq, hash, time, epoch, paused: paused === 1 };
}

function toEntry(workspaceId: string, { seq, time, type, ref, salt, content, erased, hash }: EntryRow): Entry {
  const kept = erased ?? contentHash(salt ?? new Uint8Array(), content ?? "");
  return {
    workspaceId,
    seq,
    time,
    type: unpackType(type),
    ref: ref === null ? "" : unpackId(ref),
    salt,
    content,
    contentHash: kept,
    hash,
  };
}

/** An entry's key: 2⁴⁰ entries a workspace, eight million workspaces a file. */
const ENTRY_KEY = "((SELECT n FROM workspace WHERE id = ?) << 40) + ?";
/** How far back a change whose reply was lost is looked for: far more than can be in flight. */
const RECENT = 50_000;

const STATEMENTS = {
  head: "SELECT n, seq, hash, time, epoch, paused, signed FROM workspace WHERE id = ?",
  addHead: "INSERT INTO workspace (id, seq, hash, time, epoch, paused) VALUES (?, 0, ?, 0, 0, 0)",
  setHead: "UPDATE workspace SET seq = ?, hash = ?, time = ?, epoch = ?, paused = ? WHERE n = ?",
  sign: "UPDATE workspace SET signed = ? WHERE n = ?",
  record: "SELECT version, value FROM record WHERE kind = ? AND id = ?",
  place: "SELECT n, version, keys FROM record WHERE kind = ? AND id = ?",
  insert: "INSERT INTO record (kind, id, version, value, keys, due) VALUES (?, ?, 1, ?, ?, ?)",
  insertApart: `INSERT INTO record (n, kind, id, version, value, keys, due)
    VALUES ((SELECT coalesce(max(n), -(1 << 40)) + 1 FROM record WHERE n < 0), ?, ?, 1, ?, ?, ?)`,
  update: "UPDATE record SET version = version + 1, value = ?, keys = ?, due = ? WHERE n = ?",
  remove: "DELETE FROM record WHERE kind = ? AND id = ?",
  list: "INSERT INTO listed (key, kind, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  unlist: "DELETE FROM listed WHERE key = ? AND id = ? AND kind = ?",
  listed: `SELECT record.kind, record.id, record.version, record.value FROM listed
    JOIN record ON record.kind = listed.kind AND record.id = listed.id
    WHERE listed.key = ? AND listed.id > ? ORDER BY listed.id LIMIT ?`,
  latest: `SELECT record.kind, record.id, record.version, record.value FROM listed
    JOIN record ON record.kind = listed.kind AND record.id = listed.id
    WHERE listed.key = ? AND listed.id < ? ORDER BY listed.id DESC LIMIT ?`,
  last: `SELECT record.kind, record.id, record.version, record.value FROM listed
    JOIN record ON record.kind = listed.kind AND record.id = listed.id
    WHERE listed.key = ? ORDER BY listed.id DESC LIMIT ?`,
  due: "SELECT id, version, value FROM record WHERE kind = ? AND due <= ? ORDER BY due LIMIT ?",
  unique: "SELECT id, until FROM held WHERE key = ?",
  setUnique: `INSERT INTO held (key, id, until) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET id = excluded.id, until = excluded.until`,
  freeUnique: "DELETE FROM held WHERE key = ?",
  count: "SELECT value, until FROM counted WHERE key = ?",
  setCount: `INSERT INTO counted (key, value, until) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until`,
  freeCount: "DELETE FROM counted WHERE key = ?",
  append:
    "INSERT INTO entry (n, time, change, type, ref, salt, content, hash) VALUES ((? << 40) + ?, ?, ?, ?, ?, ?, ?, ?)",
  entries: `SELECT n & ((1 << 40) - 1) AS seq, time, type, ref, salt, content, erased, hash FROM entry
    WHERE n > ${ENTRY_KEY} AND n < ${ENTRY_KEY} ORDER BY n LIMIT ?`,
  erase: `UPDATE entry SET salt = NULL, content = NULL, erased = ? WHERE n = ${ENTRY_KEY}`,
  changed: `SELECT entry.time AS time, entry.n & ((1 << 40) - 1) AS seq, workspace.epoch AS epoch FROM workspace
    JOIN entry ON entry.n BETWEEN (workspace.n << 40) + max(workspace.seq - ${RECENT}, 0) AND (workspace.n << 40) + workspace.seq
    WHERE workspace.id = ? AND entry.change = ?`,
  dataVersion: "PRAGMA data_version",
} as const;
