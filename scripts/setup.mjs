// Makes a checkout ready: from a fresh clone with nothing installed, or in milliseconds when nothing has changed.
// `npm start`, `npm test`, `npm run check` and `npm run bench` begin here; `node scripts/setup.mjs` does only this.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./setup/build.mjs";
import { buildWebIfStale } from "./setup/build-web.mjs";
import { installDependencies } from "./setup/dependencies.mjs";
import { withLock } from "./setup/lock.mjs";
import { elapsed, main, Problem, ROOT } from "./setup/process.mjs";
import { installSystemPackages } from "./setup/system-packages.mjs";

/**
 * Safe to run twice at once: the second waits for the first. Speaks on standard error, so that the output of what comes
 * after stays its own. Throws a Problem when the checkout cannot be made ready; without a system package that is needed it is
 * ready all the same, unless that is required.
 * @param {{ build?: boolean, need?: readonly import("./setup/system-packages.mjs").SystemPackage[], required?: boolean }} [options]
 */
export async function setUp({ build = true, need = [], required = false } = {}) {
  checkNodeVersion();
  await withLock(join(ROOT, ".setup", "lock"), say("set-up"), async () => {
    await step("dependencies", installDependencies);
    if (build) await step("build", buildIfStale);
    if (build) await step("pages", buildWebIfStale);
    if (need.length > 0) await step("system packages", (tell) => installSystemPackages(need, tell, { required }));
  });
}

/**
 * @param {string} title
 * @param {(say: (line: string) => void) => Promise<string>} work
 */
async function step(title, work) {
  const start = performance.now();
  const did = await work(say(title));
  say(title)(`${did} (${elapsed(start)})`);
}

function say(/** @type {string} */ title) {
  return (/** @type {string} */ line) => console.error(`${title}: ${line}`);
}

function checkNodeVersion() {
  /** @type {{ engines: { node: string } }} */
  const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const [major = 0, minor = 0] = engines.node.replace(">=", "").split(".").map(Number);
  const [ourMajor = 0, ourMinor = 0] = process.versions.node.split(".").map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  throw new Problem(
    `Countersign needs Node ${major}.${minor} or newer; this is ${process.versions.node}. Install a newer one from https://nodejs.org.`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    await setUp();
    return 0;
  });
}
