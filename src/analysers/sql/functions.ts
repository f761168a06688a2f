import type { RiskTier } from "../../core/risk.js";
import { PURE_FUNCTIONS } from "./pure-functions.js";
import type { SqlDialect, StatementNotes } from "./statement.js";

type Effect = readonly [tier: RiskTier, says: string];

const STOPS: Effect = ["R4", "stops other sessions"];
const READS_FILES: Effect = ["R3", "reads files of the database server"];
const WRITES_FILES: Effect = ["R4", "writes or removes files of the database server"];
const RUNS_TEXT: Effect = ["R4", "runs a query that is given as text and cannot be seen here"];
const REMOTE: Effect = ["R4", "reaches another database, where what it does cannot be seen"];
const HOLDS: Effect = ["R3", "keeps the database busy"];
const LOCKS: Effect = ["R2", "takes or gives back a lock"];
const SERVER: Effect = ["R4", "changes the running server"];
const LOADS_CODE: Effect = ["R4", "loads or runs code outside of SQL"];
const SEQUENCE: Effect = ["R2", "moves a sequence, which no rollback undoes"];
const CHANGES_SETTING: Effect = ["R3", "changes a setting"];

function effects(...groups: readonly (readonly [Effect, string])[]): ReadonlyMap<string, Effect> {
  return new Map(groups.flatMap(([effect, names]) => names.split(" ").map((name) => [name, effect] as const)));
}

const EFFECTS: Readonly<Record<SqlDialect, ReadonlyMap<string, Effect>>> = {
  postgres: effects(
    [STOPS, "pg_terminate_backend pg_cancel_backend"],
    [READS_FILES, "pg_read_file pg_read_binary_file pg_ls_dir pg_stat_file pg_ls_logdir pg_ls_waldir pg_ls_tmpdir"],
    [WRITES_FILES, "lo_export lo_import lo_unlink lo_create lo_creat lo_put lo_from_bytea lowrite lo_truncate"],
    [WRITES_FILES, "pg_file_write pg_file_rename pg_file_unlink pg_file_sync"],
    [RUNS_TEXT, "query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml ts_stat ts_rewrite crosstab"],
    [
      REMOTE,
      "dblink dblink_exec dblink_connect dblink_connect_u dblink_send_query dblink_open postgres_fdw_disconnect",
    ],
    [HOLDS, "pg_sleep pg_sleep_for pg_sleep_until"],
    [LOCKS, "pg_advisory_lock pg_advisory_xact_lock pg_try_advisory_lock pg_advisory_unlock pg_advisory_unlock_all"],
    [SERVER, "pg_reload_conf pg_rotate_logfile pg_switch_wal pg_create_restore_point pg_promote pg_wal_replay_pause"],
    [SERVER, "pg_stat_reset pg_stat_reset_shared pg_drop_replication_slot pg_create_physical_replication_slot"],
    [
      SERVER,
      "pg_create_logical_replication_slot pg_replication_origin_drop pg_import_system_collations pg_backup_start",
    ],
    [SEQUENCE, "nextval"],
    [["R3", "sets a sequence, which no rollback undoes"], "setval"],
    [["R3", "sends a notice to other sessions"], "pg_notify pg_logical_emit_message"],
    [CHANGES_SETTING, "set_config"],
  ),
  mysql: effects(
    [READS_FILES, "load_file"],
    [HOLDS, "sleep benchmark master_pos_wait source_pos_wait wait_for_executed_gtid_set"],
    [LOCKS, "get_lock release_lock release_all_locks"],
    [LOADS_CODE, "sys_exec sys_eval sys_get sys_set"],
    [["R2", "sets the value that LAST_INSERT_ID returns"], "last_insert_id"],
  ),
  sqlite: effects(
    [LOADS_CODE, "load_extension fts3_tokenizer edit"],
    [READS_FILES, "readfile fsdir lsdir"],
    [WRITES_FILES, "writefile"],
    [RUNS_TEXT, "eval"],
  ),
};

/**
 * Notes a function call. A function not on the list of pure ones may be anybody's and may write, so it asks; a pure name counts
 * only without a schema before it, or with the system's own.
 */
export function noteFunction(
  notes: StatementNotes,
  dialect: SqlDialect,
  parts: readonly string[],
  fragment: string,
): void {
  const name = (parts.at(-1) ?? "").toLowerCase();
  const schema = parts.slice(0, -1).join(".").toLowerCase();
  const own = schema === "" || (dialect === "postgres" && schema === "pg_catalog");
  notes.functions.add(own ? name : `${schema}.${name}`);
  const effect = EFFECTS[dialect].get(name);
  if (effect !== undefined) {
    notes.add(effect[0], "effectful_function", `The function ${name} ${effect[1]}.`, fragment);
  } else if (!own || !PURE_FUNCTIONS[dialect].has(name)) {
    const full = own ? name : `${schema}.${name}`;
    notes.add("R3", "unknown_function", `The function ${full} is not known to be free of effects.`, fragment);
  }
}

const CREDENTIALS: Readonly<Record<SqlDialect, RegExp>> = {
  postgres: /^(pg_catalog\.)?(pg_authid|pg_shadow|pg_user_mapping|pg_user_mappings|pg_largeobject|pg_hba_file_rules)$/i,
  mysql: /^mysql\.(user|global_priv|db|slave_master_info|proxies_priv)$/i,
  sqlite: /^$/,
};

const CATALOGUE: Readonly<Record<SqlDialect, RegExp>> = {
  postgres: /^(pg_catalog|information_schema|pg_toast)\.|^pg_/i,
  mysql: /^(mysql|sys|performance_schema|information_schema)\./i,
  sqlite: /^([^.]+\.)?sqlite_/i,
};

/** Notes what is special about the tables a statement named, once all are known. */
export function noteTables(notes: StatementNotes, dialect: SqlDialect): void {
  for (const table of notes.tables) {
    if (CREDENTIALS[dialect].test(table)) {
      notes.add("R3", "credential_table", `The table ${table} holds credentials.`);
    }
  }
  for (const table of notes.writes) {
    if (CATALOGUE[dialect].test(table)) {
      notes.add("R4", "catalogue_write", `The table ${table} belongs to the database's own catalogue.`);
    }
  }
}
