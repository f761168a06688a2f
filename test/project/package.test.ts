import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadedPackages } from "../support/loaded-packages.js";
import { ROOT } from "./source-scan.js";

const MOST_PACKAGES = 65;
const MOST_BYTES = 61 * 1024 * 1024;

/** What a user reads when a package that is optional is not there. */
const OPTIONAL = [
  {
    missing: "@photostructure/sqlite",
    // Newer versions of Node bring their own; this hides it.
    flags: process.allowedNodeEnvironmentFlags.has("--experimental-sqlite") ? ["--no-experimental-sqlite"] : [],
    code: 'const { sqliteStore } = await import("countersign/stores/sqlite"); sqliteStore("a.db");',
    sentence:
      'The SQLite store needs Node 22.13 or newer, or the "@photostructure/sqlite" package. Install it: npm i @photostructure/sqlite',
  },
  {
    missing: "pg",
    flags: [],
    code: 'const { postgresStore } = await import("countersign/stores/postgres"); await postgresStore({ url: "postgres://localhost" });',
    sentence:
      'Postgres needs the "pg" package. Install it (npm i pg), or pass an existing pool: postgresStore({ pool }).',
  },
  {
    missing: "@redis/client",
    flags: [],
    code: 'const { redisStore } = await import("countersign/stores/redis"); await redisStore({ url: "redis://localhost" });',
    sentence:
      'The Redis store needs the "@redis/client" package. Install it (npm i @redis/client), or pass a client: redisStore({ client }).',
  },
];

let folder: string;
let project: string;
let packed: { dependencies?: Record<string, string> };

/** Packs what would be published and installs it the way a user would, into a project that has nothing else. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-package-"));
  project = join(folder, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  await run(process.execPath, [join(ROOT, "scripts", "setup.mjs")], ROOT);
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], ROOT);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, filename)], project);
  packed = JSON.parse(await readFile(join(project, "node_modules", "countersign", "package.json"), "utf8"));
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the published package", () => {
  it(`adds at most ${MOST_PACKAGES} packages and ${MOST_BYTES / 1024 / 1024} MB to a project`, async () => {
    const lock = await readFile(join(project, "node_modules", ".package-lock.json"), "utf8");
    const installed = Object.keys((JSON.parse(lock) as { packages: object }).packages);
    expect(installed).toContain("node_modules/countersign");
    expect(installed.length).toBeLessThanOrEqual(MOST_PACKAGES);
    expect(await sizeOf(join(project, "node_modules"))).toBeLessThanOrEqual(MOST_BYTES);
  });

  it("carries neither tests nor what only the build and a clone need", async () => {
    const files = await readdir(join(project, "node_modules", "countersign"), { recursive: true });
    expect(files).toContain(join("dist", "index.js"));
    expect(
      files.filter((file) => /\.test\.|\.stamp$|\.tsbuildinfo$|^dist.(demo|cli)\b.*(demo|\.d\.ts$)/.test(file)),
    ).toEqual([]);
  });

  it("carries every declaration that one of its own refers to", async () => {
    const home = join(project, "node_modules", "countersign", "dist");
    const files = await readdir(home, { recursive: true });
    const declarations = new Set(files.filter((file) => file.endsWith(".d.ts")));
    expect(declarations).toContain("index.d.ts");
    const missing: string[] = [];
    for (const file of declarations) {
      // Those left out are referred to by nobody but each other.
      for (const [, to = ""] of (await readFile(join(home, file), "utf8")).matchAll(
        /(?:from|import\() ?"(\.[^"]+)"/g,
      )) {
        const named = join(dirname(file), to).replace(/\.js$/, ".d.ts");
        if (!declarations.has(named)) missing.push(`${named}, for ${file}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it("loads nothing optional when its root is imported", async () => {
    const loaded = await packagesLoadedBy('await import("countersign");');
    expect(loaded).toContain("countersign");
    expect(loaded.filter((name) => name !== "countersign" && !Object.hasOwn(packed.dependencies ?? {}, name))).toEqual(
      [],
    );
  });

  it("would be caught loading something optional, by import or by require", async () => {
    expect(await packagesLoadedBy('await import("@photostructure/sqlite");')).toContain("@photostructure/sqlite");
    const required =
      'import { createRequire } from "node:module"; createRequire(import.meta.url)("@photostructure/sqlite");';
    expect(await packagesLoadedBy(required)).toContain("@photostructure/sqlite");
  });

  // Last, for it takes packages away from the project.
  it.each(OPTIONAL)("says in one sentence that $missing is missing", async ({ missing, flags, code, sentence }) => {
    await rm(join(project, "node_modules", missing), { recursive: true, force: true });
    const attempt = `try { ${code} console.log("it worked"); } catch (error) { console.log(error.message); }`;
    const { stdout } = await run(process.execPath, [...flags, "--input-type=module", "-e", attempt], project);
    expect(stdout.trim()).toBe(sentence);
  });
});

async function packagesLoadedBy(code: string): Promise<string[]> {
  const report = await mkdtemp(join(folder, "coverage-"));
  await run(process.execPath, ["--input-type=module", "-e", code], project, { NODE_V8_COVERAGE: report });
  return loadedPackages(report);
}

async function run(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  // A coverage run of these tests must not mix its report with ours.
  return promisify(execFile)(program, args, {
    cwd,
    env: { ...process.env, NODE_V8_COVERAGE: undefined, ...env },
    maxBuffer: 2 ** 26,
  });
}

async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for (const file of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) bytes += (await stat(join(file.parentPath, file.name))).size;
  }
  return bytes;
}
