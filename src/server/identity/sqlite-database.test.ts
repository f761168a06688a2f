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

const migration = (...statements: readonly string[]) => ({ statements, oldest: 1 });

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

  it("are used by the release before while the next one only added to them, and refused once it took away", async () => {
    const database = sqliteIdentityDatabase(tempFile());
    const first = migration("CREATE TABLE a (id TEXT)");
    const expanding = migration("CREATE TABLE b (id TEXT)");
    const contracting = { ...migration("DROP TABLE a"), oldest: 2 };
    await migrate(database, 1, [first]);
    await migrate(database, 2, [first, expanding]);
    await migrate(database, 3, [first]);
    await migrate(database, 4, [first, expanding, contracting]);
    await migrate(database, 5, [first, expanding]);
    await expect(migrate(database, 6, [first])).rejects.toThrow(/newer Countersign/);
    await database.close();
  });

  it("are refused when a released migration was edited, or when nobody said for whom they still work", async () => {
    const database = sqliteIdentityDatabase(tempFile());
    const first = migration("CREATE TABLE a (id TEXT)");
    const second = migration("CREATE TABLE b (id TEXT)");
    await migrate(database, 1, [first, second]);
    const edited = migration("CREATE TABLE c (id TEXT)");
    await expect(migrate(database, 3, [first, edited])).rejects.toThrow(/Migration 2 .* differs/);
    await database.run("DELETE FROM identity_compatible");
    await migrate(database, 4, [first, second]);
    await expect(migrate(database, 5, [first])).rejects.toThrow(/newer Countersign/);
    await database.close();
  });

  it("keep nothing of a migration that fails half-way", async () => {
    const database = sqliteIdentityDatabase(tempFile());
    await expect(migrate(database, 1, [migration("CREATE TABLE a (id TEXT)", "CREATE NONSENSE")])).rejects.toThrow(
      /syntax/,
    );
    await migrate(database, 1, [migration("CREATE TABLE a (id TEXT)")]);
    expect(await database.all("SELECT version FROM identity_migration")).toEqual([{ version: 1 }]);
    await database.close();
  });

  it("need a file", () => {
    expect(() => sqliteIdentityDatabase(":memory:")).toThrow(/needs a file/);
  });
});
