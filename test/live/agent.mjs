// An agent that dies while its tool runs: between its claim and its report.
import { defineTool } from "../../dist/index.js";
import { connectGate } from "../../dist/remote/index.js";

const [url = "", key = ""] = process.argv.slice(2);
const gate = connectGate({
  url,
  key,
  tools: [
    defineTool({
      name: "notes.share",
      effect: "write",
      riskTier: "R3",
      timeout: 1_000,
      execute: () => process.kill(process.pid, "SIGKILL"),
    }),
  ],
});
await gate.run({ tool: "notes.share", args: {} });
