import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, postgresMissing, startPostgres } from "../../test/support/postgres.mjs";
import { usePostgres } from "../../test/support/postgres-pool.js";
import { verifyChain } from "../core/audit.js";
import { Grouper } from "../core/grouper.js";
import { newId } from "../core/ids.js";
import type { Change, Store } from "../core/ports.js";
import { migrate as migrateIdentity } from "../server/identity/migrate.js";
import { postgresIdentityDatabase } from "../server/identity/postgres-database.js";
import { openPool, type PostgresPool } from "./postgres/driver.js";
import { MIGRATIONS, migrate } from "./postgres/migrate.js";
import { Statements } from "./postgres/statements.js";
import { Whole } from "./postgres/whole.js";
import { type PostgresOptions, postgresStore } from "./postgres.js";

const missing = postgresMissing();
const BUILT = new URL("../../dist/stores/postgres.js", import.meta.url).href;

let server: PostgresServer;
let pool: PostgresPool;
let schemas = 0;
let schema: string;

usePostgres((...stood) => {
  [server, pool] = stood;
});
beforeEach(() => {
  schema = `instances_${++schemas}`;
});

async function open(options: Partial<PostgresOptions> = {}): Promise<Store> {
  const store = await postgresStore({ url: server.url(), schema, maxConnections: 4, ...options });
  onTestFinished(() => store.close());
  return store;
}

const change = (workspaceId: string, parts: Partial<Change> = {}): Change => ({
  changeId: newId(),
  workspaceId,
  puts: [],
  entries: [{ type: "thing.happened", ref: "", content: "{}" }],
  ...parts,
});

async function isWhole(store: Store, workspaceId: string, length: number): Promise<void> {
  const entries = await store.entries(workspaceId, 0, 100_000);
  expect(entries).toHaveLength(length);
  expect(verifyChain(workspaceId, entries, [await store.checkpoint(workspaceId)]).ok).toBe(true);
}

async function ask<T extends object>(text: string, values: unknown[] = []): Promise<readonly T[]> {
  return (await pool.query({ text, values })).rows as T[];
}

