// npm run demo [-- <arguments>]: sets up, then plays the demo in this terminal.
import { join } from "node:path";
import { handOver, main, ROOT } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

await main(async () => {
  await setUp();
  return handOver([process.execPath, join(ROOT, "dist", "cli", "demo.js"), ...process.argv.slice(2)]);
});
