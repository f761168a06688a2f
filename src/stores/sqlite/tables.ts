import { contentHash } from "../../core/audit.js";
import type { Applied, Entry, Head, Kind, Put, StoredRecord } from "../../core/ports.js";
import { emptyHead, type Tables } from "../apply.js";
import type { Database, Statement } from "./driver.js";

type Id = string | Uint8Array;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** UUIDs take 16 bytes instead of 36; any other id is kept as it is. */
export function packId(id: string): Id {
  return UUID.test(id) ? Buffer.from(id.replaceAll("-", ""), "hex") : id;
}

function unpackId(id: Id): string {
  if (typeof id === "string") return id;
  const hex = Buffer.from(id).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
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

interface WorkspaceRow extends Omit<Head, "workspaceId" | "paused"> {
  readonly n: number;
  readonly paused: number;
  readonly signed: string | null;
}

/** The statements, each prepared once per connection. */
export class SqliteTables implements Tables {
  readonly #sql: Record<keyof typeof STATEMENTS, Statement>;

  constructor(database: Database) {
    const prepared = Object.entries(STATEMENTS).map(([name, text]) => [name, database.prepare(text)]);
    this.#sql = Object.fromEntries(prepared) as Record<keyof typeof STATEMENTS, Statement>;
  }

  head(workspaceId: string): (Head & { readonly signed?: string }) | undefined {
    const row = this.#workspace(workspaceId);
    if (row === undefined) return undefined;
    const { seq, hash, time, epoch, paused, signed } = row;
    return { workspaceId, seq, hash, time, epoch, paused: paused === 1, ...(signed === null ? {} : { signed }) };
  }

  setHead({ workspaceId, seq, hash, time, epoch, paused }: Head): void {
    this.#sql.setHead.run(workspaceId, seq, hash, time, epoch, paused ? 1 : 0);
  }

  sign(workspaceId: string, signed: string): void {
    this.#sql.sign.run(signed, workspaceId);
  }

  record(kind: Kind, id: string): StoredRecord | undefined {
    const row = this.#sql.record.get(kind, packId(id)) as { version: number; value: string } | undefined;
    return row && { kind, id, version: row.version, value: row.value };
  }

  put({ kind, id, version, value, indexes = [], due }: Put): void {
    const packed = packId(id);
    if (version > 0) this.#unlist(kind, packed);
    if (value === null) {
      this.#sql.remove.run(kind, packed);
      return;
    }
    const keys = indexes.length === 0 ? null : JSON.stringify(indexes);
    this.#sql.put.run(kind, packed, version + 1, value, keys, due ?? null);
    for (const key of indexes) this.#sql.list.run(key, kind, packed);
  }

  remove(kind: Kind, id: string): void {
    const packed = packId(id);
    this.#unlist(kind, packed);
    this.#sql.remove.run(kind, packed);
  }

  unique(key: string): { readonly id: string; readonly until: number } | undefined {
    return this.#sql.unique.get(key) as { id: string; until: number } | undefined;
  }

  setUnique(key: string, id: string, until: number): void {
    if (until <= 0) this.#sql.freeUnique.run(key);
    else this.#sql.setUnique.run(key, id, until);
  }

  count(key: string): { readonly value: number; readonly until: number } | undefined {
    return this.#sql.count.get(key) as { value: number; until: number } | undefined;
  }

  setCount(key: string, value: number, until: number): void {
    if (value === 0) this.#sql.freeCount.run(key);
    else this.#sql.setCount.run(key, value, until);
  }

  append({ workspaceId, seq, time, type, ref, salt, content, hash }: Entry, changeId: string): void {
    if (this.#workspace(workspaceId) === undefined) this.setHead(emptyHead(workspaceId));
    this.#sql.append.run(
      workspaceId,
      seq,
      time,
      packId(changeId),
      type,
      ref === "" ? null : packId(ref),
      salt,
      content,
      hash,
    );
  }

  list(index: string, after: Id, limit: number): StoredRecord[] {
    const rows = this.#sql.listed.all(index, after, limit) as { kind: Kind; id: Id; version: number; value: string }[];
    return rows.map((row) => ({ ...row, id: unpackId(row.id) }));
  }

  due(kind: Kind, now: number, limit: number): StoredRecord[] {
    const rows = this.#sql.due.all(kind, now, limit) as { id: Id; version: number; value: string }[];
    return rows.map((row) => ({ kind, ...row, id: unpackId(row.id) }));
  }

  entriesAfter(workspaceId: string, after: number, limit: number): Entry[] {
    const rows = this.#sql.entries.all(workspaceId, after, limit) as unknown as EntryRow[];
    return rows.map((row) => toEntry(workspaceId, row));
  }

  entriesAt(workspaceId: string, seqs: readonly number[]): Entry[] {
    return seqs
      .flatMap((seq) => this.entriesAfter(workspaceId, seq - 1, 1))
      .filter((entry) => seqs.includes(entry.seq));
  }

  eraseEntry(workspaceId: string, { seq, contentHash: kept }: Entry): void {
    this.#sql.erase.run(kept, workspaceId, seq);
  }

  changed(changeIds: readonly string[]): Map<string, Extract<Applied, { ok: true }>> {
    const found = new Map<string, Extract<Applied, { ok: true }>>();
    for (const changeId of changeIds) {
      const row = this.#sql.changed.get(packId(changeId)) as { time: number; seq: number; epoch: number } | undefined;
      if (row !== undefined && row.seq !== null) found.set(changeId, { ok: true, ...row });
    }
    return found;
  }

  dataVersion(): number {
    return (this.#sql.dataVersion.get() as { data_version: number }).data_version;
  }

  #workspace(workspaceId: string): WorkspaceRow | undefined {
    return this.#sql.workspace.get(workspaceId) as WorkspaceRow | undefined;
  }

  #unlist(kind: Kind, id: Id): void {
    const row = this.#sql.keys.get(kind, id) as { keys: string | null } | undefined;
    for (const key of JSON.parse(row?.keys ?? "[]") as string[]) this.#sql.unlist.run(key, id, kind);
  }
}

