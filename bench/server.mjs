// The server's rows: HTTP cycles with 64 clients against one process, and how soon every device knows of a decision, with 1,000
// sockets of 250 people and 50 decisions a second. The load comes from this process; the server is one of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { openFloor } from "./lib/floor.mjs";
import { inTempFolder, table, throughput } from "./lib/measure.mjs";

const CLIENTS = Number(process.env.BENCH_CLIENTS ?? 64);
const SPAN = Number(process.env.BENCH_MS ?? 10_000);
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 250);
const SOCKETS = Number(process.env.BENCH_SOCKETS ?? 1_000);
const RATE = Number(process.env.BENCH_RATE ?? 50);

/** @typedef {{ port: number, origin: string, people: { cookie: string, apiKey: string }[] }} Ready */

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

/** @returns {Promise<any>} */
function send(
  /** @type {Ready} */ server,
  /** @type {Record<string, string>} */ headers,
  /** @type {string} */ method,
  /** @type {string} */ path,
  /** @type {object[]} */ ...[body]
) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: "127.0.0.1",
        port: server.port,
        method,
        path,
        headers: {
          ...headers,
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        let read = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk) => (read += chunk));
        answer.on("end", () => {
          const told = JSON.parse(read === "" ? "{}" : read);
          if (answer.statusCode !== undefined && answer.statusCode < 400) resolve(told);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${read.slice(0, 300)}`));
        });
      },
    );
    sent.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      // A line that was kept open and that the server has closed meanwhile: taken anew.
      if (error.code === "ECONNRESET" && sent.reusedSocket) {
        resolve(send(server, headers, method, path, ...(body === undefined ? [] : [body])));
      } else reject(error);
    });
    sent.end(text);
  });
}

const asAgent = (/** @type {string} */ key) => ({ authorization: `Bearer ${key}` });
const asPerson = (/** @type {Ready} */ { origin }, /** @type {string} */ cookie) => ({ cookie, origin });

/** Submit, decide, claim, finish. */
async function cycle(/** @type {Ready} */ server, /** @type {number} */ n) {
  const { cookie, apiKey } = server.people[n % server.people.length] ?? { cookie: "", apiKey: "" };
  const call = { tool: "notes.share", args: { n } };
  const { approvalId, card } = await send(server, asAgent(apiKey), "POST", "/v1/calls", call);
  const decision = { decision: "approve", toolCallHash: card.toolCallHash };
  await send(server, asPerson(server, cookie), "POST", `/v1/approvals/${approvalId}/decision`, decision);
  const { token } = await send(server, asAgent(apiKey), "GET", `/v1/calls/${approvalId}`);
  const { claimId } = await send(server, asAgent(apiKey), "POST", "/v1/tokens/claim", {
    approvalId,
    tokenId: token.tokenId,
  });
  await send(server, asAgent(apiKey), "POST", "/v1/tokens/finish", {
    approvalId,
    claimId,
    type: "succeeded",
    result: 1,
  });
}

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
  return { perSecond: (took.length / (performance.now() - began)) * 1_000, p99: percentile(took, 0.99) / 5 };
}

async function toldWithin(/** @type {Ready} */ server) {
  /** @type {Map<string, number>} */
  const decided = new Map();
  /** @type {number[]} */
  const took = [];
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, async (_, n) => {
      const { cookie } = server.people[n % PEOPLE] ?? { cookie: "" };
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/socket`, { headers: asPerson(server, cookie) });
      socket.on("message", (data) => {
        const { type, payload } = JSON.parse(/** @type {Buffer} */ (data).toString());
        const at = type === "app_skill_approved" ? decided.get(payload.app_skill_id) : undefined;
        if (at !== undefined) took.push(performance.now() - at);
      });
      await once(socket, "open");
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

function percentile(/** @type {number[]} */ values, /** @type {number} */ share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

await inTempFolder(async (folder) => {
  const script = fileURLToPath(new URL("./lib/server.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, folder, String(PEOPLE)], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    /** @type {Ready} */
    const server = JSON.parse(String(line));
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
        [`HTTP: submit, decide, look, claim, finish; ${CLIENTS} clients`, `${Math.round(http.perSecond)} cycles/s`],
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
