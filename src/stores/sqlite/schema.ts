import { CountersignError } from "../../core/errors.js";
import { type Database, rollBack } from "./driver.js";

/*
 * Rows are small and append at the end, which fills pages to the brim: an entry's key is its workspace's number and its
 * sequence number in one integer, and ids that grow with time are kept as 16 bytes.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE workspace (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL, hash BLOB NOT NULL, time INTEGER NOT NULL, epoch INTEGER NOT NULL, paused INTEGER NOT NULL,
    signed TEXT
  ) STRICT;
  CREATE TABLE record (
    n INTEGER PRIMARY KEY, kind TEXT NOT NULL, id ANY NOT NULL, version INTEGER NOT NULL, value TEXT NOT NULL, keys TEXT,
    due INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX record_id ON record (id, kind);
  CREATE INDEX record_due ON record (kind, due) WHERE due IS NOT NULL;
  CREATE TABLE listed (key TEXT NOT NULL, kind TEXT NOT NULL, id ANY NOT NULL, PRIMARY KEY (key, id, kind)) STRICT, WITHOUT ROWID;
  CREATE TABLE entry (
    n INTEGER PRIMARY KEY, time INTEGER NOT NULL, change ANY, type TEXT NOT NULL, ref ANY, salt BLOB, content TEXT,
    hash BLOB NOT NULL, erased BLOB
  ) STRICT;
  CREATE TABLE held (key TEXT PRIMARY KEY, id TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE counted (key TEXT PRIMARY KEY, value INTEGER NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  // Nothing moves: usual types of entries are digits from here on, which an older version would not know.
  "",
  // What is found by a key stands in one table: a step changes several of them, and those of one page are written once.
  `
  CREATE TABLE keyed (
    key TEXT NOT NULL, id ANY NOT NULL, kind TEXT NOT NULL, value ANY, until INTEGER, PRIMARY KEY (key, id, kind)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO keyed (key, id, kind) SELECT key, id, kind FROM listed;
  INSERT INTO keyed (key, id, kind, value, until) SELECT key, '', '=', id, until FROM held;
  INSERT INTO keyed (key, id, kind, value, until) SELECT key, '', '#', value, until FROM counted;
  DROP TABLE listed;
  DROP TABLE held;
  DROP TABLE counted;
  `,
];

/** Brings the file up to date, once, whoever is first; a file from a newer version is left alone. */
export function migrate(database: Database, path: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version > MIGRATIONS.length) {
      throw new CountersignError(
        "store_failed",
        `${path} was written by a newer Countersign (format ${version}, this one knows ${MIGRATIONS.length}). Update the package.`,
      );
    }
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    if (version < MIGRATIONS.length) database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}
