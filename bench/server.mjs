// The server's rows: HTTP cycles with 64 clients against one process, and how soon every device knows of a decision, with 1,000
// sockets of 250 people and 50 decisions a second. The load comes from this process; the server is one of its own.
import { join } from "node:path";
import { openFloor } from "./lib/floor.mjs";
import { asAgent, asPerson, cycle, openSocket, send, startServer } from "./lib/http.mjs";
import { inTempFolder, percentile, table, throughput } from "./lib/measure.mjs";

const CLIENTS = Number(process.env.BENCH_CLIENTS ?? 64);
const SPAN = Number(process.env.BENCH_MS ?? 10_000);
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 250);
const SOCKETS = Number(process.env.BENCH_SOCKETS ?? 1_000);
const RATE = Number(process.env.BENCH_RATE ?? 50);

/** @typedef {import("./lib/http.mjs").Ready} Ready */

async function cyclesPerSecond(/** @type {Ready} */ server, /** @type {number} */ span) {
  /** @type {number[]} */
  const took = [];
  let n = 0;
  const began = performance.now();
  const lane = async () => {
    while (performance.now() - began < span) {
      const from = performance.now();
      await cycle(server, n++);
      took.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, lane));
  return { perSecond: (took.length / (performance.now() - began)) * 1_000, p99: percentile(took, 0.99) / 4 };
}

async function toldWithin(/** @type {Ready} */ server) {
  /** @type {Map<string, number>} */
  const decided = new Map();
  /** @type {number[]} */
  const took = [];
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, async (_, n) => {
      const { cookie } = server.people[n % PEOPLE] ?? { cookie: "" };
      const socket = await openSocket(server, cookie);
      socket.on("message", (data) => {
        const { type, payload } = JSON.parse(/** @type {Buffer} */ (data).toString());
        const at = type === "app_skill_approved" ? decided.get(payload.app_skill_id) : undefined;
        if (at !== undefined) took.push(performance.now() - at);
      });
      return socket;
    }),
  );
  const began = performance.now();
  /** @type {Promise<void>[]} */
  const deciding = [];
  for (let n = 0; performance.now() - began < SPAN; n++) {
    const due = began + (n * 1_000) / RATE;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const { cookie, apiKey } = server.people[n % PEOPLE] ?? { cookie: "", apiKey: "" };
    deciding.push(
      (async () => {
        const call = { tool: "notes.share", args: { socket: n } };
        const { approvalId, card } = await send(server, asAgent(apiKey), "POST", "/v1/calls", call);
        decided.set(approvalId, performance.now());
        const decision = { decision: "approve", toolCallHash: card.toolCallHash };
        await send(server, asPerson(server, cookie), "POST", `/v1/approvals/${approvalId}/decision`, decision);
      })(),
    );
  }
  await Promise.all(deciding);
  const wanted = decided.size * (SOCKETS / PEOPLE);
  for (let waited = 0; took.length < wanted && waited < 50; waited++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  for (const socket of sockets) socket.terminate();
  return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), told: took.length, wanted };
}

await inTempFolder(async (folder) => {
  const { server, child } = await startServer(folder, PEOPLE);
  try {
    const floor = openFloor(join(folder, "floor.db"));
    const raw = await throughput(() => floor.cycle("{}"), 1, 2_000);
    floor.close();
    // The code of a server that has run for a while is compiled, and each key's first use is written down by then.
    await cyclesPerSecond(server, SPAN);
    const http = await cyclesPerSecond(server, SPAN);
    const live = await toldWithin(server);
    console.log(
      table([
        ["measure", "result"],
        [`HTTP: submit, decide, claim, finish; ${CLIENTS} clients`, `${Math.round(http.perSecond)} cycles/s`],
        ["raw SQLite, one commit after the other, in the same minutes", `${Math.round(raw.perSecond)} cycles/s`],
        ["HTTP, one request, p99", `${Math.round(http.p99)} ms`],
        [
          `decide → every device told; ${SOCKETS} sockets of ${PEOPLE} people, ${RATE} decisions/s, p50`,
          `${Math.round(live.p50)} ms`,
        ],
        ["the same, p99", `${Math.round(live.p99)} ms`],
        ["devices told of those to be told", `${live.told} of ${live.wanted}`],
      ]),
    );
  } finally {
    child.kill("SIGKILL");
  }
});
