// The gateway before the reference server for files: reading passes, writing waits for a person.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createGate, memoryStore } from "countersign";
import { readServers, startGateway } from "countersign/mcp";
import { personAt } from "./person.mjs";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "countersign-example-")));
const file = join(folder, "note.txt");
writeFileSync(file, "before");
const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/dist/index.js");

const gate = createGate({ store: memoryStore() });
const person = personAt(gate).approves("mcp__files__write_file");
const gateway = await startGateway({
  gate,
  servers: readServers({ mcpServers: { files: { command: process.execPath, args: [program, folder] } } }),
  declare: { files: { tools: { read_text_file: { effect: "read" } } } },
  front: { type: "http" },
});

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url ?? "")));
const read = await client.callTool({ name: "read_text_file", arguments: { path: file } });
assert.match(JSON.stringify(read), /before/);
await client.callTool({ name: "write_file", arguments: { path: file, content: "after" } });
assert.equal(readFileSync(file, "utf8"), "after");
assert.deepEqual(
  person.seen.map(({ card }) => card.tool),
  ["mcp__files__write_file"],
);
console.log("The file was read at once, and written after a person had said yes.");
await client.close();
await gateway.close();
await person.stop();
await gate.close();
rmSync(folder, { recursive: true, force: true });
