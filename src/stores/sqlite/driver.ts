import { createRequire } from "node:module";
import { CountersignError } from "../../core/errors.js";

export type Value = string | number | Uint8Array | null;

/** The part of `DatabaseSync` that is used here; both drivers have it. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  run(...values: Value[]): unknown;
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
}

type Driver = { readonly DatabaseSync: new (path: string) => Database };

let driver: Driver | undefined;

/** Node's own SQLite where it has one, else the package with the same interface and its binaries inside. */
export function openDatabase(path: string): Database {
  driver ??= builtIn() ?? packaged();
  try {
    return new driver.DatabaseSync(path);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new CountersignError(
      "store_failed",
      `The SQLite file ${path} cannot be opened (${why}). Its folder has to be there, and this account has to be able to write in it.`,
      { cause },
    );
  }
}

/** SQLite ends some failed transactions by itself; complaining about that would hide why they failed. */
export function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There was nothing left to undo.
  }
}

function builtIn(): Driver | undefined {
  return process.getBuiltinModule("node:sqlite") as Driver | undefined;
}

function packaged(): Driver {
  try {
    return createRequire(import.meta.url)("@photostructure/sqlite") as Driver;
  } catch (cause) {
    throw new CountersignError(
      "missing_dependency",
      'The SQLite store needs Node 22.13 or newer, or the "@photostructure/sqlite" package. Install it: npm i @photostructure/sqlite',
      { cause },
    );
  }
}
