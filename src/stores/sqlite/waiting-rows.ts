import type { Kind } from "../../core/ports.js";
import { KIND_CODES } from "../kind-codes.js";
import { Batch, marks } from "./batch.js";
import type { Database } from "./driver.js";
import type { Id } from "./ids.js";
import { HOLDER } from "./statements.js";

/** From so many on, those that leave one list go together. */
const FEW = 4;

/**
 * What a transaction has yet to write. Rows wait in one batch a statement; a record or key must be written before it is changed
 * again, because within a batch nobody knows which of two rows comes first.
 */
export class WaitingRows {
  readonly updates: Batch;
  readonly entries: Batch;
  readonly #inserts: Record<Kind, Batch>;
  readonly #lists: Record<Kind, Batch>;
  /** Keys of lists, each with the ids that leave it. */
  readonly #unlisted: Record<Kind, Map<string, Id[]>> = forEachKind(() => new Map());
  readonly #unlists: Record<Kind, Batch>;
  readonly #unlistsOfOne: Record<Kind, Batch>;
  readonly #taken: Batch;
  readonly #kept: Batch;
  readonly #freed: Batch;
  readonly #keys = new Set<string>();

  constructor(database: Database) {
    this.#inserts = forEachKind(
      (code) =>
        new Batch(
          database,
          5,
          (rows) =>
            `INSERT INTO record (n, kind, id, version, value, keys, due) VALUES ${marks(`(?, '${code}', ?, 1, ?, ?, ?)`, rows)}`,
        ),
    );
    this.updates = new Batch(
      database,
      4,
      (
        rows,
      ) => `UPDATE record SET version = version + 1, value = given.column2, keys = given.column3, due = given.column4
        FROM (VALUES ${marks("(?, ?, ?, ?)", rows)}) AS given WHERE record.n = given.column1`,
    );
    this.#lists = forEachKind(
      (code) =>
        new Batch(
          database,
          2,
          (rows) =>
            `INSERT INTO keyed (key, kind, id) VALUES ${marks(`(?, '${code}', ?)`, rows)} ON CONFLICT DO NOTHING`,
        ),
    );
    this.entries = new Batch(
      database,
      8,
      (rows) => `INSERT INTO entry (n, time, change, type, ref, salt, content, hash)
        VALUES ${marks("(?, ?, ?, ?, ?, ?, ?, ?)", rows)}`,
    );
    this.#unlistsOfOne = forEachKind(
      (code) =>
        new Batch(
          database,
          1,
          (rows) => `DELETE FROM keyed WHERE kind = '${code}' AND key = ? AND id IN (${marks("?", rows)})`,
        ),
    );
    this.#unlists = forEachKind(
      (code) =>
        new Batch(
          database,
          2,
          (rows) => `DELETE FROM keyed WHERE kind = '${code}' AND (key, id) IN (VALUES ${marks("(?, ?)", rows)})`,
        ),
    );
    const taking = (rows: number) =>
      `INSERT INTO keyed (key, id, kind, value, until) VALUES ${marks("(?, '', '=', ?, ?)", rows)}`;
    this.#taken = new Batch(database, 3, taking);
    this.#kept = new Batch(
      database,
      3,
      (rows) => `${taking(rows)} ON CONFLICT DO UPDATE SET value = excluded.value, until = excluded.until`,
    );
    this.#freed = new Batch(
      database,
      1,
      (rows) => `DELETE FROM keyed WHERE key IN (${marks("?", rows)}) AND ${HOLDER}`,
    );
  }

  insert(kind: Kind, n: number, id: Id, value: string, keys: string | null, due: number | null): void {
    this.#inserts[kind].add(n, id, value, keys, due);
  }

  list(kind: Kind, key: string, id: Id): void {
    this.#lists[kind].add(key, id);
  }

  unlist(kind: Kind, key: string, id: Id): void {
    const unlisted = this.#unlisted[kind];
    const ids = unlisted.get(key);
    if (ids === undefined) unlisted.set(key, [id]);
    else ids.push(id);
  }

  /** Whether the key waits to be written. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** A key that nobody holds. Where somebody does after all, writing it fails. */
  take(key: string, id: string, until: number): void {
    this.#keys.add(key);
    this.#taken.add(key, id, until);
  }

  /** A key that is held already, or was until a time that is over. */
  keep(key: string, id: string, until: number): void {
    this.#keys.add(key);
    this.#kept.add(key, id, until);
  }

  free(key: string): void {
    this.#keys.add(key);
    this.#freed.add(key);
  }

  write(): void {
    // What goes makes room first.
    this.#writeUnlisted();
    this.#keys.clear();
    this.#freed.write();
    this.#taken.write();
    this.#kept.write();
    this.updates.write();
    writeAll(this.#inserts);
    writeAll(this.#lists);
    this.entries.write();
  }

  /** Most of a group's records leave the same few lists; others have a list for each. SQLite is twice as fast when told apart. */
  #writeUnlisted(): void {
    for (const [kind, unlisted] of Object.entries(this.#unlisted) as [Kind, Map<string, Id[]>][]) {
      for (const [key, ids] of unlisted) {
        if (ids.length < FEW) {
          for (const id of ids) this.#unlists[kind].add(key, id);
        } else {
          this.#unlistsOfOne[kind].add(...ids);
          this.#unlistsOfOne[kind].write(key);
        }
      }
      unlisted.clear();
    }
    writeAll(this.#unlists);
  }

  /** After a transaction that came to nothing. */
  clear(): void {
    const ofKinds = [this.#inserts, this.#lists, this.#unlists, this.#unlistsOfOne].flatMap((batches) =>
      Object.values(batches),
    );
    for (const unlisted of Object.values(this.#unlisted)) unlisted.clear();
    for (const batch of [...ofKinds, this.updates, this.entries, this.#taken, this.#kept, this.#freed]) batch.clear();
    this.#keys.clear();
  }
}

/** The kind stands in the statement: a driver takes as long over a value of one letter as over any other. */
function forEachKind<T>(make: (code: string) => T): Record<Kind, T> {
  const made = Object.entries(KIND_CODES).map(([kind, code]) => [kind, make(code)]);
  return Object.fromEntries(made) as Record<Kind, T>;
}

function writeAll(batches: Record<Kind, Batch>): void {
  for (const batch of Object.values(batches)) batch.write();
}
