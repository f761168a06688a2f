import { type Database, openDatabase, rollBack, type Statement } from "../../stores/sqlite/driver.js";
import type { Queries, Value } from "./database.js";

/** How long a reader waits for another process. */
const BUSY_TIMEOUT = 10_000;

/** One connection to the file, with its statements kept ready. */
export class Connection implements Queries {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(path: string, busyTimeout = BUSY_TIMEOUT) {
    this.#database = openDatabase(path);
    this.#database.exec(`
      PRAGMA busy_timeout = ${BUSY_TIMEOUT};
      PRAGMA journal_mode = WAL;
      PRAGMA fullfsync = ON;
      PRAGMA foreign_keys = ON;
      PRAGMA busy_timeout = ${busyTimeout};
    `);
  }

  async get<T extends object>(sql: string, ...values: readonly Value[]): Promise<T | undefined> {
    return this.#prepare(sql).get(...values) as T | undefined;
  }

  async all<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.rows<T>(sql, values);
  }

  recall<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.all<T>(sql, ...values);
  }

  run<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.all<T>(sql, ...values);
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever writes the statement knows its rows
  rows<T extends object>(sql: string, values: readonly Value[]): readonly T[] {
    return this.#prepare(sql).all(...values) as T[];
  }

  /**
   * A number that changes when another connection, in this process or in another, has committed something; this connection's own
   * commits leave it. Undefined while the file cannot be asked.
   */
  version(): number | undefined {
    try {
      return (this.#prepare("PRAGMA data_version").get() as { readonly data_version: number }).data_version;
    } catch {
      return undefined;
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  rollBack(): void {
    rollBack(this.#database);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** The texts are constants of this package, so that the cache stays small. */
  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
