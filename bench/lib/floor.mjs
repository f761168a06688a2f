// The floor: the same number of durable commits a cycle, one by one, with nothing around them. Raw SQLite, WAL, FULL.
import { createRequire } from "node:module";

/** @returns {any} */
function database(/** @type {string} */ path) {
  const driver = process.getBuiltinModule("node:sqlite") ?? createRequire(import.meta.url)("@photostructure/sqlite");
  return new driver.DatabaseSync(path);
}

/** Three commits: request, decision with claim, receipt. */
export function openFloor(/** @type {string} */ path) {
  const db = database(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec("CREATE TABLE call (id INTEGER PRIMARY KEY, state TEXT NOT NULL, args TEXT NOT NULL, result TEXT) STRICT");
  const insert = db.prepare("INSERT INTO call (state, args) VALUES ('pending', ?)");
  const claim = db.prepare("UPDATE call SET state = 'executing' WHERE id = ? AND state = 'pending'");
  const finish = db.prepare("UPDATE call SET state = 'succeeded', result = ? WHERE id = ?");
  return {
    cycle(/** @type {string} */ args) {
      const id = Number(insert.run(args).lastInsertRowid);
      claim.run(id);
      finish.run('{"ok":true}', id);
    },
    close: () => db.close(),
  };
}
