// The Postgres rows: durable cycles against raw Postgres with 16 connections, on one server and its disk in the same minutes.
// CPU is this process's alone, so that it says something also on a busy machine.
import pg from "pg";
import { createGate } from "../dist/index.js";
import { postgresStore } from "../dist/stores/postgres.js";
import { startPostgres } from "../test/support/postgres.mjs";
import { cycle, send } from "./lib/cycle.mjs";
import { median, table, timed, warmUp } from "./lib/measure.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SPAN = Number(process.env.BENCH_MS ?? 2_000);
const RAW_CONNECTIONS = 16;

/** The same three durable steps with nothing around them: request, conditional claim, receipt. */
async function openRaw(/** @type {string} */ url) {
  const pool = new pg.Pool({ connectionString: url, max: RAW_CONNECTIONS });
  pool.on("error", () => {});
  await pool.query(
    `CREATE TABLE raw_call (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state text NOT NULL, args text NOT NULL, result text)`,
  );
  const insert = "INSERT INTO raw_call (state, args) VALUES ('pending', $1) RETURNING id";
  const claim = "UPDATE raw_call SET state = 'executing' WHERE id = $1 AND state = 'pending'";
  const finish = "UPDATE raw_call SET state = 'succeeded', result = $2 WHERE id = $1";
  return {
    async cycle(/** @type {number} */ n) {
      const args = `{"to":"ann@example.com","n":${n}}`;
      const { rows } = await pool.query({ name: "insert", text: insert, values: [args] });
      const claimed = await pool.query({ name: "claim", text: claim, values: [rows[0].id] });
      if (claimed.rowCount !== 1) throw new Error("a raw claim was refused");
      await pool.query({ name: "finish", text: finish, values: [rows[0].id, '{"ok":true}'] });
    },
    close: () => pool.end(),
  };
}

/** @param {string} url @returns {Promise<number>} bytes that the store's tables and indexes take */
async function sizeOf(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'countersign' AND c.relkind = 'r'",
  );
  await client.end();
  return rows[0].bytes;
}

/** @param {number} inFlight */
async function round(inFlight) {
  const server = await startPostgres({ onDisk: true });
  try {
    const raw = await openRaw(server.url());
    await warmUp((n) => raw.cycle(n), inFlight, SPAN / 4);
    const before = await timed((n) => raw.cycle(n), inFlight, SPAN / 2);
    const store = await postgresStore({ url: server.url() });
    const gate = createGate({ store, tools: [send], limits: { pendingPerUser: 1_000_000 } });
    const warm = await warmUp((n) => cycle(gate, -1 - n), inFlight, SPAN);
    const ours = await timed((n) => cycle(gate, n), inFlight, SPAN);
    await gate.close();
    await store.close();
    const bytes = (await sizeOf(server.url())) / (warm + ours.count);
    const after = await timed((n) => raw.cycle(n), inFlight, SPAN / 2);
    await raw.close();
    return { ...ours, bytes, floor: (before.perSecond + after.perSecond) / 2, floorP99: (before.p99 + after.p99) / 2 };
  } finally {
    await server.stop();
  }
}

const rows = [
  [
    "in flight",
    "cycles/s",
    "p99 ms",
    "raw-16/s",
    "raw p99 ms",
    "ratio (median)",
    "each round",
    "CPU µs/cycle",
    "bytes/cycle",
  ],
];
for (const inFlight of [1, 16, 256]) {
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(inFlight));
  const ratios = rounds.map(({ perSecond, floor }) => perSecond / floor);
  rows.push([
    String(inFlight),
    median(rounds.map(({ perSecond }) => perSecond)).toFixed(0),
    median(rounds.map(({ p99 }) => p99)).toFixed(1),
    median(rounds.map(({ floor }) => floor)).toFixed(0),
    median(rounds.map(({ floorP99 }) => floorP99)).toFixed(1),
    `${median(ratios).toFixed(2)}×`,
    ratios.map((ratio) => ratio.toFixed(2)).join(" / "),
    median(rounds.map(({ cpu }) => cpu)).toFixed(0),
    median(rounds.map(({ bytes }) => bytes)).toFixed(0),
  ]);
  console.error(rows.at(-1)?.join("  "));
}
console.log(table(rows));
