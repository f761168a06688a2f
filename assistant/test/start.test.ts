import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Card } from "countersign";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DemoLine } from "../src/index.js";

const START = fileURLToPath(new URL("../dist/server/run.js", import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<number | null>;
  get<Body>(path: string): Promise<Body>;
  post<Body>(path: string, body: unknown): Promise<Body>;
  decide(card: Pick<Card, "approvalId" | "toolCallHash">, decision: "approve" | "deny"): Promise<number>;
}

async function start(folder: string, ...args: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, [START, "--port", "0", "--data", folder, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const text = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("Killing it loses nothing")) resolve(said);
    });
    child.once("exit", () => reject(new Error(`It ended: ${said}`)));
  });
  const url = /http:\/\/localhost:\d+/.exec(text)?.[0] ?? "";
  const link = readFileSync(join(folder, "sign-in-link"), "utf8").trim();
  const signedIn = await fetch(`${url}/v1/auth/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token: new URL(link).hash.slice("#t=".length) }),
  });
  const headers = {
    cookie: (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
    origin: url,
    "content-type": "application/json",
  };
  return {
    child,
    url,
    ended,
    get: async <Body>(path: string) => (await (await fetch(`${url}${path}`, { headers })).json()) as Body,
    async post<Body>(path: string, body: unknown) {
      const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return (await response.json()) as Body;
    },
    async decide({ approvalId, toolCallHash }, decision) {
      const body = JSON.stringify({ decision, toolCallHash });
      return (await fetch(`${url}/v1/approvals/${approvalId}/decision`, { method: "POST", headers, body })).status;
    },
  };
}

async function waiting(running: Running): Promise<Record<string, Card>> {
  const { approvals } = await running.get<{ readonly approvals: readonly Card[] }>("/v1/approvals");
  return Object.fromEntries(approvals.map((approval) => [String(approval.tool), approval]));
}

describe("npm start", () => {
  it("starts the demo in an empty household; killing it loses nothing (I5), and the demo goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-start-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await start(folder);
    expect(statSync(join(folder, "sign-in-link")).mode & 0o777).toBe(0o600);
    const before = await waiting(first);
    expect(Object.keys(before).toSorted()).toEqual(["email.send", "tasks.create", "todo.clear"]);
    first.child.kill("SIGKILL");
    await first.ended;

    const second = await start(folder);
    const after = await waiting(second);
    expect(after["tasks.create"]?.approvalId).toBe(before["tasks.create"]?.approvalId);
    const [task] = [after["tasks.create"]].flatMap((card) => card ?? []);
    if (task === undefined) throw new Error("nothing waits");
    expect(await second.decide(task, "approve")).toBe(200);
    await expect
      .poll(async () => JSON.stringify((await second.get<{ lines: DemoLine[] }>("/agent/demo")).lines), {
        timeout: 30_000,
      })
      .toContain("The task is on your list.");
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });

  it("assigns tasks to the people of the server, as they are at that moment", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-start-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const running = await start(folder, "--no-demo");
    const say = async (message: string) =>
      (await running.post<{ text: string }>("/agent/chat", { message, conversationId: "c1" })).text;
    await say("create a task: water the roses");
    expect(await say("assign the task water the roses to Ben")).not.toContain("Assigned");
    const { token } = await running.post<{ token: string }>("/v1/invitations", { role: "member" });
    const accepted = await fetch(`${running.url}/v1/invitations/accept`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: running.url },
      body: JSON.stringify({ token, name: "Ben" }),
    });
    expect(accepted.status).toBe(200);
    const { userId } = (await accepted.json()) as { userId: string };
    const said = await running.post<object>("/agent/chat", {
      message: "assign the task water the roses to Ben",
      conversationId: "c1",
    });
    expect(JSON.stringify(said)).toContain(userId);
  });

  it("starts clean when told so", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-start-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const running = await start(folder, "--no-demo");
    expect(await waiting(running)).toEqual({});
    expect(await running.get("/agent/demo")).toEqual({ demo: true, lines: [] });
  });

  it("says in a sentence that its port is taken or its folder is none", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-start-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { url } = await start(join(folder, "first"), "--no-demo");
    const { port } = new URL(url);
    const taken = await failed("--port", port, "--data", join(folder, "second"));
    expect(taken).toMatchObject({ code: 1, text: expect.stringMatching(`^Port ${port} of 127.0.0.1 is in use.*\n$`) });
    const file = join(folder, "file");
    writeFileSync(file, "");
    for (const place of [file, "/proc/none"]) {
      const none = await failed("--port", "0", "--data", place);
      expect(none).toMatchObject({
        code: 1,
        text: expect.stringMatching(`^The data folder ${place} cannot be used.*\n$`),
      });
    }
  });
});

/** How a start that cannot work ends, and all that it says. */
function failed(...args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [START, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => {
        text += data.toString();
      });
    child.once("close", (code) => resolve({ code, text }));
  });
}
