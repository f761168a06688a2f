// dist follows src: built when any source, compiler setting or installed version has changed since.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Problem, ROOT, run, tool } from "./process.mjs";

const STAMP = join(ROOT, "dist", ".stamp");
const SETTINGS = ["package-lock.json", "tsconfig.json", "tsconfig.build.json", join("assistant", "tsconfig.json")];
/** What is compiled, and where to. */
const PARTS = [
  { source: "src", output: "dist" },
  { source: join("assistant", "src"), output: join("assistant", "dist") },
];
const OUTPUTS = [".js", ".js.map", ".d.ts"];

/** @returns {Promise<string>} what was done */
export async function buildIfStale(/** @type {(line: string) => void} */ say) {
  const digest = sourceDigest();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === digest) return "up to date";
  say("compiling src into dist (tsc -b)");
  const { ok, output } = await run([tool("tsc"), "-b", "tsconfig.build.json", "assistant"]);
  if (!ok) throw new Problem(`${output}\nThe build failed. The compiler's words are above.`);
  removeOrphans();
  writeFileSync(STAMP, digest);
  return "compiled src into dist";
}

/** Of contents rather than times: checking out a branch touches files without changing them, and the reverse. */
function sourceDigest() {
  const sources = PARTS.flatMap(({ source }) => filesIn(source)).filter(isCompiled);
  const hash = createHash("sha256");
  for (const file of [...SETTINGS, ...sources]) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return hash.digest("hex");
}

/**
 * The compiler leaves what it wrote for a source that is gone, and the package would carry it. Only the compiler writes
 * declarations, so what others put into dist stays.
 */
function removeOrphans() {
  for (const { source, output } of PARTS) {
    for (const file of filesIn(output).filter((name) => name.endsWith(".d.ts"))) {
      const name = relative(output, file).slice(0, -".d.ts".length);
      if (existsSync(join(ROOT, source, `${name}.ts`))) continue;
      for (const extension of OUTPUTS) rmSync(join(ROOT, output, name + extension), { force: true });
    }
  }
}

function isCompiled(/** @type {string} */ file) {
  return file.endsWith(".ts") && !file.endsWith(".test.ts");
}

function filesIn(/** @type {string} */ folder) {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return files.map((file) => join(folder, file)).toSorted();
}
