import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createGate, memoryStore } from "../../index.js";
import { readServers, startGateway } from "./index.js";

/** Leaves a file for as long as it runs, and one for having been started. */
const PROGRAM = `
  const { rmSync, writeFileSync } = require("node:fs");
  const [folder] = process.argv.slice(1);
  for (const word of ["started", "runs"]) writeFileSync(folder + "/" + word, "");
  process.stdin.on("end", () => rmSync(folder + "/runs")).resume();
`;

it("ends the servers of a client over HTTP that introduced itself in vain", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const gate = createGate({ store: memoryStore(), tools: [] });
  const servers = readServers({ mcpServers: { notes: { command: process.execPath, args: ["-e", PROGRAM, folder] } } });
  const gateway = await startGateway({ gate, servers, front: { type: "http" } });
  onTestFinished(async () => {
    await gateway.close();
    await gate.close();
  });
  const clientInfo = { name: "agent", version: "1.0.0" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const response = await fetch(gateway.url ?? "", {
    method: "POST",
    // A client has to take streams, too.
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  expect(response.status).toBe(406);
  await expect.poll(() => readdirSync(folder), { timeout: 10_000 }).toEqual(["started"]);
});
