import type { Database, Statement, Value } from "./driver.js";

/** How many rows one statement takes. What is left over goes by the smaller ones. */
const SIZES = [64, 16, 4, 3, 2, 1] as const;

/** Question marks for one row after the other, as a list of values has them. */
export function marks(row: string, rows: number): string {
  return Array.from({ length: rows }, () => row).join(", ");
}

/**
 * Rows that wait to be written or looked for, many by one statement: for small rows a driver takes longer over a statement than
 * SQLite takes over the row. Each statement is prepared when it is first needed.
 */
export class Batch {
  readonly #database: Database;
  readonly #width: number;
  readonly #text: (rows: number) => string;
  readonly #prepared = new Map<number, Statement>();
  #values: Value[] = [];

  /** `text` is the statement for so many rows of `width` values each. */
  constructor(database: Database, width: number, text: (rows: number) => string) {
    this.#database = database;
    this.#width = width;
    this.#text = text;
  }

  add(...row: readonly Value[]): void {
    this.#values.push(...row);
  }

  /** Writes what waits. Values in front are the same for all rows. */
  write(...front: readonly Value[]): void {
    if (this.#values.length > 0) this.#each((statement, values) => statement.run(...front, ...values));
  }

  /** Asks for what waits, and gives every row that was found. */
  read<Row>(): Row[] {
    const found: Row[] = [];
    this.#each((statement, values) => {
      for (const row of statement.all(...values)) found.push(row as Row);
    });
    return found;
  }

  /** Forgets what waits. */
  clear(): void {
    this.#values = [];
  }

  #each(run: (statement: Statement, values: readonly Value[]) => void): void {
    const values = this.#values;
    this.#values = [];
    let at = 0;
    for (const rows of SIZES) {
      const length = rows * this.#width;
      for (; at + length <= values.length; at += length) run(this.#statement(rows), values.slice(at, at + length));
    }
  }

  #statement(rows: number): Statement {
    const known = this.#prepared.get(rows);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(this.#text(rows));
    this.#prepared.set(rows, statement);
    return statement;
  }
}
