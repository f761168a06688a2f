import { CountersignError } from "../../core/errors.js";
import {
  flushing,
  openPool,
  type PostgresClient,
  type PostgresPool,
  type PostgresQuery,
  transaction,
} from "../../stores/postgres/driver.js";
import { PATIENCE, PATIENTLY } from "../../stores/postgres/migrate.js";
import type { Durability, IdentityDatabase, Queries, Value } from "./database.js";

export interface PostgresIdentityOptions {
  /** `postgres://user:password@host:port/database`. Either this or a pool. */
  readonly url?: string;
  /** With `url`: where the tables are, default `countersign`, beside the engine's own. */
  readonly schema?: string;
  /** A pool of the "pg" package. The tables are where its search path leads, and `close` does not end it. */
  readonly pool?: PostgresPool;
}

/** What waits for whom. */
type Queue = "durable" | "relaxed";

const SCHEMA = /^[a-z_][a-z0-9_]{0,39}$/;
/** Whoever writes holds this, in whatever process: transactions are few and short, and none ever sees half of another. */
const WRITE_LOCK =
  "SELECT pg_advisory_xact_lock(hashtextextended('countersign/identity/' || coalesce(current_schema(), ''), 0))";
/** Counts are many, and every counter is one row that locks itself: they wait for nobody's rights, and nobody waits for them. */
const DURABLY = `${flushing("transaction")}; ${WRITE_LOCK}`;
const BEGINNING: Readonly<Record<Durability, string>> = {
  durable: DURABLY,
  noted: DURABLY,
  relaxed: "SET LOCAL synchronous_commit = off",
  patient: `${PATIENTLY}; ${DURABLY}`,
};

/** Identity shared by all instances: what one has written and committed, every other reads. */
export function postgresIdentityDatabase(options: PostgresIdentityOptions): IdentityDatabase {
  const { url, pool, schema = "countersign" } = options;
  if (!SCHEMA.test(schema))
    throw new CountersignError(
      "invalid_request",
      "A schema is named by up to 40 lower-case letters, digits and underscores.",
    );
  if (pool !== undefined && url === undefined) return new PostgresIdentityDatabase(Promise.resolve(pool), false);
  if (url !== undefined && pool === undefined) return new PostgresIdentityDatabase(openIn(url, schema), true);
  throw new CountersignError("invalid_request", "The identity database needs either a url or a pool.");
}

async function openIn(url: string, schema: string): Promise<PostgresPool> {
  const pool = await openPool({ url, searchPath: schema });
  try {
    await transaction(pool, async (client) => {
      await client.query({ text: PATIENTLY });
      // The same lock as the engine's migrations: CREATE SCHEMA fails when two do it at once.
      const lock =
        "SELECT pg_advisory_xact_lock(hashtextextended('countersign/' || $1, 0)), to_regnamespace($1) IS NULL AS missing";
      const { rows } = await client.query({ text: lock, values: [schema], query_timeout: PATIENCE });
      if ((rows[0] as { missing: boolean }).missing)
        await client.query({ text: `CREATE SCHEMA IF NOT EXISTS ${schema}` });
    });
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

class PostgresIdentityDatabase implements IdentityDatabase {
  readonly shared = true;
  readonly #opening: Promise<PostgresPool>;
  readonly #ownsPool: boolean;
  readonly #last: Record<Queue, Promise<unknown>> = { durable: Promise.resolve(), relaxed: Promise.resolve() };
  #closed = false;

  constructor(opening: Promise<PostgresPool>, ownsPool: boolean) {
    this.#opening = opening;
    this.#ownsPool = ownsPool;
    // Whoever asks first is told why it could not be opened.
    opening.catch(() => undefined);
  }

  async get<T extends object>(sql: string, ...values: readonly Value[]): Promise<T | undefined> {
    return (await this.all<T>(sql, ...values))[0];
  }

  async all<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    const pool = await this.#opening;
    return (await pool.query(toQuery(sql, values))).rows as T[];
  }

  /** Other instances write too, and to ask whether they did costs as much as to read. */
  recall<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.all<T>(sql, ...values);
  }

  run<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.transaction((queries) => queries.run<T>(sql, ...values));
  }

  transaction<T>(steps: (queries: Queries) => Promise<T>, durability: Durability = "durable"): Promise<T> {
    const limit = durability === "patient" ? { query_timeout: PATIENCE } : {};
    return this.#inTurn(durability === "relaxed" ? "relaxed" : "durable", async () =>
      transaction(await this.#opening, async (client) => {
        await client.query({ text: BEGINNING[durability], ...limit });
        return steps(new ClientQueries(client, limit));
      }),
    );
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all(Object.values(this.#last));
    const pool = await this.#opening.catch(() => undefined);
    if (this.#ownsPool) await pool?.end();
  }

  /** One at a time in this process: many that wait for the lock would take every connection from those who only read. */
  #inTurn<T>(queue: Queue, write: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new CountersignError("closed", "The identity database is closed."));
    const turn = this.#last[queue].then(write);
    this.#last[queue] = turn.catch(() => undefined);
    return turn;
  }
}

class ClientQueries implements Queries {
  readonly #client: PostgresClient;
  readonly #limit: Pick<PostgresQuery, "query_timeout">;

  constructor(client: PostgresClient, limit: Pick<PostgresQuery, "query_timeout">) {
    this.#client = client;
    this.#limit = limit;
  }

  async get<T extends object>(sql: string, ...values: readonly Value[]): Promise<T | undefined> {
    return (await this.all<T>(sql, ...values))[0];
  }

  async all<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return (await this.#client.query({ ...toQuery(sql, values), ...this.#limit })).rows as T[];
  }

  recall<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.all<T>(sql, ...values);
  }

  run<T extends object>(sql: string, ...values: readonly Value[]): Promise<readonly T[]> {
    return this.all<T>(sql, ...values);
  }
}

const INT8 = 20;
/** 64-bit numbers as numbers: all of ours are times, counts and flags. Everything else as text, which it is. */
const types = { getTypeParser: (oid: number) => (text: string) => (oid === INT8 ? Number(text) : text) };

const known = new Map<string, string>();

/** No statement of ours has a question mark that is not a placeholder. The texts are constants, so that the cache stays small. */
function toQuery(sql: string, values: readonly Value[]): PostgresQuery {
  let text = known.get(sql);
  if (text === undefined) {
    let place = 0;
    text = sql.replace(/\?/g, () => `$${++place}`);
    known.set(sql, text);
  }
  return { text, values: [...values], types };
}
