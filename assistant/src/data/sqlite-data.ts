import type { SqlStatement } from "countersign/analysers";
import { type Database, openDatabase } from "countersign/stores/sqlite";
import { type ChangedRow, type Data, type Effect, MOST_ROWS_READ, SAMPLE_ROWS } from "./data.js";

/** A SQLite file. */
export class SqliteData implements Data {
  readonly dialect = "sqlite";
  readonly #database: Database;

  constructor(path: string) {
    this.#database = openDatabase(path);
    this.#database.exec("PRAGMA busy_timeout = 5000");
  }

  async query({ text: sql }: SqlStatement) {
    this.#database.exec("PRAGMA query_only = 1");
    try {
      const rows = this.#database.prepare(sql).all();
      return { rows: rows.slice(0, MOST_ROWS_READ), cut: rows.length > MOST_ROWS_READ };
    } finally {
      this.#database.exec("PRAGMA query_only = 0");
    }
  }

  async dryRun(statement: SqlStatement): Promise<Effect> {
    return this.#within(statement, () => "ROLLBACK");
  }

  async modify(statement: SqlStatement, accept: (effect: Effect) => void): Promise<Effect> {
    return this.#within(statement, (effect) => {
      accept(effect);
      return "COMMIT";
    });
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  /** In one go, without waiting for anything: the connection is shared. */
  #within(statement: SqlStatement, end: (effect: Effect) => "COMMIT" | "ROLLBACK"): Effect {
    const plan = this.#explain(statement.text);
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const watched = statement.writes.filter((table) => this.#isTable(table));
      const droppedRows = statement.kind.startsWith("drop") ? this.#count(watched) : undefined;
      this.#watch(droppedRows === undefined ? watched : []);
      const { changes } = this.#database.prepare(statement.text).run() as { readonly changes: number | bigint };
      const sample = this.#changes();
      const rows = droppedRows ?? Number(changes);
      const effect = { rows, sample, cut: rows > sample.length, reached: [], plan };
      this.#unwatch(watched);
      this.#database.exec(end(effect));
      return effect;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** Temporary triggers see each row the statement touches, whatever its WHERE says. They go with the transaction. */
  #watch(tables: readonly string[]): void {
    this.#database.exec(
      "CREATE TEMP TABLE countersign_change (seq INTEGER PRIMARY KEY, tbl TEXT, before TEXT, after TEXT)",
    );
    for (const [index, table] of tables.entries()) {
      const columns = this.#database.prepare(`PRAGMA table_info(${quoted(table)})`).all() as {
        readonly name: string;
      }[];
      const row = (side: "OLD" | "NEW") =>
        `json_object(${columns.map(({ name }) => `${text(name)}, ${shown(`${side}.${quoted(name)}`)}`).join(", ")})`;
      const sides = { INSERT: ["NULL", row("NEW")], UPDATE: [row("OLD"), row("NEW")], DELETE: [row("OLD"), "NULL"] };
      for (const [event, [before, after]] of Object.entries(sides)) {
        this.#database.exec(
          `CREATE TEMP TRIGGER countersign_${event}_${index} AFTER ${event} ON main.${quoted(table)}
           WHEN (SELECT count(*) FROM temp.countersign_change) < ${SAMPLE_ROWS}
           BEGIN INSERT INTO countersign_change (tbl, before, after) VALUES (${text(table)}, ${before}, ${after}); END`,
        );
      }
    }
  }

  #unwatch(tables: readonly string[]): void {
    for (const [index] of tables.entries()) {
      for (const event of ["INSERT", "UPDATE", "DELETE"]) {
        this.#database.exec(`DROP TRIGGER IF EXISTS temp.countersign_${event}_${index}`);
      }
    }
    this.#database.exec("DROP TABLE temp.countersign_change");
  }

  #changes(): ChangedRow[] {
    type Row = { readonly tbl: string; readonly before: string | null; readonly after: string | null };
    const rows = this.#database
      .prepare("SELECT tbl, before, after FROM temp.countersign_change ORDER BY seq")
      .all() as Row[];
    return rows.map(({ tbl, before, after }) => ({
      table: tbl,
      ...(before === null ? {} : { before: JSON.parse(before) as unknown }),
      ...(after === null ? {} : { after: JSON.parse(after) as unknown }),
    }));
  }

  #explain(sql: string): string[] {
    // Definitions have no plan.
    if (!/^\s*(?:insert|update|delete|replace|with)\b/i.test(sql)) return [];
    const steps = this.#database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { readonly detail: string }[];
    return steps.map(({ detail }) => detail);
  }

  #isTable(name: string): boolean {
    const sql = "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE";
    return this.#database.prepare(sql).get(name) !== undefined;
  }

  #count(tables: readonly string[]): number {
    const rowsOf = (table: string): number => {
      const { rows } = this.#database.prepare(`SELECT count(*) AS rows FROM main.${quoted(table)}`).get() as {
        rows: number;
      };
      return rows;
    };
    return tables.reduce((sum, table) => sum + rowsOf(table), 0);
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite has ended the transaction itself.
    }
  }
}

/** Blobs are no JSON: their size stands for them. */
function shown(column: string): string {
  return `CASE typeof(${column}) WHEN 'blob' THEN '<' || length(${column}) || ' bytes>' ELSE ${column} END`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
