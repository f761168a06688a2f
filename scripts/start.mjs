// npm start [-- <arguments>]: sets up, then runs server, inbox and the household assistant until it is told to stop.
import { join } from "node:path";
import { handOver, main, ROOT } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

await main(async () => {
  await setUp();
  return handOver([process.execPath, join(ROOT, "assistant", "dist", "server", "run.js"), ...process.argv.slice(2)]);
});
