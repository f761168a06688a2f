export type Value = string | number | null;
type Row = { readonly [column: string]: Value };

/** Statements with `?` placeholders, in the SQL that SQLite and Postgres share. Numbers come back as numbers. */
export interface Queries {
  get<T extends object = Row>(sql: string, ...values: readonly Value[]): Promise<T | undefined>;
  all<T extends object = Row>(sql: string, ...values: readonly Value[]): Promise<readonly T[]>;
  /**
   * `all` for what is asked at every request: rows that were read before, as long as nobody, in whatever process, has written
   * anything since but notes and counts. So a right that was taken away a moment ago is gone here too; what is only noted or
   * counted may be older.
   */
  recall<T extends object = Row>(sql: string, ...values: readonly Value[]): Promise<readonly T[]>;
  /** Writes, durably once it resolves outside a transaction; gives the rows of `RETURNING`. */
  run<T extends object = Row>(sql: string, ...values: readonly Value[]): Promise<readonly T[]>;
}

export type Durability = "durable" | "noted" | "relaxed" | "patient";

/** Where people, keys and devices are kept. It knows tables, no rules. */
export interface IdentityDatabase extends Queries {
  /** Whether other processes read and write it too. */
  readonly shared: boolean;
  /**
   * Runs the steps as if nothing else ran meanwhile, in this process or another, and commits them together; when they throw,
   * nothing of them remains. Inside, only the handed queries may be awaited: others would wait for this transaction's end.
   * `noted` is for what was done, never for what may be done: it is as durable, and what `recall` has answered stays true.
   * `relaxed` is for counts, never for rights: its commits survive the death of the process, but perhaps not a power failure,
   * and others may write between its statements, each of which is one step for everybody. `patient` is for changes of the tables
   * themselves: neither they nor the wait for another process's are given up after the time that any other statement has.
   */
  transaction<T>(steps: (queries: Queries) => Promise<T>, durability?: Durability): Promise<T>;
  close(): Promise<void>;
}
