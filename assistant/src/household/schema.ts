/** Times are ISO texts, flags 0 and 1. A migration that was released is never edited. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE todo_list (
     id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL,
     UNIQUE (workspace_id, name)
   );
   CREATE TABLE todo (
     id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, list_id TEXT REFERENCES todo_list (id), title TEXT NOT NULL,
     notes TEXT, priority TEXT NOT NULL, due_at TEXT, assigned_to TEXT, done_at TEXT, created_by TEXT NOT NULL,
     created_at TEXT NOT NULL, revision INTEGER NOT NULL DEFAULT 1, demo INTEGER NOT NULL DEFAULT 0
   );
   CREATE INDEX todo_workspace ON todo (workspace_id, done_at);
   CREATE TABLE note_folder (
     id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, name TEXT NOT NULL, created_at TEXT NOT NULL,
     UNIQUE (workspace_id, name)
   );
   CREATE TABLE note (
     id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, folder_id TEXT REFERENCES note_folder (id), title TEXT NOT NULL,
     body TEXT NOT NULL, created_by TEXT NOT NULL, created_at TEXT NOT NULL, revision INTEGER NOT NULL DEFAULT 1
   );
   CREATE INDEX note_workspace ON note (workspace_id, folder_id);
   CREATE TABLE event (
     id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, ics TEXT NOT NULL, created_by TEXT NOT NULL,
     revision INTEGER NOT NULL DEFAULT 1
   );
   CREATE INDEX event_workspace ON event (workspace_id);
   CREATE TABLE effect (idempotency_key TEXT PRIMARY KEY, result TEXT NOT NULL, at TEXT NOT NULL);
   CREATE TABLE conversation (
     id TEXT NOT NULL, workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, context TEXT NOT NULL, updated_at TEXT NOT NULL,
     PRIMARY KEY (workspace_id, user_id, id)
   );
   CREATE TABLE held_call (
     token_hash TEXT PRIMARY KEY, approval_id TEXT NOT NULL UNIQUE, conversation_id TEXT NOT NULL,
     workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, tool TEXT NOT NULL, args TEXT NOT NULL,
     tool_call_hash TEXT NOT NULL, description TEXT NOT NULL, domain TEXT NOT NULL, locale TEXT NOT NULL,
     created_at TEXT NOT NULL
   );
   CREATE INDEX held_call_conversation ON held_call (workspace_id, user_id, conversation_id);
   CREATE TABLE demo_line (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace_id TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
     en TEXT NOT NULL, zh TEXT NOT NULL, approval_id TEXT
   );
   CREATE TABLE data_audit (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
     approval_id TEXT, operation TEXT NOT NULL, sql TEXT NOT NULL, rows INTEGER, sample TEXT, status TEXT NOT NULL,
     error TEXT, at TEXT NOT NULL
   );`,
];
