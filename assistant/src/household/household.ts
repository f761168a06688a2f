import { randomBytes } from "node:crypto";
import { type Database, openDatabase, type Statement } from "countersign/stores/sqlite";
import { MIGRATIONS } from "./schema.js";

type Value = string | number | null;

const MONTH = 30 * 86_400_000;

/**
 * The household's own data in one SQLite file. Every statement runs at once, so a transaction is a plain function: nothing else
 * of this process can come between its steps.
 */
export class Household {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  readonly #now: () => number;
  #depth = 0;

  constructor(path: string, now: () => number = Date.now) {
    this.#now = now;
    this.#database = openDatabase(path);
    // FULL: what the person was told is done survives power loss.
    for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 5000"]) {
      this.#database.exec(`PRAGMA ${pragma}`);
    }
    this.#migrate();
    // Attempts at one call follow each other within minutes; a month is for whoever looks into a crash late.
    this.run("DELETE FROM effect WHERE at < ?", this.ago(MONTH));
  }

  all<Row extends object>(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever writes the SQL knows the row
  get<Row extends object>(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  /** How many rows it changed. */
  run(sql: string, ...values: Value[]): number {
    const { changes } = this.#prepare(sql).run(...values) as { readonly changes: number | bigint };
    return Number(changes);
  }

  transaction<T>(steps: () => T): T {
    if (this.#depth > 0) return steps();
    this.#database.exec("BEGIN IMMEDIATE");
    this.#depth += 1;
    try {
      const result = steps();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  /**
   * Does the work once for a key and remembers its result in the same transaction: a second attempt gets the first result, and after
   * a crash the key tells whether it happened. Work that throws leaves no trace.
   */
  once<T>(key: string, work: () => T): T {
    return this.transaction(() => {
      const before = this.#effect(key);
      if (before !== undefined) return JSON.parse(before) as T;
      const result = work();
      this.run("INSERT INTO effect VALUES (?, ?, ?)", key, JSON.stringify(result ?? null), this.now());
      return result;
    });
  }

  /** What became of the work under a key. Nothing remembered means that nothing happened. */
  outcomeOf(key: string): { type: "succeeded"; result: unknown } | { type: "failed"; error: string } {
    const result = this.#effect(key);
    if (result === undefined) return { type: "failed", error: "It was interrupted before anything was written." };
    return { type: "succeeded", result: JSON.parse(result) };
  }

  now(): string {
    return new Date(this.#now()).toISOString();
  }

  ago(milliseconds: number): string {
    return new Date(this.#now() - milliseconds).toISOString();
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #effect(key: string): string | undefined {
    return this.get<{ result: string }>("SELECT result FROM effect WHERE idempotency_key = ?", key)?.result;
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #migrate(): void {
    const version = this.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
    if (version > MIGRATIONS.length) throw new Error("This household was written by a newer version of the assistant.");
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      this.transaction(() => {
        this.#database.exec(migration);
        this.#database.exec(`PRAGMA user_version = ${index + 1}`);
      });
    }
  }
}

export function openHousehold(path: string, now?: () => number): Household {
  return new Household(path, now);
}

export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(8).toString("hex")}`;
}
