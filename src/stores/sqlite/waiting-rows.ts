import { Batch, marks } from "./batch.js";
import type { Database } from "./driver.js";
import type { Id } from "./ids.js";
import { HOLDER } from "./statements.js";

/**
 * What a transaction has yet to write. Rows wait in one batch a statement; a record or key must be written before it is changed
 * again, because within a batch nobody knows which of two rows comes first.
 */
export class WaitingRows {
  readonly inserts: Batch;
  readonly updates: Batch;
  readonly lists: Batch;
  readonly entries: Batch;
  readonly #unlists: Batch;
  readonly #taken: Batch;
  readonly #kept: Batch;
  readonly #freed: Batch;
  readonly #keys = new Set<string>();

  constructor(database: Database) {
    this.inserts = new Batch(
      database,
      6,
      (rows) =>
        `INSERT INTO record (n, kind, id, version, value, keys, due) VALUES ${marks("(?, ?, ?, 1, ?, ?, ?)", rows)}`,
    );
    this.updates = new Batch(
      database,
      4,
      (
        rows,
      ) => `UPDATE record SET version = version + 1, value = given.column2, keys = given.column3, due = given.column4
        FROM (VALUES ${marks("(?, ?, ?, ?)", rows)}) AS given WHERE record.n = given.column1`,
    );
    this.lists = new Batch(
      database,
      3,
      (rows) => `INSERT INTO keyed (key, kind, id) VALUES ${marks("(?, ?, ?)", rows)} ON CONFLICT DO NOTHING`,
    );
    this.entries = new Batch(
      database,
      9,
      (rows) => `INSERT INTO entry (n, time, change, type, ref, salt, content, hash)
        VALUES ${marks("((? << 40) + ?, ?, ?, ?, ?, ?, ?, ?)", rows)}`,
    );
    this.#unlists = new Batch(
      database,
      3,
      (rows) => `DELETE FROM keyed WHERE (key, id, kind) IN (VALUES ${marks("(?, ?, ?)", rows)})`,
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

  unlist(key: string, code: string, id: Id): void {
    this.#unlists.add(key, id, code);
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
    this.#unlists.write();
    this.#keys.clear();
    this.#freed.write();
    this.#taken.write();
    this.#kept.write();
    this.updates.write();
    this.inserts.write();
    this.lists.write();
    this.entries.write();
  }

  /** After a transaction that came to nothing. */
  clear(): void {
    const { inserts, updates, lists, entries } = this;
    for (const batch of [inserts, updates, lists, entries, this.#unlists, this.#taken, this.#kept, this.#freed])
      batch.clear();
    this.#keys.clear();
  }
}
