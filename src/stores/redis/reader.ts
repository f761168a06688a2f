import type { Applied, ChangeRef, Entry, Head, Kind, StoredRecord } from "../../core/ports.js";
import { Gatherer } from "../gatherer.js";
import type { Connection } from "./connection.js";
import { type Keys, rangeAfter, rangeBefore, recordOf } from "./keys.js";
import type { Known } from "./known.js";
import { changeIdOf, parseLine, toCount, toEntry, toHead, toRecord } from "./rows.js";

/** How far back a change whose reply was lost is looked for: far more than can be in flight. */
const RECENT = 50_000;
const PAGE = 1_000;

type Row = string | null;

interface RecordName {
  readonly kind: Kind;
  readonly id: string;
}

/** Everything that is read outside of a commit. */
export class Reader {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #known: Known;
  readonly #asked: Gatherer<RecordName, Row>;

  /** What is read is likely to be changed next, so that `known` is told how it begins. */
  constructor(connection: Connection, keys: Keys, known: Known) {
    this.#connection = connection;
    this.#keys = keys;
    this.#known = known;
    this.#asked = new Gatherer(
      ({ kind, id }) => kind + id,
      (asked) => this.#texts(asked),
    );
  }

  async get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    const row = await this.#asked.ask({ kind, id });
    return row === null ? undefined : toRecord(kind, id, row);
  }

  list(index: string, after: string, limit: number): Promise<StoredRecord[]> {
    return this.#listed(index, rangeAfter(index, after), ["BYLEX"], limit);
  }

  latest(index: string, before: string, limit: number): Promise<StoredRecord[]> {
    return this.#listed(index, rangeBefore(index, before), ["BYLEX", "REV"], limit);
  }

  async #listed(index: string, range: readonly [string, string], by: readonly string[], limit: number) {
    const found: StoredRecord[] = [];
    let [from, to] = range;
    for (;;) {
      const most = ["LIMIT", "0", String(limit - found.length)];
      const members = (await this.#connection.send("ZRANGE", this.#keys.lists, from, to, ...by, ...most)) as string[];
      // A record may have left the list since: its own row says which lists it is in. Others then take its place.
      const rows = await this.#rows(members.map(recordOf), (row) => parseLine(row).indexes.includes(index));
      found.push(...rows);
      if (rows.length === members.length) return found;
      from = `(${members.at(-1)}`;
    }
  }

  async due(kind: Kind, now: number, limit: number): Promise<StoredRecord[]> {
    const range = ["BYSCORE", "LIMIT", "0", String(limit)];
    const ids = (await this.#connection.send("ZRANGE", this.#keys.due(kind), "0", String(now), ...range)) as string[];
    return this.#rows(
      ids.map((id) => ({ kind, id })),
      (row) => (parseLine(row).due ?? Number.POSITIVE_INFINITY) <= now,
    );
  }

  async #rows(records: readonly RecordName[], belongs: (row: string) => boolean): Promise<StoredRecord[]> {
    if (records.length === 0) return [];
    const rows = await this.#texts(records);
    return records.flatMap(({ kind, id }, i) => {
      const row = rows[i] ?? null;
      return row !== null && belongs(row) ? [toRecord(kind, id, row)] : [];
    });
  }

  async #texts(records: readonly RecordName[]): Promise<Row[]> {
    const keys = records.map(({ kind, id }) => this.#keys.text(kind, id));
    const rows = (await this.#connection.send("MGET", ...keys)) as Row[];
    for (const [i, { kind, id }] of records.entries()) if (rows[i]) this.#known.read(kind, id, rows[i]);
    return rows;
  }

  async count(key: string, now: number): Promise<number> {
    const row = (await this.#connection.send("GET", this.#keys.text("count", key))) as Row;
    const { value, until } = toCount(row ?? "0 0");
    return until <= now ? 0 : value;
  }

  async head(workspaceId: string): Promise<Head & { readonly signed?: string }> {
    const [line, signed] = (await this.#connection.send(
      "MGET",
      this.#keys.text("head", workspaceId),
      this.#keys.signed(workspaceId),
    )) as [Row, Row];
    const head = toHead(workspaceId, line ?? "");
    return signed === null ? head : { ...head, signed };
  }

  async entries(workspaceId: string, after: number, limit: number): Promise<Entry[]> {
    const { seq } = await this.head(workspaceId);
    const seqs = span(Math.max(after, 0) + 1, Math.min(after + limit, seq));
    const rows = await this.entryRows(workspaceId, seqs);
    return seqs.flatMap((at, i) => (rows[i] ? [toEntry(workspaceId, at, rows[i])] : []));
  }

  async entryRows(workspaceId: string, seqs: readonly number[]): Promise<Row[]> {
    if (seqs.length === 0) return [];
    return (await this.#connection.send("HMGET", this.#keys.chain(workspaceId), ...seqs.map(String))) as Row[];
  }

  async changed(changes: readonly ChangeRef[]): Promise<Map<string, Extract<Applied, { ok: true }>>> {
    const found = new Map<string, Extract<Applied, { ok: true }>>();
    for (const [workspaceId, ids] of byWorkspace(changes)) {
      const { epoch, seq: last } = await this.head(workspaceId);
      // Newest first. Replies are rarely lost, so that finding a change again may cost more than keeping it.
      for (let end = last; end > Math.max(last - RECENT, 0) && ids.size > 0; end -= PAGE) {
        const seqs = span(Math.max(end - PAGE + 1, 1), end);
        const rows = await this.entryRows(workspaceId, seqs);
        for (const [i, seq] of seqs.entries()) {
          const row = rows[i] ?? "";
          const changeId = changeIdOf(row);
          if (ids.delete(changeId)) found.set(changeId, { ok: true, time: Number.parseInt(row, 10), seq, epoch });
        }
      }
    }
    return found;
  }
}

function span(first: number, last: number): number[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => first + i);
}

function byWorkspace(changes: readonly ChangeRef[]): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const { workspaceId, changeId } of changes) {
    const ids = all.get(workspaceId) ?? new Set();
    all.set(workspaceId, ids.add(changeId));
  }
  return all;
}