describe.skipIf(missing !== undefined)(`several instances on one Postgres ${missing ?? ""}`, () => {
  it("never wait for each other in a circle, however they name workspaces (fault R6)", async () => {
    const stores = await Promise.all([open(), open(), open(), open()]);
    const names = ["w1", "w2", "w3", "w4", "w5"];
    const rounds = 25;
    const work = stores.map(async (store, i) => {
      for (let round = 0; round < rounds; round++) {
        // Each instance names them in another order, and all of them are new to everybody in the first round.
        const order = [...names.slice(i), ...names.slice(0, i)];
        const applied = await store.commit(order.map((name) => change(name)));
        expect(applied.every(({ ok }) => ok)).toBe(true);
      }
    });
    await Promise.all(work);
    for (const name of names) await isWhole(stores[0] as Store, name, stores.length * rounds);
    const [{ deadlocks } = { deadlocks: "" }] = await ask<{ deadlocks: string }>(
      "SELECT sum(deadlocks)::text AS deadlocks FROM pg_stat_database",
    );
    expect(deadlocks).toBe("0");
  });

  it("link everything into one chain although each sends another group before the first is answered", async () => {
    const stores = await Promise.all([open(), open()]);
    const each = 700;
    const work = stores.map(async (store) => {
      const grouper = new Grouper(store);
      return Promise.all(Array.from({ length: each }, () => grouper.commit(change("w"))));
    });
    const applied = (await Promise.all(work)).flat();
    const places = applied.map((one) => (one.ok ? one.seq : 0)).toSorted((a, b) => a - b);
    expect(places).toEqual(Array.from({ length: stores.length * each }, (_, index) => index + 1));
    await isWhole(stores[0] as Store, "w", stores.length * each);
  });

  it("give one key, one record and one place to exactly one of many workspaces", async () => {
    const stores = await Promise.all([open(), open(), open()]);
    for (let round = 0; round < 40; round++) {
      const contests = {
        key: () => ({ unique: [{ key: `k${round}`, id: newId(), until: Number.MAX_SAFE_INTEGER }] }),
        record: () => ({ puts: [{ kind: "grant" as const, id: `r${round}`, version: 0, value: "v" }] }),
        version: () => ({
          puts: [{ kind: "grant" as const, id: `r${round}`, version: 1, value: "w", indexes: ["l"] }],
        }),
        place: () => ({ counts: [{ key: `c${round}`, add: 1, max: 1 }] }),
      };
      for (const contest of Object.values(contests)) {
        const applied = await Promise.all(
          stores.map(async (store, i) => (await store.commit([change(`w${i}`, { entries: [], ...contest() })]))[0]),
        );
        expect(applied.filter((each) => each?.ok)).toHaveLength(1);
      }
    }
  });

  it("refuse a record that another workspace moves between the look at it and the write", async () => {
    const store = await open();
    const put = { kind: "grant" as const, id: "r", value: "v" };
    await store.commit([change("w"), change("w", { puts: [{ ...put, version: 0, indexes: ["before"] }] })]);
    const client = await pool.connect();
    await client.query({ text: "BEGIN" });
    await client.query({ text: `UPDATE ${schema}.record SET version = 2, value = 'theirs'` });
    const waiting = store.commit([change("w", { puts: [{ ...put, version: 1, indexes: ["after"] }] })]);
    await expect
      .poll(() => ask("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%commit_whole%'"))
      .toHaveLength(1);
    await client.query({ text: "COMMIT" });
    client.release();
    expect(await waiting).toMatchObject([{ refused: "version", current: { version: 2, value: "theirs" } }]);
    expect(await store.list("before", "", 9)).toHaveLength(1);
    expect(await store.list("after", "", 9)).toEqual([]);
    await isWhole(store, "w", 2);
  });

  it("do not hold up one workspace while another is locked", async () => {
    const store = await open();
    await store.commit([change("locked"), change("free")]);
    const client = await pool.connect();
    await client.query({ text: "BEGIN" });
    await client.query({ text: `SELECT 1 FROM ${schema}.workspace WHERE id = 'locked' FOR UPDATE` });
    const waiting = store.commit([change("locked")]);
    expect((await store.commit([change("free")]))[0]?.ok).toBe(true);
    await client.query({ text: "ROLLBACK" });
    client.release();
    expect((await waiting)[0]?.ok).toBe(true);
  });

  it("judge time by the server's clock, whatever their own says (faults R14, R15)", async () => {
    const store = await open();
    const [asked] = await ask<{ now: number }>("SELECT extract(epoch FROM now())::float8 * 1000 AS now");
    const [applied] = await store.commit([change("w1")]);
    expect(applied?.time).toBeGreaterThanOrEqual(Math.floor(asked?.now ?? Infinity));
    expect(Math.abs(store.time() - (applied?.time ?? 0))).toBeLessThan(60_000);
    const [late] = await store.commit([change("w1", { before: applied?.time ?? 0 })]);
    expect(late).toMatchObject({ ok: false, refused: "late" });
  });

  it("hear of each other although every notification is lost, by polling (fault R12)", async () => {
    const [writer, reader] = [await open(), await open({ listen: false, pollEvery: 50 })];
    for (let n = 0; n < 3; n++) {
      const hinted = new Promise<void>((resolve) => {
        const stop = reader.watch(() => {
          stop();
          resolve();
        });
      });
      await writer.commit([change("w1")]);
      await hinted;
    }
  });

  it("hear of each other at once, and again after the listening connection was cut", async () => {
    // Polling would take longer than the test may.
    const [writer, reader] = [await open(), await open({ pollEvery: 3_600_000 })];
    let hints = 0;
    reader.watch(() => hints++);
    const listening = () =>
      ask<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND query LIKE $1 AND state = 'idle'",
        [`%${schema}%`],
      );
    await expect.poll(listening).toHaveLength(1);
    const heard = async () => {
      const before = hints;
      await writer.commit([change("w1")]);
      await expect.poll(() => hints, { timeout: 10_000 }).toBeGreaterThan(before);
    };
    await heard();
    const pid = (await listening())[0]?.pid;
    await ask("SELECT pg_terminate_backend($1)", [pid]);
    await expect.poll(async () => (await listening())[0]?.pid ?? pid, { timeout: 10_000 }).not.toBe(pid);
    await heard();
  });
});

