import type * as Pg from "pg";
import type { ClientBase, PoolConfig } from "pg";
import { CountersignError } from "../../core/errors.js";

/** The part of a `pg` pool that is used here, so that any pool of that package, or one that behaves like it, will do. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ readonly rows: unknown[] }>;
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
}

export interface PostgresQuery {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
  /** Milliseconds until the reply is given up. */
  readonly query_timeout?: number;
  /** How columns are read, by the number of their type. */
  readonly types?: { getTypeParser(oid: number): (text: string) => unknown };
}

export interface PostgresClient {
  query(query: PostgresQuery): Promise<{ readonly rows: unknown[] }>;
  release(broken?: boolean): void;
  on(event: "error" | "end" | "notification", listener: (told: never) => void): unknown;
  removeListener(event: "error", listener: () => void): unknown;
}

export interface PoolOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Most connections at a time, default 10. */
  readonly max?: number;
  /** After this many milliseconds the server gives a statement up, default 10 s; it leaves no trace then. */
  readonly statementTimeout?: number;
  /** Adopts the server's own setting instead of asking for `synchronous_commit = on`. */
  readonly acceptLoss?: boolean;
  /** The schema in which names without one are looked up. */
  readonly searchPath?: string;
}

/** What the session, or the transaction at hand, commits is flushed before it is acknowledged; `remote_apply` is stronger and stays. */
export function flushing(where: "session" | "transaction"): string {
  const isLocal = where === "transaction";
  return `SELECT set_config('synchronous_commit', 'on', ${isLocal}) WHERE current_setting('synchronous_commit') <> 'remote_apply'`;
}

const CONNECT_TIMEOUT = 5_000;
/** How much longer than the server's own limit a reply is waited for: only a lost connection takes that long. */
const REPLY_GRACE = 5_000;

/** A pool whose every session flushes what it commits, gives up in time, and keeps no idle process alive. */
export async function openPool(options: PoolOptions): Promise<PostgresPool> {
  const { Pool } = await loadDriver();
  const { url, max = 10, statementTimeout = 10_000, acceptLoss = false, searchPath } = options;
  const settings = [
    ...(acceptLoss ? [] : [flushing("session")]),
    ...(searchPath === undefined ? [] : [`SET search_path = ${searchPath}, pg_temp`]),
  ];
  const config: PoolConfig = {
    connectionString: url,
    max,
    application_name: "countersign",
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + REPLY_GRACE,
    idle_in_transaction_session_timeout: statementTimeout,
    keepAlive: true,
    allowExitOnIdle: true,
    verify: (client, done) => {
      void prepare(client, settings.join("; "), done);
    },
  };
  const pool = new Pool(config);
  // A connection that breaks while no statement waits for it is replaced when it is needed; unheard, its error would end the
  // process. The pool hears those of idle ones alone: not those of one that it has just made, or lent.
  pool.on("error", ignore);
  pool.on("connect", (client) => void client.on("error", ignore));
  return pool;
}

async function prepare(client: ClientBase, settings: string, done: (error?: Error) => void): Promise<void> {
  try {
    await client.query(settings);
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}

const ignore = (): void => undefined;

/** All of the steps or none. The connection is lent for as long as they take; one that broke is given to nobody else. */
export async function transaction<T>(pool: PostgresPool, steps: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = true;
  const onError = () => {
    broken = true;
  };
  client.on("error", onError);
  try {
    await client.query({ text: "BEGIN" });
    const result = await rollingBack(client, steps);
    await client.query({ text: "COMMIT" });
    broken = false;
    return result;
  } catch (error) {
    broken = !(error instanceof RolledBack);
    throw error instanceof RolledBack ? error.cause : error;
  } finally {
    client.removeListener("error", onError);
    client.release(broken);
  }
}

/** The steps failed and the connection is in order again. */
class RolledBack extends Error {}

async function rollingBack<T>(client: PostgresClient, steps: (client: PostgresClient) => Promise<T>): Promise<T> {
  try {
    return await steps(client);
  } catch (cause) {
    try {
      await client.query({ text: "ROLLBACK" });
    } catch {
      // Why the steps failed says more than that there was no connection left to undo them on; the server does that.
      throw cause;
    }
    throw new RolledBack("rolled back", { cause });
  }
}

async function loadDriver(): Promise<typeof Pg> {
  try {
    return await import("pg");
  } catch (cause) {
    throw new CountersignError(
      "missing_dependency",
      'Postgres needs the "pg" package. Install it (npm i pg), or pass an existing pool: postgresStore({ pool }).',
      { cause },
    );
  }
}

interface PostgresError extends Error {
  /** SQLSTATE, for what the server said; Node's code for a connection that failed. */
  readonly code?: string;
  readonly constraint?: string;
}

/** Serialisation failure, deadlock, two first rows of one key: the transaction left no trace and may be tried again. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01", "23505"].includes((error as PostgresError).code ?? "");
}

/** A change of the group is in its chain already: an earlier attempt arrived after all. */
export function isAppliedBefore(error: unknown): boolean {
  return (error as PostgresError).code === "23505" && (error as PostgresError).constraint === "entry_change";
}

/** A value that cannot be stored whenever it is tried: out of range, or a key too long for an index. */
export function isOfTheChange(error: unknown): boolean {
  const code = (error as PostgresError).code ?? "";
  return /^(22|54)...$/.test(code) || code === "23514";
}

/** The server was not reached, went away or is starting: nothing is known about the statement, but a read may be repeated. */
export function isConnectionLost(error: unknown): boolean {
  const { code } = error as PostgresError;
  return code?.length !== 5 || /^(08|57P)/.test(code);
}

/** Never the URL: it holds a password. */
export function storeFailure(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  const { message, code } = error as PostgresError;
  const said = [message, code === undefined ? "" : `(${code})`].filter(Boolean).join(" ");
  return new CountersignError("store_failed", `Postgres: ${said || "the connection failed"}`, { cause: error });
}
