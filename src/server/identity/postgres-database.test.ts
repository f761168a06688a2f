import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeIdentityDatabase } from "../../../test/identity/database-contract.js";
import { keepWorldsIn } from "../../../test/identity/world.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../../../test/support/postgres.mjs";
import { openPool } from "../../stores/postgres/driver.js";
import { postgresStore } from "../../stores/postgres.js";
import { migrate } from "./migrate.js";
import { postgresIdentityDatabase } from "./postgres-database.js";
import { MIGRATIONS } from "./schema.js";

const missing = postgresMissing();
let server: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  if (missing === undefined) server = await startPostgres({ settings: ["max_connections=300"] });
});
afterAll(async () => {
  await server?.stop();
});

const named = (path: string) => `world_${createHash("sha256").update(path).digest("hex").slice(0, 30)}`;
keepWorldsIn((path) => postgresIdentityDatabase({ url: server.url(), schema: named(path) }));

describe.skipIf(missing !== undefined)(`identity in Postgres ${missing ?? ""}`, async () => {
  describeIdentityDatabase("Postgres", () => {
    const schema = `contract_${++schemas}`;
    return () => postgresIdentityDatabase({ url: server.url(), schema });
  });

  // Everything that is true of people, keys and devices is true here too: the same tests once more, on other tables.
  const folder = new URL(".", import.meta.url);
  for (const file of readdirSync(folder)) {
    if (/(?<!database)\.test\.ts$/.test(file)) await import(/* @vite-ignore */ new URL(file, folder).pathname);
  }

  it("makes its tables once, whoever is first, beside the engine's own", async () => {
    const url = server.url();
    const [one, two] = [postgresIdentityDatabase({ url }), postgresIdentityDatabase({ url })];
    const [store] = await Promise.all([postgresStore({ url }), migrate(one, 1), migrate(two, 2)]);
    onTestFinished(async () => {
      await Promise.all([one.close(), two.close(), store.close()]);
    });
    const made = await two.all("SELECT version FROM identity_migration ORDER BY version");
    expect(made).toEqual(MIGRATIONS.map((_, index) => ({ version: index + 1 })));
  });

  it("waits for another instance's migration for longer than any other statement may take (fault R23)", async () => {
    const pool = await openPool({ url: server.url(), searchPath: "patient", statementTimeout: 100 });
    const database = postgresIdentityDatabase({ pool });
    onTestFinished(() => pool.end());
    await pool.query({ text: "CREATE SCHEMA patient" });
    const other = postgresIdentityDatabase({ url: server.url(), schema: "patient" });
    onTestFinished(() => other.close());
    const migrating = await other.transaction(async () => {
      const started = migrate(database, 1).then(() => "done", String);
      const waiting = `SELECT 1 AS n FROM pg_stat_activity WHERE wait_event = 'advisory' AND clock_timestamp() - query_start > interval '500 ms'`;
      await expect.poll(() => database.all(waiting), { timeout: 20_000 }).toHaveLength(1);
      return { started };
    });
    expect(await migrating.started).toBe("done");
  });

  it("counts without waiting for whoever changes rights, here or on another instance", async () => {
    const open = () => postgresIdentityDatabase({ url: server.url(), schema: "counting" });
    const [one, two] = [open(), open()];
    onTestFinished(async () => {
      await Promise.all([one.close(), two.close()]);
    });
    await migrate(one, 1);
    const count = "INSERT INTO identity_counter VALUES (?, 1, 1)";
    await one.transaction(async (rights) => {
      await rights.run("INSERT INTO identity_workspace VALUES ('w', 'W', 1)");
      for (const [index, database] of [one, two].entries())
        await database.transaction((queries) => queries.run(count, `c${index}`), "relaxed");
    });
    expect(await two.all("SELECT id FROM identity_counter ORDER BY id")).toEqual([{ id: "c0" }, { id: "c1" }]);
  });

  it("takes a pool of the host and leaves it open", async () => {
    const pool = await openPool({ url: server.url(), searchPath: "public" });
    onTestFinished(() => pool.end());
    const database = postgresIdentityDatabase({ pool });
    await migrate(database, 1);
    await database.close();
    expect((await pool.query({ text: "SELECT count(*)::int AS n FROM identity_user" })).rows).toEqual([{ n: 0 }]);
  });
});

describe("its options", () => {
  it("name one place", () => {
    expect(() => postgresIdentityDatabase({})).toThrow(/either a url or a pool/);
    expect(() => postgresIdentityDatabase({ url: "postgres://x", schema: "A;" })).toThrow(/schema is named/);
  });
});
