import type { SqlDialect, SqlStatement } from "countersign/analysers";

/** One row a statement changed: as it was, as it is, or both. */
export interface ChangedRow {
  readonly table: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface Effect {
  readonly rows: number;
  /** About a hundred rows, and whether there were more. */
  readonly sample: readonly ChangedRow[];
  readonly cut: boolean;
  /** Tables that the statement does not name and changed all the same, by foreign keys. */
  readonly reached: readonly string[];
  /** The plan, as EXPLAIN tells it. */
  readonly plan: readonly string[];
}

export const SAMPLE_ROWS = 100;
export const MOST_ROWS_READ = 1_000;

/** A database that the assistant may query and, when a person says so, change. */
export interface Data {
  readonly dialect: Extract<SqlDialect, "sqlite" | "postgres">;
  /** Reads, on a connection that itself refuses to write: the parser is not the only lock. */
  query(statement: SqlStatement): Promise<{ readonly rows: readonly unknown[]; readonly cut: boolean }>;
  /** Runs it in a transaction and takes it back: the exact effect, and none of it stays. */
  dryRun(statement: SqlStatement): Promise<Effect>;
  /** Runs it in a transaction that is kept only if `accept` does not throw when it sees what was done. */
  modify(statement: SqlStatement, accept: (effect: Effect) => void): Promise<Effect>;
  close(): Promise<void>;
}
