import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyChain } from "../core/audit.js";
import { sqliteStore } from "./sqlite.js";

/*
 * What only real processes can show. Each child runs the built package, as a user's process does, and prints one line of JSON.
 */
const STORE = new URL("../../dist/stores/sqlite.js", import.meta.url).href;
const FILE = new URL("../../dist/stores/sqlite/file.js", import.meta.url).href;
const PRELUDE = `
  import { randomBytes, randomUUID } from "node:crypto";
  import { sqliteStore } from ${JSON.stringify(STORE)};
  const path = process.argv[1];
  const change = (id, version, value) => ({
    changeId: randomUUID(), workspaceId: "workspace", puts: [{ kind: "approval", id, version, value }],
    entries: [{ type: "a.b", ref: id, content: "{}" }],
  });
`;

let folder: string;
let path: string;
let children: ChildProcess[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-sqlite-process-"));
  path = join(folder, "store.db");
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly said: unknown;
  readonly stderr: string;
}

/** `limit` is the largest file the child may write, in KiB. */
function run(script: string, limit?: number): Promise<Ended> {
  const node = [process.execPath, "--input-type=module", "-e", PRELUDE + script, path];
  // The shell sets the limit and then becomes the child.
  const limited = ["bash", "-c", `ulimit -f ${limit}; exec "$@"`, "bash", ...node];
  const [command = "", ...args] = limit === undefined ? node : limited;
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => (stdout += data));
  child.stderr.on("data", (data) => (stderr += data));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stderr, said: stdout === "" ? undefined : JSON.parse(stdout) }));
  });
}

async function chainOf(file: string) {
  const store = sqliteStore(file, { worker: false });
  const entries = await store.entries("workspace", 0, 1_000_000);
  const head = await store.checkpoint("workspace");
  await store.close();
  return { entries, head, verified: verifyChain("workspace", entries, [head]) };
}

describe("several processes on one file", () => {
  it.each([true, false])(
    "let exactly one replace each version (invariant I4), with a writing thread: %s",
    async (thread) => {
      const versions = 60;
      // All of them also create the file at once.
      const ended = await Promise.all(
        Array.from({ length: 3 }, () =>
          run(`
          const store = sqliteStore(path, ${thread ? "{}" : "{ worker: false }"});
          let won = 0;
          for (let version = 0; version < ${versions}; ) {
            const [mine, other] = await store.commit([change("a", version, "v"), change(randomUUID(), 0, "v")]);
            if (!other.ok) throw new Error("harmed");
            if (mine.ok) won++;
            version = mine.ok ? version + 1 : mine.current.version;
          }
          await store.close();
          console.log(won);
        `),
        ),
      );
      expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(ended.map(() => [0, ""]));
      expect(ended.reduce((sum, { said }) => sum + (said as number), 0)).toBe(versions);
      const { entries, verified } = await chainOf(path);
      expect(verified.ok).toBe(true);
      expect(entries.filter(({ ref }) => ref === "a").length).toBe(versions);
    },
  );
});

describe("connections that create one file at the same moment", () => {
  it("all get it, although SQLite waits for no lock there", async () => {
    const [connections, files] = [3, 40];
    const opener = `
      const { parentPort, workerData } = require("node:worker_threads");
      const started = new Int32Array(workerData);
      import(${JSON.stringify(FILE)}).then(({ SqliteFile }) => {
        for (let file = 0; file < ${files}; file++) {
          // Nobody opens a file before everybody is about to.
          Atomics.add(started, file, 1);
          while (Atomics.load(started, file) < ${connections});
          new SqliteFile(${JSON.stringify(path)} + file, 10_000).close();
        }
        parentPort.postMessage(${files});
      });
    `;
    const { code, stderr, said } = await run(`
      import { Worker } from "node:worker_threads";
      const workerData = new SharedArrayBuffer(4 * ${files});
      const threads = Array.from({ length: ${connections} }, () => new Worker(${JSON.stringify(opener)}, { eval: true, workerData, execArgv: [] }));
      const opened = await Promise.all(threads.map((thread) => new Promise((resolve) => {
        thread.once("message", resolve);
        // The others would wait for it for ever.
        thread.once("error", (error) => { console.error(error); process.exit(1); });
      })));
      console.log(JSON.stringify(opened));
    `);
    expect([code, stderr]).toEqual([0, ""]);
    expect(said).toEqual(Array.from({ length: connections }, () => files));
  });
});

describe.skipIf(process.platform === "win32")("a disk that does not take a write", () => {
  const fill = (options: string) => `
    const fatal = [];
    const store = sqliteStore(path, ${options});
    const acknowledged = [];
    const errors = [];
    for (let i = 0; i < 200 && errors.length < 3; i++) {
      const group = [change("a" + i, 0, "x".repeat(5_000)), change("b" + i, 0, "y")];
      await store.commit(group).then(
        (applied) => acknowledged.push(...applied.map(({ seq }) => seq)),
        (error) => errors.push(error.code),
      );
    }
    console.log(JSON.stringify({ acknowledged, errors, fatal: fatal.length }));
    process.exit(0);
  `;

  it.each([true, false])(
    "is told to the host, and nothing is acknowledged after it (invariant I5), with a writing thread: %s",
    async (thread) => {
      const options = `{ ${thread ? "" : "worker: false, "}onFatal: (error) => fatal.push(error) }`;
      const { code, stderr, said } = await run(fill(options), 400);
      expect([code, stderr]).toEqual([0, ""]);
      const { acknowledged, errors, fatal } = said as { acknowledged: number[]; errors: string[]; fatal: number };
      expect(errors).toEqual(["store_failed", "store_failed", "store_failed"]);
      expect(fatal).toBe(1);
      const { entries, verified } = await chainOf(path);
      expect(verified.ok).toBe(true);
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(entries.slice(0, acknowledged.length).map(({ seq }) => seq)).toEqual(acknowledged);
    },
  );

  it("ends the process when the host has not said what else to do", async () => {
    const { code, stderr, said } = await run(fill("{ worker: false }"), 400);
    expect(code).toBe(70);
    expect(stderr).toMatch(/^countersign: the disk did not confirm a write \(.+\)\. Ending/);
    expect(said).toBeUndefined();
  });
});
