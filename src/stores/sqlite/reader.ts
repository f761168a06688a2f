import type { Applied, ChangeRef, Entry, Head, Kind, StoredRecord } from "../../core/ports.js";
import { countAt, emptyHead } from "../apply.js";
import { KIND_CODES } from "../kind-codes.js";
import type { Database, Statement } from "./driver.js";
import { packId } from "./ids.js";
import { type CountRow, type EntryRow, type HeadRow, type RecordRow, toEntry, toHead, toRecord } from "./rows.js";
import { COUNT, ENTRY_KEY, HEAD, prepareAll } from "./statements.js";

/** What is read outside of any transaction, or of rows that the present one has not written. */
export class SqliteReader {
  readonly #sql: Record<keyof typeof STATEMENTS, Statement>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, STATEMENTS);
  }

  head(workspaceId: string): Head & { readonly signed?: string } {
    const row = this.#sql.head.get(workspaceId) as HeadRow | undefined;
    if (row === undefined) return emptyHead(workspaceId);
    return { ...toHead(workspaceId, row), ...(row.signed === null ? {} : { signed: row.signed }) };
  }

  record(kind: Kind, id: string): StoredRecord | undefined {
    const row = this.#sql.record.get(KIND_CODES[kind], packId(id)) as Pick<RecordRow, "version" | "value"> | undefined;
    return row && { kind, id, version: row.version, value: row.value };
  }

  list(index: string, after: string, limit: number): StoredRecord[] {
    const rows = this.#sql.listed.all(index, after === "" ? "" : packId(after), limit);
    return (rows as RecordRow[]).map(toRecord);
  }

  latest(index: string, before: string, limit: number): StoredRecord[] {
    const rows = before === "" ? this.#sql.last.all(index, limit) : this.#sql.latest.all(index, packId(before), limit);
    return (rows as RecordRow[]).map(toRecord);
  }

  due(kind: Kind, now: number, limit: number): StoredRecord[] {
    return (this.#sql.due.all(KIND_CODES[kind], now, limit) as RecordRow[]).map(toRecord);
  }

  count(key: string, now: number): number {
    return countAt({ count: () => this.#sql.count.get(key) as CountRow | undefined }, key, now);
  }

  entries(workspaceId: string, after: number, limit: number): Entry[] {
    const rows = this.#sql.entries.all(workspaceId, after, workspaceId, 2 ** 40 - 1, limit) as EntryRow[];
    return rows.map((row) => toEntry(workspaceId, row));
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

  /** Changes whenever another connection, of this process or another, has committed. */
  dataVersion(): number {
    return (this.#sql.dataVersion.get() as { data_version: number }).data_version;
  }
}

/** How far back a change whose reply was lost is looked for: far more than can be in flight. */
const RECENT = 50_000;

const LISTED = `SELECT record.kind, record.id, record.version, record.value FROM keyed
  JOIN record ON record.kind = keyed.kind AND record.id = keyed.id WHERE keyed.key = ?`;

const STATEMENTS = {
  head: HEAD,
  record: "SELECT version, value FROM record WHERE kind = ? AND id = ?",
  listed: `${LISTED} AND keyed.id > ? ORDER BY keyed.id LIMIT ?`,
  latest: `${LISTED} AND keyed.id < ? ORDER BY keyed.id DESC LIMIT ?`,
  last: `${LISTED} ORDER BY keyed.id DESC LIMIT ?`,
  due: "SELECT kind, id, version, value FROM record WHERE kind = ? AND due <= ? ORDER BY due LIMIT ?",
  count: COUNT,
  entries: `SELECT n & ((1 << 40) - 1) AS seq, time, type, ref, salt, content, erased, hash FROM entry
    WHERE n > ${ENTRY_KEY} AND n < ${ENTRY_KEY} ORDER BY n LIMIT ?`,
  changed: `SELECT entry.time AS time, entry.n & ((1 << 40) - 1) AS seq, workspace.epoch AS epoch FROM workspace
    JOIN entry ON entry.n BETWEEN (workspace.n << 40) + max(workspace.seq - ${RECENT}, 0) AND (workspace.n << 40) + workspace.seq
    WHERE workspace.id = ? AND entry.change = ?`,
  dataVersion: "PRAGMA data_version",
} as const;
