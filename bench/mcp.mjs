// What the gateway adds to an allowed read: the same call of the reference server over stdio, straight and through the gateway,
// in turns, so that both see the same machine.
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { inTempFolder, median, table } from "./lib/measure.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CALLS = Number(process.env.BENCH_CALLS ?? 1_000);
const GATEWAY = fileURLToPath(new URL("lib/mcp-gateway.mjs", import.meta.url));
const EVERYTHING = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

/** @param {string[]} args */
async function connect(args) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  return client;
}

/** Milliseconds a call. @param {Client} client @param {number} calls */
async function timesOf(client, calls) {
  const times = [];
  for (let n = 0; n < calls; n++) {
    const start = performance.now();
    const { content } = await client.callTool({ name: "echo", arguments: { message: `call ${n}` } });
    times.push(performance.now() - start);
    if (!JSON.stringify(content).includes(`call ${n}`)) throw new Error("the call gave something else");
  }
  return times;
}

await inTempFolder(async (folder) => {
  const bare = await connect([EVERYTHING, "stdio"]);
  const gateway = await connect([GATEWAY, join(folder, "gate.db"), EVERYTHING]);
  for (const client of [bare, gateway]) await timesOf(client, 200);
  const rows = [["round", "bare ms", "gateway ms", "more ms"]];
  const more = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const straight = median(await timesOf(bare, CALLS));
    const through = median(await timesOf(gateway, CALLS));
    more.push(through - straight);
    rows.push([String(round), straight.toFixed(3), through.toFixed(3), (through - straight).toFixed(3)]);
  }
  console.log(`An allowed read over stdio, median of ${CALLS} calls a round\n`);
  console.log(`${table(rows)}\n`);
  console.log(`The gateway adds ${median(more).toFixed(3)} ms (median of the rounds).`);
  await Promise.all([bare.close(), gateway.close()]);
});
