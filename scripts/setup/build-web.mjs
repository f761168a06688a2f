// dist/web follows web: the pages are built when any of their files or an installed version has changed since.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Problem, ROOT, run, tool } from "./process.mjs";

const STAMP = join(ROOT, ".setup", "web-stamp");
const PAGE = join(ROOT, "dist", "web", "index.html");
const CONFIG = join("web", "vite.config.ts");
/** The pages import what the package exports, so that a changed client is a changed page. */
const SOURCES = [
  "package-lock.json",
  join("web", "index.html"),
  CONFIG,
  join("web", "public"),
  join("web", "src"),
  join("dist", "client"),
];

/** @returns {Promise<string>} what was done */
export async function buildWebIfStale(/** @type {(line: string) => void} */ say) {
  const digest = sourceDigest();
  if (existsSync(PAGE) && existsSync(STAMP) && readFileSync(STAMP, "utf8") === digest) return "up to date";
  say("building the pages into dist/web (vite)");
  const command = [tool("vite"), "build", "--config", CONFIG, "--logLevel", "warn"];
  // Whoever builds for another purpose, as tests do, would get React as it is for developers, half as large again.
  const { ok, output } = await run(command, { ...process.env, NODE_ENV: "production" });
  if (!ok) throw new Problem(`${output}\nThe pages could not be built. The builder's words are above.`);
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, digest);
  return "built the pages into dist/web";
}

function sourceDigest() {
  const hash = createHash("sha256");
  for (const file of SOURCES.flatMap(filesOf)) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return hash.digest("hex");
}

/** @returns {string[]} */
function filesOf(/** @type {string} */ path) {
  if (!existsSync(join(ROOT, path))) return [];
  if (statSync(join(ROOT, path)).isFile()) return [path];
  const files = readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1)).toSorted();
}
