// The Redis rows: durable cycles against raw Redis with the same log settings, on one server in the same minutes, and the same gate
// on the memory store, which is about what a Redis that took no time could give. CPU is told of this process and of Redis apart, so
// that it says something also on a busy machine: a ratio that both together have no time for cannot be reached.
import { createClient } from "@redis/client";
import { createGate, memoryStore } from "../dist/index.js";
import { redisStore } from "../dist/stores/redis.js";
import { RedisServer } from "../test/support/redis-server.mjs";
import { cycle, send } from "./lib/cycle.mjs";
import { median, table, timed, warmUp } from "./lib/measure.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SPAN = Number(process.env.BENCH_MS ?? 2_000);

/** As docs/stores-redis.md has it. A log of 64 MB would be rewritten every few seconds. */
const SETTINGS = { "auto-aof-rewrite-min-size": "1gb" };

/** The same three durable steps with nothing around them: request, conditional claim, receipt. */
function rawCycle(/** @type {import("@redis/client").RedisClientType} */ client) {
  let ids = 0;
  return async () => {
    const key = `raw:${++ids}`;
    await client.sendCommand(["HSET", key, "state", "pending", "args", '{"to":"ann@example.com"}']);
    const claimed = await client.sendCommand(["HSETNX", key, "claimed", "1"]);
    if (Number(claimed) !== 1) throw new Error("a raw claim was refused");
    await client.sendCommand(["HSET", key, "state", "succeeded", "result", '{"ok":true}']);
  };
}

/** @param {number} inFlight */
async function round(inFlight) {
  const server = await RedisServer.start(SETTINGS);
  const client = createClient({ url: server.url, RESP: 2 });
  await client.connect();
  try {
    const raw = rawCycle(/** @type {any} */ (client));
    await warmUp(raw, inFlight, SPAN / 4);
    const before = await timed(raw, inFlight, SPAN / 2);
    const alone = openGate(memoryStore());
    await warmUp((n) => cycle(alone, -1 - n), inFlight, SPAN / 2);
    const inMemory = await timed((n) => cycle(alone, n), inFlight, SPAN / 2);
    await alone.close();
    const gate = openGate(await redisStore({ url: server.url }));
    await warmUp((n) => cycle(gate, -1 - n), inFlight, SPAN);
    const used = await usedBy(client);
    const ours = await timed((n) => cycle(gate, n), inFlight, SPAN);
    const now = await usedBy(client);
    const bytes = (now.memory - used.memory) / ours.count;
    const redisCpu = (now.cpu - used.cpu) / ours.count;
    await gate.close();
    const after = await timed(raw, inFlight, SPAN / 2);
    const floor = (before.perSecond + after.perSecond) / 2;
    const floorP99 = (before.p99 + after.p99) / 2;
    return { ...ours, floor, floorP99, inMemory: inMemory.perSecond, bytes, redisCpu };
  } finally {
    client.destroy();
    await server.stop();
  }
}

/** @param {import("../dist/index.js").Store} store */
function openGate(store) {
  return createGate({ store, tools: [send], limits: { pendingPerUser: 1_000_000 } });
}

/**
 * What the server has taken so far: bytes, and microseconds of its own threads.
 * @param {{ sendCommand(args: string[]): Promise<unknown> }} client
 */
async function usedBy(client) {
  const info = String(await client.sendCommand(["INFO"]));
  const number = (/** @type {string} */ name) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1]);
  const cpu = 1e6 * (number("used_cpu_user") + number("used_cpu_sys"));
  return { memory: number("used_memory"), cpu };
}

const rows = [
  [
    "in flight",
    "cycles/s",
    "p99",
    "raw/s",
    "raw p99",
    "ratio (median)",
    "each round",
    "gate on memory/s",
    "CPU/cycle",
    "of Redis",
    "memory/cycle",
  ],
];
for (const inFlight of [1, 16, 256]) {
  const rounds = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(inFlight));
  const ratios = rounds.map(({ perSecond, floor }) => perSecond / floor);
  rows.push([
    String(inFlight),
    median(rounds.map(({ perSecond }) => perSecond)).toFixed(0),
    `${median(rounds.map(({ p99 }) => p99)).toFixed(1)} ms`,
    median(rounds.map(({ floor }) => floor)).toFixed(0),
    `${median(rounds.map(({ floorP99 }) => floorP99)).toFixed(1)} ms`,
    `${median(ratios).toFixed(2)}×`,
    ratios.map((ratio) => ratio.toFixed(2)).join(" / "),
    median(rounds.map(({ inMemory }) => inMemory)).toFixed(0),
    `${median(rounds.map(({ cpu }) => cpu)).toFixed(0)} µs`,
    `${median(rounds.map(({ redisCpu }) => redisCpu)).toFixed(0)} µs`,
    `${median(rounds.map(({ bytes }) => bytes)).toFixed(0)} B`,
  ]);
  console.error(rows.at(-1)?.join("  "));
}
console.log(table(rows));
