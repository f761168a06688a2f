import { setTimeout } from "node:timers/promises";
import { CountersignError } from "../../core/errors.js";
import { isBusy } from "../../stores/sqlite/file.js";
import type { Durability, IdentityDatabase, Queries, Value } from "./database.js";
import { Recall } from "./recall.js";
import { Connection } from "./sqlite-connection.js";

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

/** How many commits all the databases of this process have made: those of another one on the same file count at once. */
let commits = 0;

/**
 * Two connections: what one writes and has not committed, the other does not see. So a read outside a transaction never
 * meets half of one, although both run in the same thread.
 */
class SqliteIdentityDatabase implements IdentityDatabase {
  readonly shared = false;
  readonly #reader: Connection;
  readonly #writer: Connection;
  readonly #recall = new Recall();
  readonly #counts: { readonly count: () => Promise<() => void>; readonly reject: (error: Error) => void }[] = [];
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** What the writer is set to; nothing yet. */
  #synchronous: "FULL" | "NORMAL" | undefined;
  #version: number | undefined;
  /** Which of this process's commits had been made when others were last looked for in this turn; none at its start. */
  #lookedAt: number | undefined;
  #closed = false;

  constructor(path: string) {
    // Who holds the lock may be in this very thread, and would never end while SQLite itself waits: see #begin.
    this.#writer = new Connection(path, 0);
    this.#reader = new Connection(path);
  }

  get<T extends object>(sql: string, ...values: readonly Value[]): Promise<T | undefined> {
    return this.#reader.get<T>(sql, ...values);
  }

  all<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.#reader.all<T>(sql, ...values);
  }

  async recall<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    this.#lookForOthers();
    return this.#recall.rows(sql, values, () => this.#reader.rows<T>(sql, values));
  }

  run<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.transaction((queries) => queries.run<T>(sql, ...values));
  }

  transaction<T>(steps: (queries: Queries) => Promise<T>, durability: Durability = "durable"): Promise<T> {
    if (durability === "relaxed") return this.#count(steps);
    return this.#inTurn(async () => {
      try {
        // FULL: a revocation that was acknowledged survives power loss.
        return await this.#commit("FULL", () => steps(this.#writer));
      } finally {
        if (durability !== "noted") this.#recall.forget();
      }
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

  /**
   * Whatever this database writes goes through the writer, whose version tells of everybody else. One look serves until this
   * thread turns to its next event: whoever has heard of another process's commit can ask here only by an event after it.
   */
  #lookForOthers(): void {
    if (this.#lookedAt === commits) return;
    if (this.#lookedAt === undefined) process.nextTick(() => (this.#lookedAt = undefined));
    this.#lookedAt = commits;
    const version = this.#writer.version();
    if (version === undefined || version !== this.#version) this.#recall.forget();
    this.#version = version;
  }

  /** Counts that come in one turn of the event loop share a commit; each is undone alone when its steps throw. */
  #count<T>(steps: (queries: Queries) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      const count = async () => {
        this.#writer.exec("SAVEPOINT one");
        try {
          const counted = await steps(this.#writer);
          return () => resolve(counted);
        } catch (error) {
          this.#writer.exec("ROLLBACK TO one");
          return () => reject(error as Error);
        } finally {
          this.#writer.exec("RELEASE one");
        }
      };
      if (this.#counts.push({ count, reject }) > 1) return;
      this.#inTurn(() => this.#countAll()).catch(reject);
    });
  }

  async #countAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const counts = this.#counts.splice(0);
    try {
      const told = await this.#commit("NORMAL", async () => {
        const answers: (() => void)[] = [];
        for (const { count } of counts) answers.push(await count());
        return answers;
      });
      for (const tell of told) tell();
    } catch (error) {
      for (const { reject } of counts) reject(error as Error);
    }
  }

  async #commit<T>(synchronous: "FULL" | "NORMAL", steps: () => Promise<T>): Promise<T> {
    if (synchronous !== this.#synchronous) this.#writer.exec(`PRAGMA synchronous = ${synchronous}`);
    this.#synchronous = synchronous;
    await this.#begin();
    try {
      const result = await steps();
      this.#writer.exec("COMMIT");
      commits++;
      return result;
    } catch (error) {
      this.#writer.rollBack();
      throw error;
    }
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
    if (this.#closed) return Promise.reject(closed());
    const turn = this.#lastWrite.then(write);
    this.#lastWrite = turn.catch(() => undefined);
    return turn;
  }
}

function closed(): CountersignError {
  return new CountersignError("closed", "The identity database is closed.");
}
