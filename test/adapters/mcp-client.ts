import { Client, type ClientOptions, InMemoryTransport } from "@modelcontextprotocol/client";
import { afterEach } from "vitest";
import { permissionPromptServer } from "../../src/adapters/claude-code/index.js";
import { type Gateway, type GatewayOptions, startGateway } from "../../src/adapters/mcp/index.js";
import type { Gate, GateOptions } from "../../src/core/gate.js";
import { createGate } from "../../src/create-gate.js";
import { memoryStore } from "../../src/stores/memory.js";
import { CALLER } from "./contract.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Runs when the test is over, the last first. */
export function atEnd(close: () => unknown): void {
  closing.push(close);
}

export function openGate(options: Partial<GateOptions> = {}): Gate {
  const gate = createGate({ store: memoryStore(), caller: CALLER, ...options });
  atEnd(() => gate.close());
  return gate;
}

/** A real client, connected through a gateway in this process. */
export async function connect(
  options: GatewayOptions,
  clientOptions: ClientOptions = {},
  prepare: (client: Client) => void = () => {},
): Promise<{ readonly client: Client; readonly gateway: Gateway }> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const gateway = await startGateway({ ...options, front: { type: "transport", transport: far } });
  atEnd(() => gateway.close());
  const client = new Client({ name: "agent", version: "1.0.0" }, clientOptions);
  prepare(client);
  await client.connect(near);
  atEnd(() => client.close());
  return { client, gateway };
}

/** Claude Code as it calls the tool that it asks for permission. */
export async function promptClient(gate: Gate): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await permissionPromptServer(gate).connect(far);
  const client = new Client({ name: "claude-code", version: "2" });
  await client.connect(near);
  atEnd(() => client.close());
  return client;
}