describe.skipIf(missing !== undefined)("the schema", () => {
  it("is made once by four processes that start at the same moment (fault R23)", async () => {
    const script = `
      import { postgresStore } from ${JSON.stringify(BUILT)};
      const store = await postgresStore({ url: process.argv[1], schema: process.argv[2] });
      const change = { changeId: crypto.randomUUID(), workspaceId: "w", puts: [], entries: [{ type: "a.b", ref: "", content: "{}" }] };
      const [applied] = await store.commit([change]);
      await store.close();
      process.exit(applied.ok ? 0 : 1);
    `;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ["--input-type=module", "-e", script, server.url(), schema], { stdio: "inherit" }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, "close"))[0] as number));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await ask(`SELECT version FROM ${schema}.migration`)).toEqual(
      MIGRATIONS.map((_, i) => ({ version: i + 1 })),
    );
    await isWhole(await open(), "w", 4);
  });

  it.each(MIGRATIONS.slice(1).map((_, index) => index + 1))(
    "of format %i is brought up beside an instance that has it open",
    async (format) => {
      const released = MIGRATIONS.slice(0, format);
      await migrate(pool, schema, { migrations: released });
      const store = await open();
      await migrate(pool, schema, { migrations: released });
      await store.commit([change("w1"), change("w1")]);
      await isWhole(store, "w1", 2);
    },
  );

  it("of the next release serves this one too, until a step that it cannot follow (fault R23)", async () => {
    const [first, wider, narrower] = [
      { sql: "CREATE TABLE a (id text)", oldest: 1 },
      { sql: "ALTER TABLE a ADD COLUMN more text", oldest: 1 },
      { sql: "ALTER TABLE a DROP COLUMN id", oldest: 2 },
    ];
    await migrate(pool, schema, { migrations: [first] });
    await migrate(pool, schema, { migrations: [first, wider] });
    await migrate(pool, schema, { migrations: [first] });
    await migrate(pool, schema, { migrations: [first, wider, narrower] });
    await migrate(pool, schema, { migrations: [first, wider] });
    await expect(migrate(pool, schema, { migrations: [first] })).rejects.toThrow(/newer Countersign/);
    const edited = { sql: "CREATE TABLE a (id bytea)", oldest: 1 };
    await expect(migrate(pool, schema, { migrations: [edited, wider, narrower] })).rejects.toThrow(
      /Migration 1 .* differs/,
    );
  });

  it("keeps nothing of a migration that fails half-way", async () => {
    const broken = { sql: "CREATE TABLE a (id text); CREATE NONSENSE", oldest: 1 };
    await expect(migrate(pool, schema, { migrations: [broken] })).rejects.toThrow(/syntax/);
    expect(await ask("SELECT to_regclass($1) AS found", [`${schema}.a`])).toEqual([{ found: null }]);
  });

  it("is only checked where the role may not make it", async () => {
    await expect(open({ migrate: false })).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringMatching(new RegExp(`format 0 .* needs ${MIGRATIONS.length}.*migrate: false`)),
    });
    await open();
    await open({ migrate: false });
  });
});

describe.skipIf(missing !== undefined)("a role that owns the schema and may create no other", () => {
  it("brings it up to date, and keeps people beside it (fault R23)", async () => {
    await ask(`CREATE ROLE owner_of_one LOGIN`);
    await ask(`CREATE SCHEMA ${schema} AUTHORIZATION owner_of_one`);
    const url = new URL(server.url());
    url.username = "owner_of_one";
    const store = await open({ url: url.href });
    expect(await store.commit([change("w")])).toMatchObject([{ ok: true }]);
    const people = postgresIdentityDatabase({ url: url.href, schema });
    onTestFinished(() => people.close());
    await migrateIdentity(people, 1);
  });
});

