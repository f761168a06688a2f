import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vitest from "vitest";
import { describeStore } from "../testing/index.js";
import type * as Sqlite from "./sqlite.js";
import { type SqliteOptions, sqliteStore } from "./sqlite.js";

/** As users have it: the thread's module lies beside the store's. */
const built = (await import(new URL("../../dist/stores/sqlite.js", import.meta.url).href)) as typeof Sqlite;

const folder = mkdtempSync(join(tmpdir(), "countersign-sqlite-"));
vitest.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each test gets a file of its own; `reopen` opens the last one again. */
function describeSqlite(name: string, options: SqliteOptions, open = sqliteStore): void {
  let files = 0;
  const pathOf = (file: number) => join(folder, `${name}-${file}.db`);
  describeStore(vitest, name, (clock) => open(pathOf(++files), { ...options, clock }), {
    reopen: (clock) => open(pathOf(files), { ...options, clock }),
  });
}

describeSqlite("SQLite with a writing thread", {
  worker: new URL("../../dist/stores/sqlite-worker.js", import.meta.url),
});
describeSqlite("SQLite on the main thread", { worker: false });
describeSqlite("SQLite by default", {}, built.sqliteStore);
