// npm run chat [-- <arguments>]: sets up, then runs the household assistant's chat in this terminal.
import { join } from "node:path";
import { handOver, main, ROOT } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

await main(async () => {
  await setUp();
  return handOver([process.execPath, join(ROOT, "assistant", "dist", "terminal", "run.js"), ...process.argv.slice(2)]);
});