describe.skipIf(missing !== undefined)("a server whose standby has to have applied each commit", () => {
  it("is not asked for less, by the engine or for people", async () => {
    const strong = await startPostgres({ settings: ["synchronous_commit=remote_apply"] });
    onTestFinished(() => strong.stop());
    const own = await openPool({ url: strong.url() });
    onTestFinished(() => own.end());
    const said = "SELECT current_setting('synchronous_commit') AS said";
    expect((await own.query({ text: said })).rows).toEqual([{ said: "remote_apply" }]);
    const people = postgresIdentityDatabase({ pool: own });
    expect(await people.transaction((queries) => queries.all(said))).toEqual([{ said: "remote_apply" }]);
  });
});

describe.skipIf(missing !== undefined)("a server that may lose what it acknowledged", () => {
  it.each(["fsync", "full_page_writes"])(
    "is refused while %s is off, unless the host accepts that",
    async (setting) => {
      const weak = await startPostgres({ settings: [`${setting}=off`] });
      onTestFinished(() => weak.stop());
      const refused = postgresStore({ url: weak.url() });
      await expect(refused).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringContaining(`${setting} = off`),
      });
      const store = await postgresStore({ url: weak.url(), acceptLoss: true });
      onTestFinished(() => store.close());
      expect(store.promises()).toMatchObject({ durable: false, text: expect.stringContaining(`${setting} = off`) });
    },
  );

  it("is asked to flush every commit, also when its sessions would not", async () => {
    const weak = await startPostgres({ settings: ["synchronous_commit=off"] });
    onTestFinished(() => weak.stop());
    const store = await postgresStore({ url: weak.url() });
    onTestFinished(() => store.close());
    expect(store.promises().durable).toBe(true);
    // A pool of the host is not ours to change.
    const { Pool } = await import("pg");
    const sloppy = new Pool({ connectionString: weak.url() });
    sloppy.on("error", () => undefined);
    onTestFinished(() => sloppy.end());
    await expect(postgresStore({ pool: sloppy })).rejects.toThrow(/synchronous_commit = off/);
    const careless = await postgresStore({ pool: sloppy, acceptLoss: true, listen: false });
    expect(careless.promises().durable).toBe(false);
    await careless.close();
  });

  const empty = { workspaces: [], kinds: [], ids: [], uniqueKeys: [], countKeys: [], workspace: [], type: [] };
  it.each([
    ["commit" as const, (strict: boolean) => [null, JSON.stringify(empty), Buffer.alloc(0), strict]],
    ["commitWhole" as const, (strict: boolean) => Whole.of([])?.parameters(null, strict) ?? []],
  ])("flushes in the function itself (%s), whatever the setting of the session", async (name, valuesOf) => {
    await open();
    const client = await pool.connect();
    onTestFinished(() => client.release());
    const statements = new Statements({ ...pool, query: (query) => client.query(query) }, schema);
    const settingAfter = async (strict: boolean) => {
      await client.query({ text: "BEGIN" });
      await client.query({ text: "SET LOCAL synchronous_commit = off" });
      await statements.run(name, valuesOf(strict));
      const { rows } = await client.query({ text: "SELECT current_setting('synchronous_commit') AS at_commit" });
      await client.query({ text: "ROLLBACK" });
      return (rows[0] as { at_commit: string }).at_commit;
    };
    expect(await settingAfter(true)).toBe("on");
    expect(await settingAfter(false)).toBe("off");
  });
});

describe("the options", () => {
  it("name one place, and a schema that needs no quoting", async () => {
    await expect(postgresStore({})).rejects.toThrow(/either a url or a pool/);
    await expect(postgresStore({ url: "postgres://x", schema: 'a"; DROP TABLE b' })).rejects.toThrow(/schema is named/);
  });

  it("lead to an error without the password when nobody answers", async () => {
    const failing = postgresStore({ url: "postgres://ana:secret@127.0.0.1:1/none" });
    await expect(failing).rejects.toMatchObject({
      code: "store_failed",
      message: expect.not.stringContaining("secret"),
    });
  });
});
