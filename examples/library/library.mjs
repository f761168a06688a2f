import { createGate, defineTool } from "countersign";
import { sqliteStore } from "countersign/stores/sqlite";
import { z } from "zod";

const deleteTask = defineTool({
  name: "tasks.delete",
  destructive: true,
  inputSchema: z.object({ id: z.string() }),
  confirmPrompt: "Delete task {id} for good?",
  execute: ({ id }) => ({ deleted: id }),
});
const gate = createGate({ store: sqliteStore("countersign.db"), tools: [deleteTask] });

// The agent asks. Nothing has run yet, and what it asked survives a restart.
const asked = await gate.submit({ tool: "tasks.delete", args: { id: "7" } });
if (asked.type !== "pending") throw new Error(asked.message);
console.log(asked.card.humanSummary, "·", asked.message);

// A person who has seen the card answers, and the call runs once.
const { approvalId, card } = asked;
const decision = { approvalId, toolCallHash: card.toolCallHash, decision: /** @type {const} */ ("approve") };
await gate.decide(decision, { kind: "person", userId: "local", workspaceId: "local" });
console.log(await gate.resume(approvalId), await gate.verify());
await gate.close();
