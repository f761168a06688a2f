// A process of its own: from its start to the first call that waits, durably, for a person. Prints milliseconds.
import { join } from "node:path";
import { createGate, defineTool } from "../../dist/index.js";
import { sqliteStore } from "../../dist/stores/sqlite.js";
import { inTempFolder } from "./measure.mjs";

await inTempFolder(async (folder) => {
  const tools = [defineTool({ name: "mail.send", execute: () => ({ ok: true }) })];
  const gate = createGate({ store: sqliteStore(join(folder, "gate.db")), tools });
  const asked = await gate.submit({ tool: "mail.send", args: { to: "ann@example.com" } });
  if (asked.type !== "pending") throw new Error(`expected pending, got ${asked.type}`);
  console.log(performance.now());
  await gate.close();
});
