import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { createGate, defineTool, type Gate, memoryStore } from "../../src/index.js";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { newFile } from "./support.js";

const gates: Gate[] = [];
afterEach(() => Promise.all(gates.splice(0).map((gate) => gate.close())));

const listTasks = defineTool({
  name: "tasks.list",
  effect: "read",
  execute: () => ["7", "8"],
});
const deleteTask = defineTool({
  name: "tasks.delete",
  destructive: true,
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => ({ deleted: id }),
});

it.each([
  ["memory", () => memoryStore()],
  ["sqlite", () => sqliteStore(newFile(), { worker: false })],
])("the sample of the quick start runs as written (%s)", async (_name, store) => {
  const gate = createGate({ store: store(), tools: [listTasks, deleteTask] });
  gates.push(gate);
  const waiting = gate.run({ tool: "tasks.delete", args: { id: "7" } });
  // The default caller is the one local user, who answers for themselves.
  const local = { kind: "person", userId: "local", workspaceId: "local" } as const;
  const first = await gate.submit({ tool: "tasks.delete", args: { id: "7" } });
  if (first.type !== "pending") throw new Error("it has to ask");
  await gate.decide({ approvalId: first.approvalId, decision: "approve" }, local);
  expect(await waiting).toMatchObject({ type: "succeeded", result: { deleted: "7" } });

  const caller = { userId: "u1", workspaceId: "w1", sessionId: "s1", agentId: "a1" };
  const asked = await gate.submit({ tool: "tasks.delete", args: { id: "7" }, confidence: 0.9 }, caller);
  if (asked.type !== "pending") throw new Error("it has to ask");
  await gate.decide(
    { approvalId: asked.approvalId, decision: "approve" },
    { kind: "person", userId: "u1", workspaceId: "w1" },
  );
  const done = await gate.resume(asked.approvalId, caller);
  expect(done).toMatchObject({ type: "succeeded", result: { deleted: "7" }, message: "Ran once." });
  expect(await gate.run({ tool: "tasks.list" }, caller)).toMatchObject({ type: "succeeded", result: ["7", "8"] });
});