function toEntry(workspaceId: string, { seq, time, type, ref, salt, content, erased, hash }: EntryRow): Entry {
  const kept = erased ?? contentHash({ salt: salt ?? new Uint8Array(), content: content ?? "" });
  return {
    workspaceId,
    seq,
    time,
    type,
    ref: ref === null ? "" : unpackId(ref),
    salt,
    content,
    contentHash: kept,
    hash,
  };
}

const WORKSPACE = "(SELECT n FROM workspace WHERE id = ?)";

const STATEMENTS = {
  workspace: "SELECT n, seq, hash, time, epoch, paused, signed FROM workspace WHERE id = ?",
  setHead: `INSERT INTO workspace (id, seq, hash, time, epoch, paused) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
    SET seq = excluded.seq, hash = excluded.hash, time = excluded.time, epoch = excluded.epoch, paused = excluded.paused`,
  sign: "UPDATE workspace SET signed = ? WHERE id = ?",
  record: "SELECT version, value FROM record WHERE kind = ? AND id = ?",
  keys: "SELECT keys FROM record WHERE kind = ? AND id = ?",
  put: `INSERT INTO record (kind, id, version, value, keys, due) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE
    SET version = excluded.version, value = excluded.value, keys = excluded.keys, due = excluded.due`,
  remove: "DELETE FROM record WHERE kind = ? AND id = ?",
  list: "INSERT INTO listed (key, kind, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  unlist: "DELETE FROM listed WHERE key = ? AND id = ? AND kind = ?",
  listed: `SELECT record.kind, record.id, record.version, record.value FROM listed
    JOIN record ON record.kind = listed.kind AND record.id = listed.id
    WHERE listed.key = ? AND listed.id > ? ORDER BY listed.id LIMIT ?`,
  due: "SELECT id, version, value FROM record WHERE kind = ? AND due <= ? ORDER BY due LIMIT ?",
  unique: "SELECT id, until FROM held WHERE key = ?",
  setUnique:
    "INSERT INTO held (key, id, until) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET id = excluded.id, until = excluded.until",
  freeUnique: "DELETE FROM held WHERE key = ?",
  count: "SELECT value, until FROM counted WHERE key = ?",
  setCount:
    "INSERT INTO counted (key, value, until) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until",
  freeCount: "DELETE FROM counted WHERE key = ?",
  append: `INSERT INTO entry (workspace, seq, time, change, type, ref, salt, content, hash) VALUES (${WORKSPACE}, ?, ?, ?, ?, ?, ?, ?, ?)`,
  entries: `SELECT seq, time, type, ref, salt, content, erased, hash FROM entry WHERE workspace = ${WORKSPACE} AND seq > ? ORDER BY seq LIMIT ?`,
  erase: `UPDATE entry SET salt = NULL, content = NULL, erased = ? WHERE workspace = ${WORKSPACE} AND seq = ?`,
  changed: `SELECT max(entry.time) AS time, max(entry.seq) AS seq, workspace.epoch AS epoch FROM entry
    JOIN workspace ON workspace.n = entry.workspace WHERE change = ?`,
  dataVersion: "PRAGMA data_version",
} as const;
