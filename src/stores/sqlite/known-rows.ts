import type { Change, Kind } from "../../core/ports.js";
import { KIND_CODES } from "../kind-codes.js";
import { Batch, marks } from "./batch.js";
import type { Database, Statement } from "./driver.js";
import { type Id, packId, unpackId } from "./ids.js";
import type { HeldRow } from "./rows.js";
import { prepareAll } from "./statements.js";

/** Where a record stands: its row, by which it is updated without looking for it again, and the keys that list it. */
export interface Place {
  readonly n: number;
  readonly version: number;
  readonly keys: readonly string[];
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
 * Records' places and holders of keys as this connection has read or written them. They hold as long as no other one has
 * committed, which is asked under the lock (`keepUnder`); what was written by a transaction that came to nothing must be forgotten.
 */
export class KnownRows {
  readonly #sql: Record<keyof typeof STATEMENTS, Statement>;
  readonly #placesOf: Batch;
  readonly #heldOf: Batch;
  readonly #places = new Map<string, Place | undefined>();
  readonly #held = new Map<string, HeldRow | undefined>();
  #rows: { calls: number; others: number } | undefined;
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
      (rows) => `SELECT key, id, until FROM held WHERE key IN (${marks("?", rows)})`,
    );
  }

  keepUnder(dataVersion: number): void {
    const full = this.#places.size > MOST || this.#held.size > MOST;
    if (dataVersion !== this.#dataVersion || full) this.forget();
    this.#dataVersion = dataVersion;
  }

  forget(): void {
    this.#places.clear();
    this.#held.clear();
    this.#rows = undefined;
  }

  /** Reads by a few statements what would else be read one by one. */
  foresee(group: readonly Change[]): void {
    for (const { puts, unique = [] } of group) {
      for (const { kind, id } of puts) {
        const name = KIND_CODES[kind] + id;
        if (this.#places.has(name)) continue;
        this.#places.set(name, undefined);
        this.#placesOf.add(packId(id));
      }
      for (const { key } of unique) {
        if (this.#held.has(key)) continue;
        this.#held.set(key, undefined);
        this.#heldOf.add(key);
      }
    }
    for (const row of this.#placesOf.read<PlaceRow>()) this.#places.set(row.kind + unpackId(row.id), toPlace(row));
    for (const { key, id, until } of this.#heldOf.read<HeldRow & { readonly key: string }>())
      this.#held.set(key, { id, until });
  }

  place(kind: Kind, id: string): Place | undefined {
    const name = KIND_CODES[kind] + id;
    if (!this.#places.has(name)) {
      const row = this.#sql.place.get(KIND_CODES[kind], packId(id)) as PlaceRow | undefined;
      this.#places.set(name, row && toPlace(row));
    }
    return this.#places.get(name);
  }

  setPlace(kind: Kind, id: string, place: Place | undefined): void {
    this.#places.set(KIND_CODES[kind] + id, place);
  }

  held(key: string): HeldRow | undefined {
    if (!this.#held.has(key)) this.#held.set(key, this.#sql.held.get(key) as HeldRow | undefined);
    return this.#held.get(key);
  }

  setHeld(key: string, held: HeldRow | undefined): void {
    this.#held.set(key, held);
  }

  /** The row of a new record. Calls are erased a day after their end: where they lie apart, whole pages become free for others. */
  newRow(kind: Kind): number {
    this.#rows ??= this.#sql.lastRows.get() as { calls: number; others: number };
    return kind === "call" ? ++this.#rows.calls : ++this.#rows.others;
  }
}

function toPlace({ n, version, keys }: PlaceRow): Place {
  return { n, version, keys: JSON.parse(keys ?? "[]") as string[] };
}

const STATEMENTS = {
  place: "SELECT n, version, keys FROM record WHERE kind = ? AND id = ?",
  held: "SELECT id, until FROM held WHERE key = ?",
  // Calls count upwards from far below zero.
  lastRows: `SELECT coalesce((SELECT max(n) FROM record WHERE n < 0), -(1 << 40)) AS calls,
    coalesce((SELECT max(n) FROM record WHERE n >= 0), 0) AS others`,
} as const;
