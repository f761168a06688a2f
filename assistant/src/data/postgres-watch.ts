import type pg from "pg";
import type { ChangedRow } from "./data.js";

/** A table whose rows a statement may change: named by it, or reached by a foreign key that passes changes on. */
export interface Watched {
  /** Quoted, as it can be written into a statement. */
  readonly name: string;
  readonly isNamed: boolean;
  /** Without the right to it, its rows are counted and not shown. */
  readonly canWatch: boolean;
}

/** The tables behind these names, and those that a change of theirs reaches. Views and what is not there yet are none. */
export async function watchable(client: pg.PoolClient, names: readonly string[]): Promise<readonly Watched[]> {
  const { rows } = await client.query<Watched>(
    `WITH RECURSIVE named AS (SELECT to_regclass(n)::oid AS id FROM unnest($1::text[]) AS n),
     reached AS (
       SELECT id FROM named WHERE id IS NOT NULL
       UNION SELECT c.conrelid FROM pg_constraint c JOIN reached ON c.confrelid = reached.id
       WHERE c.contype = 'f' AND (c.confdeltype IN ('c', 'n', 'd') OR c.confupdtype IN ('c', 'n', 'd'))
     )
     SELECT reached.id::regclass::text AS name, reached.id IN (SELECT id FROM named) AS "isNamed",
       has_table_privilege(reached.id, 'TRIGGER') AS "canWatch"
     FROM reached JOIN pg_class ON pg_class.oid = reached.id WHERE pg_class.relkind IN ('r', 'p')`,
    [names.map(quotedName)],
  );
  return rows;
}

/**
 * Triggers that see each row the statement touches, whatever its WHERE says. They are made and removed inside the transaction, so
 * that no other session ever meets them; of every table at least one row is kept.
 */
export async function watch(client: pg.PoolClient, tables: readonly Watched[], most: number): Promise<void> {
  await client.query(`
    CREATE TEMP SEQUENCE countersign_seq;
    CREATE TEMP TABLE countersign_change (seq bigint, tbl text, before jsonb, after jsonb);
    CREATE FUNCTION pg_temp.countersign_note() RETURNS trigger LANGUAGE plpgsql AS $note$
    DECLARE
      seen bigint := nextval('pg_temp.countersign_seq');
      name text := TG_RELID::regclass::text;
    BEGIN
      IF seen <= ${most} OR NOT EXISTS (SELECT FROM pg_temp.countersign_change WHERE tbl = name) THEN
        INSERT INTO pg_temp.countersign_change VALUES (seen, name,
          CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
      END IF;
      RETURN NULL;
    END $note$`);
  for (const { name } of tables.filter(({ canWatch }) => canWatch)) {
    await client.query(
      `CREATE TRIGGER countersign_note AFTER INSERT OR UPDATE OR DELETE ON ${name}
       FOR EACH ROW EXECUTE FUNCTION pg_temp.countersign_note()`,
    );
  }
}

export async function changesOf(client: pg.PoolClient): Promise<{ total: number; sample: ChangedRow[] }> {
  type Row = { readonly tbl: string; readonly before: unknown; readonly after: unknown };
  const { rows } = await client.query<Row>("SELECT * FROM pg_temp.countersign_change ORDER BY seq");
  const counted = await client.query<{ total: string }>(
    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS total FROM pg_temp.countersign_seq",
  );
  const sample = rows.map(({ tbl, before, after }) => ({
    table: tbl,
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  }));
  return { total: Number(counted.rows[0]?.total ?? 0), sample };
}

/** Nothing of it may be kept with the change. */
export async function removeWatch(client: pg.PoolClient, tables: readonly Watched[]): Promise<void> {
  for (const { name } of tables.filter(({ canWatch }) => canWatch)) {
    await client.query(`DROP TRIGGER countersign_note ON ${name}`);
  }
  await client.query(`
    DROP FUNCTION pg_temp.countersign_note();
    DROP TABLE pg_temp.countersign_change;
    DROP SEQUENCE pg_temp.countersign_seq`);
}

/** Names come folded, their parts joined by dots; a part that holds a dot itself is quoted. */
function quotedName(name: string): string {
  const parts = [...name.matchAll(/"((?:[^"]|"")*)"|([^.]+)/g)];
  return parts.map(([, quoted, plain]) => `"${quoted ?? (plain ?? "").replaceAll('"', '""')}"`).join(".");
}
