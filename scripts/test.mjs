// npm test [-- <vitest arguments>]: sets up, then runs the tests. --long runs the long searches too, from a seed that is
// printed; COUNTERSIGN_SEED=<number> runs the same ones again.
import { randomInt } from "node:crypto";
import { handOver, main, tool } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

await main(async () => {
  const args = process.argv.slice(2);
  const long = args.includes("--long");
  await setUp({ need: ["tmux"] });
  const env = { ...process.env };
  if (long) {
    env["COUNTERSIGN_LONG"] = "1";
    env["COUNTERSIGN_SEED"] ??= String(randomInt(2 ** 31));
    console.error(`long run, COUNTERSIGN_SEED=${env["COUNTERSIGN_SEED"]}`);
  }
  return handOver([tool("vitest"), "run", ...args.filter((arg) => arg !== "--long")], env);
});
