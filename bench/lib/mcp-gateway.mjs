// A gateway on its own pipes before the reference server, with one declared read, as a client would start it.

import { readServers, startGateway } from "../../dist/adapters/mcp/index.js";
import { createGate } from "../../dist/index.js";
import { sqliteStore } from "../../dist/stores/sqlite.js";

const [database = "", program = ""] = process.argv.slice(2);
const gate = createGate({ store: sqliteStore(database) });
const servers = readServers({ mcpServers: { everything: { command: process.execPath, args: [program, "stdio"] } } });
const declare = { everything: { tools: { echo: { effect: /** @type {const} */ ("read") } } } };
const { ended } = await startGateway({ gate, servers, declare });
await ended;
await gate.close();
