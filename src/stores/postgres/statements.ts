import { isConnectionLost, type PostgresPool, storeFailure } from "./driver.js";
import { SERVER_NOW } from "./server-clock.js";
import { WHOLE_COLUMNS } from "./whole-function.js";

/** The server's clock, unless the store was given one of its own. */
const now = (parameter: string) => `coalesce(${parameter}::bigint, ${SERVER_NOW})`;

/** Every statement of one schema, by the name under which each connection prepares it once. */
function statementsOf(schema: string) {
  return {
    commit: `SELECT ${schema}.commit_1($1, $2, $3, $4) AS reply`,
    commitWhole: `SELECT ${schema}.commit_whole_2($1, $2, $3, $4, $5, ${Object.keys(WHOLE_COLUMNS)
      .map((_, index) => `$${index + 6}`)
      .join()}) AS reply`,
    erase: `SELECT ${schema}.erase_1($1, $2, $3, $4, $5, $6, $7) AS reply`,
    // Row by row through the index, whatever is known of the table: a plan made while it was small would read all of it.
    get: `SELECT asked.i, r.version, r.value FROM unnest($1::bytea[], $2::"char"[]) WITH ORDINALITY AS asked (id, kind, i), LATERAL (
        SELECT r.version, r.value FROM ${schema}.record AS r WHERE r.id = asked.id AND r.kind = asked.kind LIMIT 1
      ) AS r`,
    list: `SELECT asked.i, r.kind, r.id, r.version, r.value
      FROM unnest($1::text[], $2::bytea[], $3::int[]) WITH ORDINALITY AS asked (key, after, most, i), LATERAL (
        SELECT r.kind, r.id, r.version, r.value FROM ${schema}.listed AS l
        JOIN ${schema}.record AS r ON r.id = l.id AND r.kind = l.kind
        WHERE l.key = asked.key AND l.id > asked.after ORDER BY l.id, l.kind LIMIT asked.most
      ) AS r ORDER BY asked.i, r.id, r.kind`,
    latest: `SELECT r.kind, r.id, r.version, r.value FROM ${schema}.listed AS l
      JOIN ${schema}.record AS r ON r.id = l.id AND r.kind = l.kind
      WHERE l.key = $1 AND l.id < $2 ORDER BY l.id DESC, l.kind DESC LIMIT $3`,
    due: `SELECT kind, id, version, value FROM ${schema}.record WHERE kind = $1 AND due <= ${now("$2")} ORDER BY due LIMIT $3`,
    count: `SELECT value FROM ${schema}.counted WHERE key = $1 AND until > ${now("$2")}`,
    entries: `SELECT e.seq, e.time, e.type, e.ref, e.salt, e.content, e.erased, e.hash FROM ${schema}.workspace AS w
      JOIN ${schema}.entry AS e ON e.workspace = w.n WHERE w.id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3`,
    changed: `SELECT asked.i, e.seq, e.time, w.epoch FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY AS asked (workspace, change, i)
      JOIN ${schema}.workspace AS w ON w.id = asked.workspace
      JOIN ${schema}.entry AS e ON e.change = asked.change AND e.workspace = w.n`,
    head: `SELECT w.id, w.seq, w.hash, w.time, w.epoch, w.paused, s.checkpoint AS signed FROM ${schema}.workspace AS w
      LEFT JOIN ${schema}.signed AS s ON s.workspace = w.n WHERE w.id = ANY ($1::text[])`,
    addHead: `INSERT INTO ${schema}.workspace (id, seq, hash, time, epoch, paused) VALUES ($1, 0, $2, 0, 0, false)
      ON CONFLICT (id) DO NOTHING`,
    sign: `INSERT INTO ${schema}.signed (workspace, checkpoint) SELECT n, $2 FROM ${schema}.workspace WHERE id = $1
      ON CONFLICT (workspace) DO UPDATE SET checkpoint = excluded.checkpoint`,
    sweepHeld: `DELETE FROM ${schema}.held WHERE key IN
      (SELECT key FROM ${schema}.held WHERE until < ${now("$1")} - $2 LIMIT $3 FOR UPDATE SKIP LOCKED)`,
    sweepCounted: `DELETE FROM ${schema}.counted WHERE key IN
      (SELECT key FROM ${schema}.counted WHERE until < ${now("$1")} - $2 LIMIT $3 FOR UPDATE SKIP LOCKED)`,
  } as const;
}

type Name = keyof ReturnType<typeof statementsOf>;

/** The statements of one schema, on whichever connection of the pool is free. */
export class Statements {
  readonly pool: PostgresPool;
  readonly #schema: string;
  readonly #texts: Readonly<Record<Name, string>>;

  constructor(pool: PostgresPool, schema: string) {
    this.pool = pool;
    this.#schema = schema;
    this.#texts = statementsOf(schema);
  }

  /** Rejects with the driver's own error: whether a write that failed may be tried again is in its code. */
  async run<T extends object>(name: Name, values: unknown[]): Promise<readonly T[]> {
    // Pools may be shared by several schemas, and a connection knows each name once.
    const { rows } = await this.pool.query({ name: `${this.#schema}.${name}`, text: this.#texts[name], values });
    return rows as T[];
  }

  /** A read is tried once more, because the first to use a connection that broke while it lay idle learns of it. */
  async read<T extends object>(name: Name, values: unknown[]): Promise<readonly T[]> {
    try {
      return await this.run<T>(name, values);
    } catch (error) {
      if (!isConnectionLost(error)) throw storeFailure(error);
    }
    try {
      return await this.run<T>(name, values);
    } catch (error) {
      throw storeFailure(error);
    }
  }
}
