import { createGate, defineTool } from "countersign";
import { serve } from "countersign/server";
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
const server = await serve(gate);
console.log("Your inbox:", await server.signInLink());

console.log(await gate.run({ tool: "tasks.delete", args: { id: "7" } })); // waits for the click in the inbox
await server.close();
