// npm test [-- <vitest arguments>]: sets up, then runs the tests. --long runs the long searches too, from a seed that is
// printed; COUNTERSIGN_SEED=<number> runs the same ones again. A long run of all tests then tests the tests, by mutation.
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { handOver, main, tool } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

await main(async () => {
  const args = process.argv.slice(2);
  const long = args.includes("--long");
  await setUp({ need: ["tmux", "postgresql", "redis-server", "chromium", "fonts-noto-cjk", "python3", "curl"] });
  const env = { ...process.env };
  if (long) {
    env["COUNTERSIGN_LONG"] = "1";
    env["COUNTERSIGN_SEED"] ??= String(randomInt(2 ** 31));
    console.error(`long run, COUNTERSIGN_SEED=${env["COUNTERSIGN_SEED"]}`);
  }
  const asked = args.filter((arg) => arg !== "--long");
  const failed = await handOver([tool("vitest"), "run", ...asked], env);
  if (failed || !long || asked.length > 0) return failed;
  return handOver([process.execPath, join("test", "mutation", "run.mjs")]);
});
