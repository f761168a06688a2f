import { Client, Pool } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Marks } from "../../test/support/marks.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../../test/support/postgres.mjs";
import { verifyChain } from "../core/audit.js";
import type { Store } from "../core/ports.js";
import { postgresStore } from "./postgres.js";

const missing = postgresMissing();
/** A server that answers before it flushes, and then takes its time. */
const CARELESS = ["synchronous_commit=off", "wal_writer_delay=10s", "wal_writer_flush_after=1GB"];

async function newServer(): Promise<PostgresServer> {
  const server = await startPostgres({ settings: CARELESS });
  onTestFinished(() => server.stop());
  return server;
}

/** The machine's end: what was not flushed is gone with its memory. */
async function powerCut(server: PostgresServer): Promise<void> {
  const client = new Client({ connectionString: server.url() });
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ file: string; at: number }>(
    "SELECT file_name AS file, file_offset AS at FROM pg_walfile_name_offset(pg_current_wal_flush_lsn())",
  );
  await server.powerCut(rows[0] ?? { file: "", at: 0 });
  await client.end().catch(() => undefined);
  await server.start();
}

/** How many of the marks are gone for somebody who opens this server now. What is there is a chain that holds. */
async function lostAt(server: PostgresServer, marks: Marks): Promise<number> {
  const store = await postgresStore({ url: server.url(), listen: false });
  onTestFinished(() => store.close());
  const entries = await store.entries("w1", 0, 1_000);
  expect(verifyChain("w1", entries, [await store.checkpoint("w1")]).ok).toBe(true);
  return (await marks.lostIn(store)).length;
}

async function lostAfterPowerCut(server: PostgresServer, store: Store): Promise<number> {
  const marks = new Marks();
  await marks.write(store, () => marks.count === 50);
  await powerCut(server);
  return lostAt(server, marks);
}

async function ask(server: PostgresServer, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: server.url() });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

describe.skipIf(missing !== undefined)(`what Postgres acknowledged ${missing ?? ""}`, () => {
  it("is all there after a power cut, on a server that would not flush by itself (I5)", async () => {
    const server = await newServer();
    const store = await postgresStore({ url: server.url(), listen: false });
    onTestFinished(() => store.close());
    expect(await lostAfterPowerCut(server, store)).toBe(0);
  });

  it("is reported lost after a power cut with synchronous_commit off, and start had refused and warned (negative control)", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    const server = await newServer();
    const pool = new Pool({ connectionString: server.url() });
    pool.on("error", () => undefined);
    onTestFinished(() => pool.end());
    await expect(postgresStore({ pool, listen: false })).rejects.toThrow(/synchronous_commit = off/);
    const store = await postgresStore({ pool, listen: false, acceptLoss: true });
    onTestFinished(() => store.close());
    expect(warned.mock.calls.flat()).toContainEqual(expect.stringContaining("may be lost"));
    expect(await lostAfterPowerCut(server, store)).toBeGreaterThan(0);
  });

  it("is all there on a synchronous standby that takes over, so that no spent mark looks unspent (fault R10, I1, I5)", async () => {
    const primary = await startPostgres();
    onTestFinished(() => primary.stop());
    const standby = await primary.follower();
    onTestFinished(() => standby.stop());
    await expect(postgresStore({ url: standby.url() })).rejects.toThrow(/is a standby and takes no writes/);
    await ask(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
    const store = await postgresStore({ url: primary.url(), listen: false });
    onTestFinished(() => store.close());
    expect(store.promises().text).toContain("on a synchronous standby");
    const marks = new Marks();
    const writing = marks.write(store, () => false).catch(() => undefined);
    await expect.poll(() => marks.count, { timeout: 20_000, interval: 1 }).toBeGreaterThan(50);
    await primary.crash();
    await writing;
    await ask(standby, "SELECT pg_promote()");
    expect(await lostAt(standby, marks)).toBe(0);
  });
});
