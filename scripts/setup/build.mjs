// dist follows src: built when any source, compiler setting or installed version has changed since.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Problem, ROOT, run, tool } from "./process.mjs";

const STAMP = join(ROOT, "dist", ".stamp");
const SETTINGS = ["package-lock.json", "tsconfig.json", "tsconfig.build.json"];
const OUTPUTS = [".js", ".js.map", ".d.ts"];

/** @returns {Promise<string>} what was done */
export async function buildIfStale(/** @type {(line: string) => void} */ say) {
  const files = sources();
  const hash = createHash("sha256");
  // Contents rather than times: a checkout of another branch touches files without changing them, and the reverse.
  for (const file of [...SETTINGS, ...files]) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  const digest = hash.digest("hex");
  /** @type {{ digest?: string, files: string[] }} */
  const built = existsSync(STAMP) ? JSON.parse(readFileSync(STAMP, "utf8")) : { files: [] };
  if (built.digest === digest) return "up to date";

  say("compiling src into dist (tsc -b)");
  removeOutputs(built.files.filter((file) => !files.includes(file)));
  const { ok, output } = await run([tool("tsc"), "-b", "tsconfig.build.json"]);
  if (!ok) throw new Problem(`${output}\nThe build failed. The compiler's words are above.`);
  writeFileSync(STAMP, JSON.stringify({ digest, files }));
  return "compiled src into dist";
}

function sources() {
  return readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => join("src", file))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .toSorted();
}

/** The compiler leaves what it wrote for a source that is gone, and the package would carry it. */
function removeOutputs(/** @type {string[]} */ gone) {
  for (const file of gone) {
    const output = join(ROOT, "dist", file.slice("src/".length, -".ts".length));
    for (const extension of OUTPUTS) rmSync(output + extension, { force: true });
  }
}
