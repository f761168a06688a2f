import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openDatabase } from "./driver.js";
import { Log } from "./log.js";

function open() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-log-"));
  const path = join(folder, "store.db");
  const database = openDatabase(path);
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE some (n INTEGER)");
  return { database, log: new Log(database), path };
}

it("is full after about a thousand pages, and asked for once", () => {
  const { log } = open();
  for (let commits = 0; commits < 18; commits++) log.wrote(128);
  expect(log.takeFull()).toBe(false);
  for (let commits = 0; commits < 3; commits++) log.wrote(128);
  expect(log.takeFull()).toBe(true);
  expect(log.takeFull()).toBe(false);
});

it("goes into the file when it is emptied, and is no error where that cannot be", () => {
  const { database, log, path } = open();
  database.exec("INSERT INTO some VALUES (1)");
  log.empty();
  copyFileSync(path, `${path}.alone`);
  const alone = openDatabase(`${path}.alone`);
  expect(alone.prepare("SELECT count(*) AS count FROM some").get()).toEqual({ count: 1 });
  alone.close();
  database.exec("BEGIN IMMEDIATE; INSERT INTO some VALUES (2)");
  expect(() => log.empty()).not.toThrow();
  database.exec("COMMIT");
  expect(database.prepare("SELECT count(*) AS count FROM some").get()).toEqual({ count: 2 });
});
