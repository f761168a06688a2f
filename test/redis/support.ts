import { onTestFinished } from "vitest";
import { newId } from "../../src/core/ids.js";
import type { Store } from "../../src/core/ports.js";
import { createGate, defineTool, type Gate } from "../../src/index.js";
import { Connection, connect } from "../../src/stores/redis/connection.js";
import { type RedisOptions, redisStore } from "../../src/stores/redis.js";
import { RedisServer } from "../support/redis.js";

export const CALLER = { userId: "ana", workspaceId: "w1", sessionId: "s1", agentId: "bot" };
export const ANA = { kind: "person", userId: "ana", workspaceId: "w1" } as const;

/** A server that is gone when the test is. */
export async function newServer(settings?: Readonly<Record<string, string>>): Promise<RedisServer> {
  const server = await RedisServer.start(settings);
  onTestFinished(() => server.stop());
  return server;
}

export async function newStore(options: RedisOptions): Promise<Store> {
  const store = await redisStore(options);
  onTestFinished(() => store.close());
  return store;
}

/** A gate with one tool that it runs itself and one that its agent runs, and what the first one did. */
export async function newGate(options: RedisOptions | Store): Promise<{ gate: Gate; effects: string[] }> {
  const effects: string[] = [];
  const store = "commit" in options ? options : await redisStore(options);
  const gate = createGate({
    store,
    tools: [
      defineTool({
        name: "task.update",
        confirm: true,
        execute: (_args, { approvalId }) => void effects.push(approvalId ?? ""),
      }),
      defineTool({ name: "job.update", confirm: true, sensitive: ["password"] }),
    ],
  });
  onTestFinished(() => gate.close().catch(() => {}));
  return { gate, effects };
}

export async function held(gate: Gate, tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const outcome = await gate.submit({ tool, args }, CALLER);
  if (outcome.type !== "pending") throw new Error(`expected a question, got ${outcome.type}`);
  return outcome.approvalId;
}

/** An approved call of the agent's own, with the token that permits it. */
export async function approved(gate: Gate): Promise<{ approvalId: string; tokenId: string }> {
  const approvalId = await held(gate, "job.update", { n: newId() });
  await gate.decide({ approvalId, decision: "approve" }, ANA);
  const outcome = await gate.resume(approvalId, CALLER);
  if (outcome.type !== "pending" || outcome.token === undefined) throw new Error("expected a token");
  return { approvalId, tokenId: outcome.token.tokenId };
}

/** A hand on the server itself, as an operator has. */
export async function operator(url: string): Promise<(...args: string[]) => Promise<unknown>> {
  const connection = new Connection(await connect(url), true);
  onTestFinished(() => connection.close());
  return (...args) => connection.send(...args);
}
