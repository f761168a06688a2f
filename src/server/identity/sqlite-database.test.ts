import { describe, expect, it } from "vitest";
import { describeIdentityDatabase } from "../../../test/identity/database-contract.js";
import { tempFile } from "../../../test/identity/world.js";
import { sqliteStore } from "../../stores/sqlite.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./schema.js";
import { sqliteIdentityDatabase } from "./sqlite-database.js";

describeIdentityDatabase("SQLite", () => {
  const path = tempFile();
  return () => sqliteIdentityDatabase(path);
});

describe("the identity tables", () => {
  it("are made once, whoever is first, and share the engine's file with it", async () => {
    const path = tempFile();
    const store = sqliteStore(path, { worker: false });
    const [one, two] = [sqliteIdentityDatabase(path), sqliteIdentityDatabase(path)];
    await Promise.all([migrate(one, 1), migrate(two, 2)]);
    expect(await two.all("SELECT version, applied_at FROM identity_migration")).toEqual(
      MIGRATIONS.map((_, index) => ({ version: index + 1, applied_at: 1 })),
    );
    expect(store.promises().durable).toBe(true);
    await Promise.all([one.close(), two.close(), store.close()]);
  });

  it("are refused when a released migration was edited, or when they come from a newer version", async () => {
    const database = sqliteIdentityDatabase(tempFile());
    const [first, second] = [["CREATE TABLE a (id TEXT)"], ["CREATE TABLE b (id TEXT)"]];
    await migrate(database, 1, [first]);
    await migrate(database, 2, [first, second]);
    await expect(migrate(database, 3, [first])).rejects.toThrow(/newer Countersign/);
    await expect(migrate(database, 3, [first, ["CREATE TABLE c (id TEXT)"]])).rejects.toThrow(/Migration 2 .* differs/);
    await database.close();
  });

  it("keep nothing of a migration that fails half-way", async () => {
    const database = sqliteIdentityDatabase(tempFile());
    await expect(migrate(database, 1, [["CREATE TABLE a (id TEXT)", "CREATE NONSENSE"]])).rejects.toThrow(/syntax/);
    await migrate(database, 1, [["CREATE TABLE a (id TEXT)"]]);
    expect(await database.all("SELECT version FROM identity_migration")).toEqual([{ version: 1 }]);
    await database.close();
  });

  it("need a file", () => {
    expect(() => sqliteIdentityDatabase(":memory:")).toThrow(/needs a file/);
  });
});
