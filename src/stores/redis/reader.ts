import type { Applied, ChangeRef, Entry, Head, Kind, StoredRecord } from "../../core/ports.js";
import { Gatherer } from "../gatherer.js";
import type { Connection } from "./connection.js";
import { type Keys, rangeAfter, rangeBefore, recordOf } from "./keys.js";
import { fieldOf, HEAD_FIELDS, headerOf, type StreamEntry, seqOf, toEntry, toHead, toRecord } from "./rows.js";

/** How far back a change whose reply was lost is looked for: far more than can be in flight. */
const RECENT = 50_000;
const PAGE = 1_000;

type Row = string | null;

/** Everything that is read outside of a commit. */
export class Reader {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #texts: Gatherer<string, Row>;

  constructor(connection: Connection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
    this.#texts = new Gatherer(
      (key) => key,
      async (asked) => (await connection.send("MGET", ...asked)) as Row[],
    );
  }

  async get(kind: Kind, id: string): Promise<StoredRecord | undefined> {
    const row = await this.#texts.ask(this.#keys.record(kind, id));
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
      const rows = await this.#rows(members.map(recordOf), (row) => headerOf(row).indexes.includes(index));
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
      (row) => (headerOf(row).due ?? Number.POSITIVE_INFINITY) <= now,
    );
  }

  async #rows(
    records: readonly { readonly kind: Kind; readonly id: string }[],
    belongs: (row: string) => boolean,
  ): Promise<StoredRecord[]> {
    if (records.length === 0) return [];
    const keys = records.map(({ kind, id }) => this.#keys.record(kind, id));
    const rows = (await this.#connection.send("MGET", ...keys)) as Row[];
    return records.flatMap(({ kind, id }, i) => {
      const row = rows[i] ?? null;
      return row !== null && belongs(row) ? [toRecord(kind, id, row)] : [];
    });
  }

  async count(key: string, now: number): Promise<number> {
    const row = (await this.#connection.send("GET", this.#keys.count(key))) as Row;
    const [until, value] = (row ?? "0 0").split(" ").map(Number) as [number, number];
    return until <= now ? 0 : value;
  }

  async head(workspaceId: string): Promise<Head & { readonly signed?: string }> {
    const row = await this.#connection.send("HMGET", this.#keys.head(workspaceId), ...HEAD_FIELDS);
    return toHead(workspaceId, row as Row[]);
  }

  async entries(workspaceId: string, after: number, limit: number): Promise<Entry[]> {
    const range = [`(${after}-0`, "+", "COUNT", String(limit)];
    const rows = (await this.#connection.send("XRANGE", this.#keys.chain(workspaceId), ...range)) as StreamEntry[];
    return this.#withContents(workspaceId, rows);
  }

  async entriesAt(workspaceId: string, seqs: readonly number[]): Promise<Entry[]> {
    const ids = [...new Set(seqs)].filter((seq) => Number.isSafeInteger(seq) && seq > 0).map((seq) => `${seq}-0`);
    const chain = this.#keys.chain(workspaceId);
    const rows = await Promise.all(ids.map((id) => this.#connection.send("XRANGE", chain, id, id)));
    return this.#withContents(workspaceId, (rows as StreamEntry[][]).flat());
  }

  async #withContents(workspaceId: string, rows: readonly StreamEntry[]): Promise<Entry[]> {
    if (rows.length === 0) return [];
    const seqs = rows.map((row) => String(seqOf(row)));
    const kept = (await this.#connection.send("HMGET", this.#keys.contents(workspaceId), ...seqs)) as Row[];
    return rows.map((row, i) => toEntry(workspaceId, row, kept[i] ?? null));
  }

  async changed(changes: readonly ChangeRef[]): Promise<Map<string, Extract<Applied, { ok: true }>>> {
    const found = new Map<string, Extract<Applied, { ok: true }>>();
    for (const [workspaceId, ids] of byWorkspace(changes)) {
      const { epoch } = await this.head(workspaceId);
      for await (const row of this.#backwards(workspaceId)) {
        const changeId = fieldOf(row, "change");
        if (!ids.delete(changeId)) continue;
        found.set(changeId, { ok: true, time: Number(fieldOf(row, "time")), seq: seqOf(row), epoch });
        if (ids.size === 0) break;
      }
    }
    return found;
  }

  /** The last entries, newest first. Replies are rarely lost, so that finding a change again may cost more than keeping it. */
  async *#backwards(workspaceId: string): AsyncGenerator<StreamEntry> {
    let from = "+";
    for (let seen = 0; seen < RECENT; seen += PAGE) {
      const range = [from, "-", "COUNT", String(PAGE)];
      const rows = (await this.#connection.send("XREVRANGE", this.#keys.chain(workspaceId), ...range)) as StreamEntry[];
      yield* rows;
      const last = rows.at(-1);
      if (rows.length < PAGE || last === undefined) return;
      from = `(${last[0]}`;
    }
  }
}

function byWorkspace(changes: readonly ChangeRef[]): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const { workspaceId, changeId } of changes) {
    const ids = all.get(workspaceId) ?? new Set();
    all.set(workspaceId, ids.add(changeId));
  }
  return all;
}
