import { setTimeout } from "node:timers/promises";
import { CountersignError } from "../../core/errors.js";
import { type Database, openDatabase, type Statement } from "../../stores/sqlite/driver.js";
import { isBusy } from "../../stores/sqlite/file.js";
import type { Durability, IdentityDatabase, Queries, Value } from "./database.js";

/** How long a writer waits for another process, or for the engine's writer on the same file. */
const BUSY_TIMEOUT = 10_000;
const RETRY_EVERY = 5;

/** Identity in one SQLite file, which may be the engine's own: the tables have names of their own. */
export function sqliteIdentityDatabase(path: string): IdentityDatabase {
  if (path === "" || path === ":memory:") {
    throw new CountersignError("invalid_request", "The identity database needs a file: it is opened more than once.");
  }
  return new SqliteIdentityDatabase(path);
}

/**
 * Two connections: what one writes and has not committed, the other does not see. So a read outside a transaction never
 * meets half of one, although both run in the same thread.
 */
class SqliteIdentityDatabase implements IdentityDatabase {
  readonly shared = false;
  readonly #reader: Connection;
  readonly #writer: Connection;
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** What the writer is set to; nothing yet. */
  #durability: "durable" | "relaxed" | undefined;
  #closed = false;

  constructor(path: string) {
    this.#writer = new Connection(path);
    this.#reader = new Connection(path);
    // Who holds the lock may be in this very thread, and would never end while SQLite itself waits: see #begin.
    this.#writer.exec("PRAGMA busy_timeout = 0");
  }

  get<T extends object>(sql: string, ...values: readonly Value[]): Promise<T | undefined> {
    return this.#reader.get<T>(sql, ...values);
  }

  all<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.#reader.all<T>(sql, ...values);
  }

  run<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.transaction((queries) => queries.run<T>(sql, ...values));
  }

  transaction<T>(steps: (queries: Queries) => Promise<T>, durability: Durability = "durable"): Promise<T> {
    return this.#inTurn(async () => {
      // FULL: a revocation that was acknowledged survives power loss.
      if (durability !== this.#durability) {
        this.#writer.exec(`PRAGMA synchronous = ${durability === "relaxed" ? "NORMAL" : "FULL"}`);
      }
      this.#durability = durability;
      await this.#begin();
      let result: T;
      try {
        result = await steps(this.#writer);
      } catch (error) {
        this.#writer.exec("ROLLBACK");
        throw error;
      }
      this.#writer.exec("COMMIT");
      return result;
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const last = this.#lastWrite;
    this.#closed = true;
    await last;
    this.#reader.close();
    this.#writer.close();
  }

  /** Takes the file's write lock before the first step, so that no step can fail for want of it. */
  async #begin(): Promise<void> {
    const giveUpAt = performance.now() + BUSY_TIMEOUT;
    for (;;) {
      try {
        return this.#writer.exec("BEGIN IMMEDIATE");
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      }
      await setTimeout(RETRY_EVERY);
    }
  }

  /** One writer at a time: a statement between the steps of a transaction would become part of it. */
  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new CountersignError("closed", "The identity database is closed."));
    const turn = this.#lastWrite.then(write);
    this.#lastWrite = turn.catch(() => undefined);
    return turn;
  }
}

class Connection implements Queries {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(path: string) {
    this.#database = openDatabase(path);
    this.#database.exec(`
      PRAGMA busy_timeout = ${BUSY_TIMEOUT};
      PRAGMA journal_mode = WAL;
      PRAGMA fullfsync = ON;
      PRAGMA foreign_keys = ON;
    `);
  }

  async get<T extends object>(sql: string, ...values: readonly Value[]): Promise<T | undefined> {
    return this.#prepare(sql).get(...values) as T | undefined;
  }

  async all<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.#prepare(sql).all(...values) as T[];
  }

  run<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.all<T>(sql, ...values);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
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
