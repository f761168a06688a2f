import type { Change, Head, Kind } from "../../core/ports.js";
import { emptyHead } from "../apply.js";
import { KIND_CODES, kindOf } from "../kind-codes.js";
import { Batch, marks } from "./batch.js";
import type { Database, Statement } from "./driver.js";
import { type Id, packId, unpackId } from "./ids.js";
import { type CountRow, type HeadRow, type HeldRow, toHead } from "./rows.js";
import { COUNT, HEAD, HOLDER, prepareAll } from "./statements.js";

/** Where a record stands: its row, by which it is updated without looking for it again, and the keys that list it. */
export interface Place {
  readonly n: number;
  readonly version: number;
  readonly keys: readonly string[];
  /** The batch that writes it. */
  readonly batch?: number;
}

/** A workspace's number in the file, and its head. */
export interface Workspace {
  readonly n: number;
  head: Head;
}

interface PlaceRow {
  readonly n: number;
  readonly kind: string;
  readonly id: Id;
  readonly version: number;
  readonly keys: string | null;
}

/** How many are kept; then all are forgotten, which costs one look each. */
const MOST = 2_000;

/**
 * Records' places, holders of keys, counters and heads as this connection has read or written them. They hold as long as no other one
 * has committed, which is asked under the lock (`keepUnder`); what was written by a transaction that came to nothing must be forgotten.
 */
export class KnownRows {
  readonly #sql: Record<keyof typeof STATEMENTS, Statement>;
  readonly #placesOf: Batch;
  readonly #heldOf: Batch;
  readonly #places: Readonly<Record<Kind, Map<string, Place | undefined>>> = {
    approval: new Map(),
    call: new Map(),
    lease: new Map(),
    grant: new Map(),
    setting: new Map(),
    denial: new Map(),
  };
  readonly #held = new Map<string, HeldRow | undefined>();
  readonly #counts = new Map<string, CountRow | undefined>();
  readonly #workspaces = new Map<string, Workspace>();
  #lastRows: { calls: number; others: number } | undefined;
  #dataVersion = -1;

  constructor(database: Database) {
    this.#sql = prepareAll(database, STATEMENTS);
    this.#placesOf = new Batch(
      database,
      1,
      (rows) => `SELECT n, kind, id, version, keys FROM record WHERE id IN (${marks("?", rows)})`,
    );
    this.#heldOf = new Batch(
      database,
      1,
      (rows) => `SELECT key, value AS id, until FROM keyed WHERE key IN (${marks("?", rows)}) AND ${HOLDER}`,
    );
  }

  keepUnder(dataVersion: number): void {
    const full = this.#all().some(({ size }) => size > MOST);
    if (dataVersion !== this.#dataVersion || full) this.forget();
    this.#dataVersion = dataVersion;
  }

  forget(): void {
    for (const rows of this.#all()) rows.clear();
    this.#lastRows = undefined;
  }

  /**
   * Takes what a group wants to add for new, without a look: where it is not, writing it fails, and nothing that was judged by
   * that counts.
   */
  assumeNew(group: readonly Change[]): void {
    for (const { puts, unique = [] } of group) {
      for (const { kind, id, version, value } of puts) {
        const places = this.#places[kind];
        if (version === 0 && value !== null && !places.has(id)) places.set(id, undefined);
      }
      for (const { key, until } of unique) if (until > 0 && !this.#held.has(key)) this.#held.set(key, undefined);
    }
  }

  /** Reads by a few statements what would else be read one by one. */
  foresee(group: readonly Change[]): void {
    for (const { puts, unique = [] } of group) {
      for (const { kind, id } of puts) {
        const places = this.#places[kind];
        if (places.has(id)) continue;
        places.set(id, undefined);
        this.#placesOf.add(packId(id));
      }
      for (const { key } of unique) {
        if (this.#held.has(key)) continue;
        this.#held.set(key, undefined);
        this.#heldOf.add(key);
      }
    }
    for (const row of this.#placesOf.read<PlaceRow>())
      this.#places[kindOf(row.kind)].set(unpackId(row.id), toPlace(row));
    for (const { key, id, until } of this.#heldOf.read<HeldRow & { readonly key: string }>())
      this.#held.set(key, { id, until });
  }

  place(kind: Kind, id: string): Place | undefined {
    const places = this.#places[kind];
    const known = places.get(id);
    if (known !== undefined || places.has(id)) return known;
    const row = this.#sql.place.get(KIND_CODES[kind], packId(id)) as PlaceRow | undefined;
    const place = row && toPlace(row);
    places.set(id, place);
    return place;
  }

  setPlace(kind: Kind, id: string, place: Place | undefined): void {
    this.#places[kind].set(id, place);
  }

  held(key: string): HeldRow | undefined {
    if (!this.#held.has(key)) this.#held.set(key, this.#sql.held.get(key) as HeldRow | undefined);
    return this.#held.get(key);
  }

  setHeld(key: string, held: HeldRow | undefined): void {
    this.#held.set(key, held);
  }

  count(key: string): CountRow | undefined {
    if (!this.#counts.has(key)) this.#counts.set(key, this.#sql.count.get(key) as CountRow | undefined);
    return this.#counts.get(key);
  }

  setCount(key: string, count: CountRow | undefined): void {
    this.#counts.set(key, count);
  }

  workspace(workspaceId: string): Workspace {
    const known = this.#workspaces.get(workspaceId);
    if (known !== undefined) return known;
    let row = this.#sql.head.get(workspaceId) as HeadRow | undefined;
    if (row === undefined) {
      this.#sql.addHead.run(workspaceId, emptyHead(workspaceId).hash);
      row = this.#sql.head.get(workspaceId) as HeadRow;
    }
    const workspace = { n: row.n, head: toHead(workspaceId, row) };
    this.#workspaces.set(workspaceId, workspace);
    return workspace;
  }

  /** The row of a new record. Calls are erased a day after their end: where they lie apart, whole pages become free for others. */
  newRow(kind: Kind): number {
    this.#lastRows ??= this.#sql.lastRows.get() as { calls: number; others: number };
    return kind === "call" ? ++this.#lastRows.calls : ++this.#lastRows.others;
  }

  #all(): Map<string, unknown>[] {
    return [...Object.values(this.#places), this.#held, this.#counts, this.#workspaces];
  }
}

function toPlace({ n, version, keys }: PlaceRow): Place {
  return { n, version, keys: JSON.parse(keys ?? "[]") as string[] };
}

const STATEMENTS = {
  place: "SELECT n, version, keys FROM record WHERE kind = ? AND id = ?",
  head: HEAD,
  addHead: "INSERT INTO workspace (id, seq, hash, time, epoch, paused) VALUES (?, 0, ?, 0, 0, 0)",
  count: COUNT,
  held: `SELECT value AS id, until FROM keyed WHERE key = ? AND ${HOLDER}`,
  // Calls count upwards from far below zero.
  lastRows: `SELECT coalesce((SELECT max(n) FROM record WHERE n < 0), -(1 << 40)) AS calls,
    coalesce((SELECT max(n) FROM record WHERE n >= 0), 0) AS others`,
} as const;
