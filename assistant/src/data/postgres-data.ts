import type { SqlStatement } from "countersign/analysers";
import pg from "pg";
import { type Data, type Effect, MOST_ROWS_READ, SAMPLE_ROWS } from "./data.js";
import { changesOf, removeWatch, type Watched, watch, watchable } from "./postgres-watch.js";

/** Nobody waits longer, neither for the statement nor for the tables it needs. */
const LIMITS = "SET LOCAL statement_timeout = '10s'; SET LOCAL lock_timeout = '5s'";
const HAS_PLAN: readonly string[] = ["insert", "update", "delete", "merge", "select"];

/** A Postgres database. Each statement has a connection and a transaction of its own. */
export class PostgresData implements Data {
  readonly dialect = "postgres";
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 4, application_name: "countersign-assistant" });
    // A connection that breaks, idle or lent, is replaced by the next use, which tells what is wrong.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
  }

  query({ text, kind }: SqlStatement) {
    return this.#transaction("BEGIN READ ONLY", async (client) => {
      const rows = await readRows(client, text, kind);
      await client.query("ROLLBACK");
      // Dates and the like as they would be told.
      const plain = JSON.parse(JSON.stringify(rows.slice(0, MOST_ROWS_READ))) as unknown[];
      return { rows: plain, cut: rows.length > MOST_ROWS_READ };
    });
  }

  dryRun(statement: SqlStatement): Promise<Effect> {
    return this.#within(statement, () => "ROLLBACK");
  }

  modify(statement: SqlStatement, accept: (effect: Effect) => void): Promise<Effect> {
    return this.#within(statement, (effect) => {
      accept(effect);
      return "COMMIT";
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #within(statement: SqlStatement, end: (effect: Effect) => "COMMIT" | "ROLLBACK"): Promise<Effect> {
    return this.#transaction("BEGIN", async (client) => {
      const plan = await explain(client, statement);
      const tables = await watchable(client, statement.writes);
      const effect = { ...(await run(client, statement, tables)), plan };
      // What is checked at the end of a transaction is checked before anybody counts on it.
      await client.query("SET CONSTRAINTS ALL IMMEDIATE");
      await client.query(end(effect));
      return effect;
    });
  }

  async #transaction<Result>(begin: string, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let broken = false;
    try {
      await client.query(`${begin}; ${LIMITS}`);
      return await work(client);
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** By a cursor, so that a table of any size costs no more than what is shown of it. */
async function readRows(client: pg.PoolClient, text: string, kind: string): Promise<readonly unknown[]> {
  if (kind !== "select") return (await client.query(text)).rows;
  await client.query(`DECLARE countersign_read NO SCROLL CURSOR FOR ${text}`);
  return (await client.query(`FETCH ${MOST_ROWS_READ + 1} FROM countersign_read`)).rows;
}

async function explain(client: pg.PoolClient, { text, kind }: SqlStatement): Promise<string[]> {
  // Definitions have no plan.
  if (!HAS_PLAN.includes(kind)) return [];
  const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${text}`);
  return rows.map((row) => row["QUERY PLAN"]);
}

async function run(
  client: pg.PoolClient,
  { text, kind }: SqlStatement,
  tables: readonly Watched[],
): Promise<Omit<Effect, "plan">> {
  // These take rows away without any trigger of the row seeing it.
  if (kind === "drop" || kind === "truncate") {
    const rows = await countRows(client, tables);
    await client.query(text);
    return { rows, sample: [], cut: rows > 0, reached: [] };
  }
  const isRows = HAS_PLAN.includes(kind);
  if (isRows) await watch(client, tables, SAMPLE_ROWS);
  const { rowCount } = await client.query(text);
  if (!isRows) return { rows: 0, sample: [], cut: false, reached: [] };
  const { total, sample } = await changesOf(client);
  await removeWatch(client, tables);
  const rows = Math.max(total, kind === "select" ? 0 : (rowCount ?? 0));
  const named = tables.filter(({ isNamed }) => isNamed).map(({ name }) => name);
  const reached = [...new Set(sample.map(({ table }) => table))].filter((table) => !named.includes(table));
  return { rows, sample, cut: rows > sample.length, reached };
}

async function countRows(client: pg.PoolClient, tables: readonly Watched[]): Promise<number> {
  let sum = 0;
  for (const { name } of tables.filter(({ isNamed }) => isNamed)) {
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) AS count FROM ${name}`);
    sum += Number(rows[0]?.count ?? 0);
  }
  return sum;
}
