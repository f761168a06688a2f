import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGate, memoryStore } from "../../index.js";
import { fakeClock } from "../../testing/index.js";
import { readServers, startGateway } from "./index.js";

/** Leaves a file for as long as it runs, and answers whatever is not called "silence". */
const PROGRAM = `
  const { rmSync, writeFileSync } = require("node:fs");
  const file = process.argv[1] + "/" + process.pid;
  writeFileSync(file, "");
  const server = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "notes", version: "1" } };
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const result = method === "initialize" ? server : {};
    if (id !== undefined && method !== "silence") console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  lines.on("close", () => { rmSync(file); process.exit(); });
`;
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const HOUR = 3_600_000;

async function open(limits: { maxSessions?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-front-"));
  const gate = createGate({ store: memoryStore(), tools: [] });
  const servers = readServers({ mcpServers: { notes: { command: process.execPath, args: ["-e", PROGRAM, folder] } } });
  const clock = fakeClock();
  const gateway = await startGateway({ gate, servers, front: { type: "http", idleFor: HOUR, clock, ...limits } });
  onTestFinished(async () => {
    await gateway.close();
    await gate.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const send = (message: object, session?: string) =>
    fetch(gateway.url ?? "", {
      method: "POST",
      headers: { ...HEADERS, ...(session === undefined ? {} : { "mcp-session-id": session }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    });
  const clientInfo = { name: "agent", version: "1.0.0" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  return {
    clock,
    send,
    begin: () => send({ method: "initialize", params }),
    enter: async (): Promise<string> => {
      const response = await send({ method: "initialize", params });
      await response.text();
      return response.headers.get("mcp-session-id") ?? "";
    },
    ping: async (session: string) => {
      const response = await send({ method: "ping" }, session);
      return [response.status, await response.text()] as const;
    },
    running: () => readdirSync(folder).length,
  };
}

describe("MCP clients over HTTP", () => {
  it("that stay away for too long have ended, and are told to initialize again", async () => {
    const { clock, enter, ping, running } = await open();
    const session = await enter();
    await clock.advance(HOUR - 1);
    expect((await ping(session))[0]).toBe(200);
    await clock.advance(HOUR - 1);
    expect((await ping(session))[0]).toBe(200);
    await expect
      .poll(async () => {
        await clock.advance(HOUR);
        return running();
      })
      .toBe(0);
    const [status, body] = await ping(session);
    expect([status, JSON.parse(body)]).toMatchObject([
      404,
      { error: { message: expect.stringContaining("Initialize") } },
    ]);
    expect((await ping(await enter()))[0]).toBe(200);
  });

  it("that nobody knows are answered as those that have ended, whatever they want", async () => {
    const { send } = await open();
    for (const method of ["ping", "initialize"]) expect((await send({ method }, "made-up")).status).toBe(404);
  });

  it("make room by the one that has been idle for the longest", async () => {
    const { enter, ping, running } = await open({ maxSessions: 2 });
    const [first, second] = [await enter(), await enter()];
    await ping(first);
    const third = await enter();
    expect([(await ping(first))[0], (await ping(second))[0], (await ping(third))[0]]).toEqual([200, 404, 200]);
    await expect.poll(running, { timeout: 10_000 }).toBe(2);
  });

  it("are neither idle nor in the way while they listen", async () => {
    const { clock, send, begin, enter, ping } = await open({ maxSessions: 1 });
    const session = await enter();
    const waiting = await send({ method: "silence" }, session);
    await clock.advance(2 * HOUR);
    expect((await begin()).status).toBe(503);
    expect((await ping(session))[0]).toBe(200);
    await waiting.body?.cancel();
  });
});
