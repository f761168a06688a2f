// What one approval costs the database, whatever the speed of the machine: rows, statements, log and room on disk, for
// docs/scaling.md. Counted by the servers themselves, over a fixed number of cycles.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@redis/client";
import pg from "pg";
import { createGate } from "../dist/index.js";
import { createRetention } from "../dist/proof/index.js";
import { postgresStore } from "../dist/stores/postgres.js";
import { redisStore } from "../dist/stores/redis.js";
import { startPostgres } from "../test/support/postgres.mjs";
import { RedisServer } from "../test/support/redis-server.mjs";
import { cycle, send } from "./lib/cycle.mjs";
import { table } from "./lib/measure.mjs";

const CYCLES = Number(process.env.BENCH_CYCLES ?? 2_000);
const WORKSPACES = 8;
/** A day and an hour: what was said is erased after a day. */
const LATER = 25 * 3_600_000;

/** @param {import("../dist/index.js").Gate} gate @param {number} inFlight */
async function run(gate, inFlight) {
  let next = 0;
  const lane = async () => {
    while (next < CYCLES) {
      const n = next++;
      await cycle(gate, n, `w${n % WORKSPACES}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

/** @typedef {"transactions" | "log" | "inserted" | "updated" | "hot" | "deleted"} Counter */

/** @param {pg.Client} client @returns {Promise<Record<Counter, number>>} */
async function counted(client) {
  // What sessions have done is told when they end or are idle for a while; asking for it anew needs a clean slate.
  await client.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await client.query(`SELECT
    (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()) AS transactions,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS log,
    sum(n_tup_ins)::float8 AS inserted, sum(n_tup_upd)::float8 AS updated, sum(n_tup_hot_upd)::float8 AS hot,
    sum(n_tup_del)::float8 AS deleted FROM pg_stat_user_tables WHERE schemaname = 'countersign'`);
  return rows[0];
}

/** @param {pg.Client} client @returns {Promise<Record<string, number>>} bytes by table, indexes included */
async function sizes(client) {
  const { rows } = await client.query(
    "SELECT relname, pg_total_relation_size(relid)::float8 AS bytes FROM pg_stat_user_tables WHERE schemaname = 'countersign'",
  );
  return Object.fromEntries(rows.map(({ relname, bytes }) => [relname, bytes]));
}

/** The same store, a day later. @param {import("../dist/core/ports.js").Store} store */
function aged(store) {
  return new Proxy(store, {
    get(target, name) {
      if (name === "time") return () => target.time() + LATER;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** @param {number} inFlight */
async function onPostgres(inFlight) {
  const server = await startPostgres({ settings: ["checkpoint_timeout=1h", "max_wal_size=8GB", "autovacuum=off"] });
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  try {
    // Made, and closed again: what a start costs is not what an approval costs.
    await (await postgresStore({ url: server.url() })).close();
    const before = await counted(client);
    const store = await postgresStore({ url: server.url() });
    const gate = createGate({ store, tools: [send], limits: { pendingPerUser: 1_000_000 } });
    await run(gate, inFlight);
    const log = (await counted(client)).log - before.log;
    const fresh = await sizes(client);
    await gate.close();
    const after = await counted(client);
    const again = await postgresStore({ url: server.url() });
    const workspaces = Array.from({ length: WORKSPACES }, (_, n) => `w${n}`);
    const retention = createRetention({ store: aged(again), level: "minimal", workspaces });
    await retention.sweep();
    retention.close();
    await again.close();
    await client.query("VACUUM FULL");
    const each = (/** @type {Counter} */ name) => (after[name] - before[name]) / CYCLES;
    return { each, log: log / CYCLES, fresh, kept: await sizes(client) };
  } finally {
    await client.end();
    await server.stop();
  }
}

async function onRedis() {
  const server = await RedisServer.start({ "auto-aof-rewrite-percentage": "0" }, { inMemory: true });
  const client = createClient({ url: server.url, RESP: 2 });
  await client.connect();
  const info = async (/** @type {string} */ name) => {
    const text = /** @type {string} */ (await client.sendCommand(["INFO", "everything"]));
    return Number(new RegExp(`^${name}:(\\d+)`, "m").exec(text)?.[1]);
  };
  const logs = join(server.folder, "appendonlydir");
  const log = () => readdirSync(logs).reduce((sum, name) => sum + statSync(join(logs, name)).size, 0);
  try {
    const store = await redisStore({ url: server.url });
    const gate = createGate({ store, tools: [send], limits: { pendingPerUser: 1_000_000 } });
    const before = { memory: await info("used_memory"), commands: await info("total_commands_processed"), log: log() };
    await run(gate, 64);
    const memory = ((await info("used_memory")) - before.memory) / CYCLES;
    const commands = ((await info("total_commands_processed")) - before.commands) / CYCLES;
    const written = (log() - before.log) / CYCLES;
    await gate.close();
    return { memory, commands, written };
  } finally {
    client.destroy();
    await server.stop();
  }
}

const [one, many] = [await onPostgres(1), await onPostgres(64)];
/** @param {string} title @param {(cost: typeof one) => number} value @param {number} [digits] */
const line = (title, value, digits = 1) => [title, value(one).toFixed(digits), value(many).toFixed(digits)];
const total = (/** @type {Record<string, number>} */ bytes) =>
  Object.values(bytes).reduce((sum, each) => sum + each, 0);
console.log(`Postgres, ${CYCLES} cycles over ${WORKSPACES} workspaces, for each cycle:\n`);
console.log(
  table([
    ["", "1 in flight", "64 in flight"],
    line("rows inserted", ({ each }) => each("inserted")),
    line("rows updated", ({ each }) => each("updated")),
    line("… without touching an index", ({ each }) => each("hot")),
    line("rows deleted", ({ each }) => each("deleted")),
    line("statements", ({ each }) => each("transactions"), 2),
    line("bytes of write-ahead log", ({ log }) => log, 0),
    line("bytes on disk right after", ({ fresh }) => total(fresh) / CYCLES, 0),
    line("bytes on disk after a day and a vacuum", ({ kept }) => total(kept) / CYCLES, 0),
    ...Object.keys(many.kept).map((name) => line(`… of them ${name}`, ({ kept }) => (kept[name] ?? 0) / CYCLES, 0)),
  ]),
);
const redis = await onRedis();
console.log(`\nRedis, the same with 64 in flight: ${redis.memory.toFixed(0)} bytes of memory, ${redis.written.toFixed(0)} bytes of
append-only file, ${redis.commands.toFixed(1)} commands for each cycle.`);
