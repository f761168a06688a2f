// node_modules follows package-lock.json: installed when missing or when the lock file has changed since.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { npm, Problem, ROOT, run } from "./process.mjs";

const MODULES = join(ROOT, "node_modules");
const RECORD = join(MODULES, ".countersign-lock");
/** Exists while npm writes the tree, so that an install that was broken off is not mistaken for one made by hand. */
const INSTALLING = join(ROOT, ".setup", "installing");

/** @returns {Promise<string>} what was done */
export async function installDependencies(/** @type {(line: string) => void} */ say) {
  const wanted = lockHash();
  const recorded = existsSync(RECORD) ? readFileSync(RECORD, "utf8") : undefined;
  if (recorded === wanted) return "match package-lock.json";

  // A tree that npm ci was run for by hand, or that is linked from another checkout, need not be installed again.
  const linked = existsSync(MODULES) && lstatSync(MODULES).isSymbolicLink();
  if (linked || (existsSync(MODULES) && recorded === undefined && !existsSync(INSTALLING))) {
    // Through a link npm sees only the packages that we name ourselves; those are pinned.
    if ((await run(npm("ls", ...(linked ? [] : ["--all"])))).ok) {
      writeFileSync(RECORD, wanted);
      return "satisfy package-lock.json; recorded";
    }
    // npm ci would empty the folder that the link leads to.
    if (linked)
      throw new Problem(
        "node_modules is a link to a folder that lacks what package-lock.json asks for. Remove the link.",
      );
  }

  say("installing what package-lock.json names (npm ci); the first time takes a minute or two");
  mkdirSync(dirname(INSTALLING), { recursive: true });
  writeFileSync(INSTALLING, "");
  const { ok, output } = await run(npm("ci", "--no-audit", "--no-fund"));
  if (!ok) throw new Problem(`${output}\nnpm ci failed. Its output is above.`);
  writeFileSync(RECORD, wanted);
  rmSync(INSTALLING);
  return "installed from package-lock.json";
}

/** Platform and architecture belong to it: some packages ship one binary for each. */
function lockHash() {
  const lock = readFileSync(join(ROOT, "package-lock.json"));
  return createHash("sha256").update(`${process.platform}-${process.arch}\n`).update(lock).digest("hex");
}
