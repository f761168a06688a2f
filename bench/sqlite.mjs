// The SQLite rows: durable cycles against the floor in the same minutes, bytes a cycle, the cost of an allowed call, many
// pending ones, and a cold start. Ratios are what counts; the absolute figures belong to the machine.
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { systemClock } from "../dist/core/clock.js";
import { createGate, defineTool } from "../dist/index.js";
import { createRetention } from "../dist/proof/index.js";
import { sqliteStore } from "../dist/stores/sqlite.js";
import { cycle, send } from "./lib/cycle.mjs";
import { openFloor } from "./lib/floor.mjs";
import { inTempFolder, median, table, throughput, warmUp } from "./lib/measure.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SPAN = Number(process.env.BENCH_MS ?? 2_000);
const caller = { userId: "u1", workspaceId: "w1", sessionId: "s1", agentId: "a1" };
const person = /** @type {const} */ ({ kind: "person", userId: "u1", workspaceId: "w1" });

const read = defineTool({
  name: "mail.list",
  effect: "read",
  inputSchema: z.object({ folder: z.string(), n: z.number() }),
  execute: () => 1,
});
const write = defineTool({
  name: "mail.label",
  riskTier: "R1",
  inputSchema: z.object({ id: z.string(), n: z.number() }),
  execute: () => 1,
});
const limits = { pendingPerUser: 1_000_000 };
const tools = [send, read, write];

/** @param {number} inFlight */
async function cycles(inFlight) {
  /** @type {number[]} */
  const ours = [];
  /** @type {number[]} */
  const floors = [];
  /** @type {number[]} */
  const ratios = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await inTempFolder(async (folder) => {
      const floor = openFloor(join(folder, "floor.db"));
      const raw = await throughput((n) => floor.cycle(`{"to":"ann@example.com","n":${n}}`), 1, SPAN / 2);
      const path = join(folder, "gate.db");
      const gate = createGate({ store: sqliteStore(path), tools, limits });
      const warm = await warmUp((n) => cycle(gate, -1 - n), inFlight, SPAN);
      const { perSecond, count } = await throughput((n) => cycle(gate, n), inFlight, SPAN);
      const rawAgain = await throughput((n) => floor.cycle(`{"to":"ann@example.com","n":${n}}`), 1, SPAN / 2);
      floor.close();
      await gate.close();
      bytes = statSync(path).size / (warm + count);
      const base = (raw.perSecond + rawAgain.perSecond) / 2;
      ours.push(perSecond);
      floors.push(base);
      ratios.push(perSecond / base);
    });
  }
  return { ours: median(ours), floor: median(floors), ratio: median(ratios), ratios, bytes };
}

/** @param {string} name @param {object} args @param {number} count */
async function perCall(name, args, count) {
  return inTempFolder(async (folder) => {
    const gate = createGate({ store: sqliteStore(join(folder, "gate.db")), tools, limits });
    const times = [];
    for (let n = 0; n < count; n++) {
      const start = performance.now();
      await gate.submit({ tool: name, args: { ...args, n } }, caller);
      times.push((performance.now() - start) * 1_000);
    }
    await gate.close();
    return median(times);
  });
}

/** Asks so many questions, 500 at once; 20 of them are one person's. @param {import("../dist/index.js").Gate} gate @param {number} total */
async function ask(gate, total) {
  for (let n = 0; n < total; n += 500) {
    const some = Array.from({ length: Math.min(500, total - n) }, (_, i) => {
      const userId = (n + i) % (total / 20) === 0 ? "u1" : `other-${(n + i) % 1_000}`;
      return gate.submit({ tool: "mail.send", args: { to: "ann@example.com", n: n + i } }, { ...caller, userId });
    });
    await Promise.all(some);
  }
}

/** @param {number} total @returns {Promise<{ list: number, rss: number }>} */
async function manyPending(total) {
  return inTempFolder(async (folder) => {
    // What asking itself takes, in compiled code and in room for what is under way, is there before.
    const another = createGate({ store: sqliteStore(join(folder, "another.db")), tools, limits });
    await ask(another, total / 5);
    await another.close();
    const gate = createGate({ store: sqliteStore(join(folder, "gate.db")), tools, limits });
    global.gc?.();
    const before = process.memoryUsage().rss;
    await ask(gate, total);
    global.gc?.();
    const rss = process.memoryUsage().rss - before;
    const times = [];
    for (let i = 0; i < 50; i++) {
      const start = performance.now();
      const cards = await gate.pending(person);
      times.push(performance.now() - start);
      if (cards.length !== 20) throw new Error(`expected 20 pending, found ${cards.length}`);
    }
    await gate.close();
    return { list: median(times), rss: rss / 1e6 };
  });
}

/**
 * By how much a file grows for each cycle in the long run, with the minimal level of logging: what was said in a call is erased
 * a day after its end, and the room is used again. Days pass by a clock of our own.
 */
async function growth(days = 4, aDay = 2_000) {
  return inTempFolder(async (folder) => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const path = join(folder, "gate.db");
    /** @type {number[]} */
    const sizes = [];
    for (let day = 0; day < days; day++) {
      const store = sqliteStore(path, { clock });
      const gate = createGate({ store, clock, tools, limits });
      const retention = createRetention({ store, clock, level: "minimal", workspaces: ["w1"] });
      await retention.sweep();
      for (let n = 0; n < aDay; n += 100)
        await Promise.all(Array.from({ length: 100 }, (_, i) => cycle(gate, day * aDay + n + i)));
      retention.close();
      await gate.close();
      sizes.push(statSync(path).size);
      ahead += 25 * 3_600_000;
    }
    const [first = 0] = sizes;
    return ((sizes.at(-1) ?? 0) - first) / (aDay * (days - 1));
  });
}

function coldStart() {
  const script = fileURLToPath(new URL("./lib/cold-start.mjs", import.meta.url));
  const times = Array.from({ length: 5 }, () => Number(execFileSync(process.execPath, [script], { encoding: "utf8" })));
  return median(times);
}

const rows = [["in flight", "cycles/s", "floor/s", "ratio (median)", "each round", "bytes/cycle"]];
for (const inFlight of [1, 16, 256]) {
  const { ours, floor, ratio, ratios, bytes } = await cycles(inFlight);
  rows.push([
    String(inFlight),
    ours.toFixed(0),
    floor.toFixed(0),
    `${ratio.toFixed(2)}×`,
    ratios.map((r) => r.toFixed(2)).join(" / "),
    bytes.toFixed(0),
  ]);
  console.error(rows.at(-1)?.join("  "));
}
console.log(`${table(rows)}\n`);

const others = [["measure", "median"]];
others.push([
  "allowed read through the gate",
  `${(await perCall("mail.list", { folder: "in" }, 20_000)).toFixed(1)} µs`,
]);
others.push(["allowed write, one at a time", `${(await perCall("mail.label", { id: "m1" }, 500)).toFixed(0)} µs`]);
const few = await manyPending(1_000);
const many = await manyPending(Number(process.env.BENCH_PENDING ?? 100_000));
others.push(["list 20 of one person among 1,000 pending", `${few.list.toFixed(2)} ms`]);
others.push(["list 20 of one person among 100,000 pending", `${many.list.toFixed(2)} ms`]);
others.push(["RSS above empty with 100,000 pending", `${many.rss.toFixed(0)} MB`]);
others.push(["bytes a cycle by which a file grows, level minimal", (await growth()).toFixed(0)]);
others.push(["cold start to the first pending call", `${coldStart().toFixed(0)} ms`]);
console.log(table(others));
