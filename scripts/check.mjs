// npm run check: everything about the code that can be judged without running it. Each step is printed with its time; the
// last line names what failed.
import { join } from "node:path";
import { elapsed, main, run, tool } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

/**
 * `after` names the step whose output this one reads.
 * @typedef {{ name: string, commands: string[][], after?: string }} Step
 * @type {Step[]}
 */
const STEPS = [
  { name: "build", commands: [[process.execPath, join("scripts", "setup.mjs")]] },
  { name: "format", commands: [[tool("biome"), "ci", "--error-on-warnings", "--colors=off", "."]] },
  { name: "layering", commands: [[tool("vitest"), "run", "test/project/layering.test.ts"]] },
  {
    name: "types",
    commands: [
      [tool("tsc"), "-p", "tsconfig.json"],
      // The pages and their service worker live in two worlds of their own.
      [tool("tsc"), "-p", "web"],
      [tool("tsc"), "-p", join("web", "src", "sw")],
    ],
    after: "build",
  },
  // Import cycles are among its rules.
  { name: "lint", commands: [[tool("oxlint"), "--type-aware", "--deny-warnings"]], after: "build" },
  { name: "unused code", commands: [[tool("knip"), "--tsConfig", "tsconfig.build.json"]], after: "build" },
  {
    name: "package exports",
    commands: [
      [tool("publint"), "--strict"],
      [tool("attw"), "--pack", ".", "--profile", "esm-only"],
    ],
    after: "build",
  },
];
const WORKERS = 2;
const BUDGET_MS = 180_000;

/** @returns {Promise<boolean>} whether it passed */
async function judge(/** @type {Step} */ step) {
  const start = performance.now();
  for (const command of step.commands) {
    const { ok, output } = await run(command);
    if (ok) continue;
    console.error(`\n${output.trim()}\n✗ ${step.name} (${elapsed(start)})\n`);
    return false;
  }
  console.error(`✓ ${step.name} (${elapsed(start)})`);
  return true;
}

/**
 * Runs the steps a few at a time, in order, each once the one it reads from has passed.
 * @returns {Promise<string[]>} the names of those that failed or could not be run
 */
async function judgeAll() {
  /** @type {Map<string, Promise<boolean>>} */
  const verdicts = new Map();
  const waiting = [...STEPS];
  const judgeAfter = async (/** @type {Step} */ step) => {
    if (step.after === undefined || (await verdicts.get(step.after))) return judge(step);
    console.error(`✗ ${step.name}: not run, for ${step.after} failed`);
    return false;
  };
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const verdict = judgeAfter(step);
      verdicts.set(step.name, verdict);
      await verdict;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  const failed = [];
  for (const [name, verdict] of verdicts) if (!(await verdict)) failed.push(name);
  return failed;
}

await main(async () => {
  const start = performance.now();
  // The build is a step of its own here, so that a type error does not hide what the other steps have to say.
  await setUp({ build: false });
  const failed = await judgeAll();
  if (performance.now() - start > BUDGET_MS)
    console.error("check took longer than its three minutes: make a step cheaper");
  console.error(failed.length > 0 ? `check failed: ${failed.join(", ")}` : `check passed (${elapsed(start)})`);
  return failed.length > 0 ? 1 : 0;
});
