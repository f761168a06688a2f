import type { Value } from "./database.js";

/** Room for a few questions about each of some thousand people; when it is full, it starts anew. */
const MOST = 10_000;

/** Rows that were read before. They are as good as the database's own until something is written, by whoever. */
export class Recall {
  readonly #known = new Map<string, Map<string, readonly object[]>>();
  #size = 0;

  rows<T extends object>(sql: string, values: readonly Value[], read: () => readonly T[]): readonly T[] {
    if (this.#size >= MOST) this.forget();
    const key = JSON.stringify(values);
    const known = this.#known.get(sql)?.get(key);
    if (known !== undefined) return known as readonly T[];
    const rows = read();
    // What is not there may be asked for under any number of names, so that it is never kept.
    if (rows.length > 0) this.#keep(sql, key, rows);
    return rows;
  }

  forget(): void {
    this.#known.clear();
    this.#size = 0;
  }

  #keep(sql: string, key: string, rows: readonly object[]): void {
    const known = this.#known.get(sql) ?? new Map<string, readonly object[]>();
    this.#known.set(sql, known);
    known.set(key, rows);
    this.#size++;
  }
}
