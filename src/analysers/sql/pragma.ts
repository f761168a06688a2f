import type { StatementNotes } from "./statement.js";

const FORM =
  /^PRAGMA\s+(?:[A-Za-z_]\w*\s*\.\s*)?([A-Za-z_]\w*)\s*(?:(=)\s*|(\()\s*)?([+-]?[\w.]+|'[^']*'|"[^"]*")?\s*(\))?$/i;

/** Pragmas that only look, also with a name in parentheses. */
const LOOKS = new Set(
  `table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check database_list
  collation_list function_list module_list pragma_list compile_options integrity_check quick_check data_version freelist_count
  page_count`.split(/\s+/),
);

/** Settings that only look when they are given no value. */
const SETTINGS = new Set(
  `analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill cell_size_check
  checkpoint_fullfsync defer_foreign_keys encoding foreign_keys fullfsync hard_heap_limit ignore_check_constraints journal_mode
  journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size page_size query_only read_uncommitted
  recursive_triggers reverse_unordered_selects schema_version secure_delete soft_heap_limit synchronous temp_store threads
  trusted_schema user_version wal_autocheckpoint writable_schema`.split(/\s+/),
);

/** Settings that can corrupt the file, lose what was committed or switch checks off. */
const GRAVE = new Set(
  `writable_schema schema_version journal_mode synchronous trusted_schema foreign_keys ignore_check_constraints auto_vacuum
  encoding page_size locking_mode`.split(/\s+/),
);

/** Notes a PRAGMA. The wasm parser reads few of their forms, and they are simple enough to be matched whole. */
export function notePragma(notes: StatementNotes): void {
  notes.name("pragma");
  // Matching backtracks over long white space; no real pragma is that long.
  const [form, name = "", equals, open, value, close] = (notes.text.length < 300 ? FORM.exec(notes.text) : null) ?? [];
  const pragma = name.toLowerCase();
  const given = equals !== undefined || open !== undefined;
  const broken = given !== (value !== undefined) || (open !== undefined) !== (close !== undefined);
  if (form === undefined || broken) {
    notes.uninspectable("unparsable", "This PRAGMA is not of a form that can be read.");
  } else if (LOOKS.has(pragma) ? equals === undefined : SETTINGS.has(pragma) && !given) {
    return;
  } else if (SETTINGS.has(pragma) && !GRAVE.has(pragma)) {
    notes.add("R3", "pragma_set", `PRAGMA ${pragma} changes a setting of the database.`);
  } else {
    notes.add("R4", "pragma_grave", `PRAGMA ${pragma} can change or endanger what the database holds.`);
  }
}
