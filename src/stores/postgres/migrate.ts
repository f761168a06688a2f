import { CountersignError } from "../../core/errors.js";
import { sha256Hex } from "../../core/ids.js";
import { COMMIT_FUNCTION } from "./commit-function.js";
import { type PostgresClient, type PostgresPool, transaction } from "./driver.js";
import { ERASE_FUNCTION } from "./erase-function.js";
import { TABLES } from "./tables.js";
import { WHOLE_FUNCTION } from "./whole-function.js";
import { WHOLE_FUNCTION_1 } from "./whole-function-1.js";

export interface Migration {
  readonly sql: string;
  /**
   * How many migrations the oldest release knows that still works once this one was applied. An expanding step (a new table,
   * a nullable column, a function of a new name) leaves it; a contracting one (something dropped) raises it. Releases first
   * expand, and contract one release later, so that two neighbouring releases can always run side by side.
   */
  readonly oldest: number;
}

/** In order. A migration that was released is never edited, whatever is wrong with it: its checksum is kept in the database. */
export const MIGRATIONS: readonly Migration[] = [
  { sql: [TABLES, COMMIT_FUNCTION, ERASE_FUNCTION].join("\n"), oldest: 1 },
  { sql: WHOLE_FUNCTION_1, oldest: 1 },
  { sql: WHOLE_FUNCTION, oldest: 1 },
];

/** A migration of big tables takes its time, and so does waiting for one. */
export const PATIENCE = 3_600_000;
/** As long as that, whatever the session's own limit is. */
export const PATIENTLY = "SET LOCAL statement_timeout = 0";

interface Applied {
  readonly version: number;
  readonly checksum: string;
  readonly oldest: number;
}

/** Brings the schema up to date, once, whoever of any number of instances is first; the others wait and find it done. */
export async function migrate(
  pool: PostgresPool,
  schema: string,
  { apply = true, migrations = MIGRATIONS }: { apply?: boolean; migrations?: readonly Migration[] } = {},
): Promise<void> {
  await transaction(pool, (client) => bringUp(client, schema, apply, migrations));
}

async function bringUp(
  client: PostgresClient,
  schema: string,
  apply: boolean,
  migrations: readonly Migration[],
): Promise<void> {
  // Waiting for another instance's migration may take longer than any statement of ours should.
  await client.query({ text: PATIENTLY });
  await client.query({
    text: "SELECT pg_advisory_xact_lock(hashtextextended('countersign/' || $1, 0))",
    values: [schema],
    query_timeout: PATIENCE,
  });
  const applied = await appliedTo(client, schema);
  refuseForeign(applied, schema, migrations);
  if (applied.length >= migrations.length) return;
  if (!apply) {
    throw new CountersignError(
      "store_failed",
      `The schema "${schema}" is at format ${applied.length} and this version needs ${migrations.length}. Start once without migrate: false, as a role that may create tables.`,
    );
  }
  // Whoever owns the schema need not be allowed to create others, which even IF NOT EXISTS asks for.
  const { rows } = await client.query({ text: "SELECT to_regnamespace($1) IS NULL AS missing", values: [schema] });
  if ((rows[0] as { readonly missing: boolean }).missing) await client.query({ text: `CREATE SCHEMA ${schema}` });
  await client.query({
    text: `CREATE TABLE IF NOT EXISTS ${schema}.migration (
      version integer PRIMARY KEY, checksum text NOT NULL, oldest integer NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  });
  await client.query({ text: `SET LOCAL search_path = ${schema}, pg_temp` });
  for (const [index, { sql, oldest }] of migrations.entries()) {
    if (index < applied.length) continue;
    await client.query({ text: sql.replaceAll("@schema", schema), query_timeout: PATIENCE });
    await client.query({
      text: `INSERT INTO ${schema}.migration (version, checksum, oldest) VALUES ($1, $2, $3)`,
      values: [index + 1, sha256Hex(sql), oldest],
    });
  }
}

async function appliedTo(client: PostgresClient, schema: string): Promise<readonly Applied[]> {
  const found = await client.query({ text: "SELECT to_regclass($1) AS found", values: [`${schema}.migration`] });
  if ((found.rows[0] as { readonly found: string | null }).found === null) return [];
  const text = `SELECT version, checksum, oldest FROM ${schema}.migration ORDER BY version`;
  return (await client.query({ text })).rows as Applied[];
}

/** A history that is not ours, or that has gone on to where this version cannot follow, is left as it is. */
function refuseForeign(applied: readonly Applied[], schema: string, migrations: readonly Migration[]): void {
  for (const { version, checksum, oldest } of applied) {
    const ours = migrations[version - 1];
    if (ours !== undefined && sha256Hex(ours.sql) !== checksum) {
      throw new CountersignError(
        "store_failed",
        `Migration ${version} of the schema "${schema}" differs from the one it was made with. Use the package version that made it, or a newer release.`,
      );
    }
    if (oldest > migrations.length) {
      throw new CountersignError(
        "store_failed",
        `The schema "${schema}" was changed by a newer Countersign (format ${version}, this one knows ${migrations.length} and may no longer use it). Update the package.`,
      );
    }
  }
}
