import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/client/index.js";
import { decide, firstAsked, listen } from "../server/listening.js";
import { openServerWorld } from "../server/world.js";

interface Ready {
  readonly url: string;
  readonly apiKey: string;
  readonly cookie: string;
}

function start(script: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function firstLine(child: ChildProcess): Promise<Ready> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const died = once(child, "exit").then(() => Promise.reject(new Error("the child ended early")));
  // Once it has said that it is ready, its end is the test's own doing.
  died.catch(() => undefined);
  const [line] = await Promise.race([once(lines, "line"), died]);
  return JSON.parse(String(line)) as Ready;
}

async function killed(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Says yes to everything, also to what was asked while nobody was listening. */
async function approveAll({ url, cookie }: Ready, signal: AbortSignal): Promise<void> {
  const headers = { cookie, origin: url };
  const person = createClient({
    url,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...(init?.headers as object), ...headers } }),
  });
  const sweep = async () => {
    const { approvals } = await person.approvals.pending({ limit: 100 });
    await Promise.allSettled(approvals.map((approval) => person.approvals.approve(approval)));
  };
  const sweepNow = () => void sweep().catch(() => undefined);
  for await (const { type } of person.events({ signal, onConnection: (connected) => connected && sweepNow() })) {
    if (type === "approval.created") sweepNow();
  }
}

const CALLS = 60;
const LANES = 8;

describe("a server that is killed under load", () => {
  it("loses nothing that it acknowledged, runs nothing twice, and its clients go on (I1, I5, I6)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "countersign-live-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    let server = start("./server.mjs", folder);
    const ready = await firstLine(server);
    const stop = new AbortController();
    const approving = approveAll(ready, stop.signal);
    const client = createClient({ url: ready.url, key: ready.apiKey });
    const ended = new Map<number, { type: string; approvalId?: string }>();
    let n = 0;
    const lane = async () => {
      for (let mine = n++; mine < CALLS; mine = n++) {
        const call = { tool: "task.update", args: {}, context: { mine }, idempotencyKey: `call-${mine}` };
        ended.set(mine, await client.run(call, { deadline: 100_000 }));
        if (ended.size === 15 || ended.size === 35) {
          await killed(server);
          server = start("./server.mjs", folder, new URL(ready.url).port);
          await firstLine(server);
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    stop.abort();
    await approving;
    const effects = readFileSync(join(folder, "effects.log"), "utf8").trim().split("\n");
    expect(new Set(effects).size).toBe(effects.length);
    expect(ended.size).toBe(CALLS);
    for (const [mine, outcome] of ended) {
      expect(["succeeded", "unknown"], `call ${mine}`).toContain(outcome.type);
      if (outcome.type === "succeeded") expect(effects).toContain(outcome.approvalId);
      // The same key gives the same answer after it all.
      const again = await client.calls.submit({
        tool: "task.update",
        args: {},
        context: { mine },
        idempotencyKey: `call-${mine}`,
      });
      expect(again).toMatchObject({ approvalId: outcome.approvalId, type: outcome.type });
    }
    expect([...ended.values()].filter(({ type }) => type === "succeeded").length).toBeGreaterThan(CALLS / 2);
  });
});

describe("an agent that is killed between its claim and its report", () => {
  it("leaves an unknown outcome, and the call is not run again (I6)", async () => {
    const world = await openServerWorld({ tools: [] });
    const { url } = await listen(world);
    const { issued, http } = await world.agent(["notes.*"]);
    const child = start("./agent.mjs", url, issued.apiKey);
    const exited = once(child, "exit");
    const asked = await firstAsked(world.browser);
    await decide(world.browser, asked, "approve");
    expect((await exited)[1]).toBe("SIGKILL");
    let told: Record<string, unknown> = {};
    do told = (await http.get(`/v1/calls/${asked}?wait=10`)).body;
    while (told["type"] === "pending");
    expect(told).toMatchObject({ type: "unknown", approvalId: asked });
  });
});
