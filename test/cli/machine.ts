import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../project/source-scan.js";

export const CLI = join(ROOT, "dist", "cli", "main.js");

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One machine: a data folder of its own, a server on it, and the owner's browser. */
export class Machine {
  readonly data = mkdtempSync(join(tmpdir(), "countersign-cli-"));
  url = "";
  cookie = "";
  #server: ChildProcess | undefined;

  env(more: Record<string, string> = {}): NodeJS.ProcessEnv {
    return { ...process.env, COUNTERSIGN_DATA: this.data, COUNTERSIGN_URL: this.url, LANG: "en_US.UTF-8", ...more };
  }

  async start(): Promise<void> {
    // These people's agents work faster than the ten writes a minute that a key has by default.
    const env = this.env({ COUNTERSIGN_WRITES_PER_MINUTE: "1000" });
    const child = spawn(process.execPath, [CLI, "--json", "serve", "--port", "0"], { env });
    this.#server = child;
    const line = await firstLine(child);
    const { url, signIn } = JSON.parse(line) as { url: string; signIn: string };
    this.url = url;
    assert.equal(statSync(signIn).mode & 0o077, 0, "the link is for its owner alone");
    const token = new URL(readFileSync(signIn, "utf8").trim()).hash.slice("#t=".length);
    const response = await fetch(`${url}/v1/auth/link`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify({ token }),
    });
    assert.equal(response.status, 200);
    this.cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  }

  async stop(): Promise<number | null> {
    const child = this.#server;
    if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    child.kill("SIGTERM");
    return ended;
  }

  /** The owner's browser. */
  async browser<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { cookie: this.cookie, origin: this.url, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.status < 300, text);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  run(args: readonly string[], more: Record<string, string> = {}, input = "yes\n", cwd = ROOT): Promise<Ended> {
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [CLI, ...args],
        // A command that hangs is ended, and its test fails.
        { cwd, env: this.env(more), timeout: 50_000, killSignal: "SIGKILL" },
        (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
        },
      );
      child.stdin?.end(input);
    });
  }

  /** An agent of the owner's that works from anywhere. */
  async agentKey(scopes: readonly string[]): Promise<string> {
    const wanted = { name: "builder", scopes, devices: "none" };
    const { apiKey } = await this.browser<{ apiKey: string }>("POST", "/v1/agents", wanted);
    return apiKey;
  }

  async waiting(): Promise<Waiting[]> {
    const { approvals } = await this.browser<{ approvals: Waiting[] }>("GET", "/v1/approvals");
    return approvals;
  }

  /** The question that stands before the owner, once there is one. */
  async asked(): Promise<Waiting> {
    for (let after = 0; ; ) {
      const [first] = await this.waiting();
      if (first !== undefined) return first;
      const path = `/v1/events/poll?after=${after}&wait=20`;
      after = (await this.browser<{ next: number }>("GET", path)).next;
    }
  }

  /** Answers the next question in the owner's browser. */
  async answer(decision: "approve" | "deny", more: object = {}): Promise<Waiting> {
    const question = await this.asked();
    const { approvalId, toolCallHash } = question;
    await this.browser("POST", `/v1/approvals/${approvalId}/decision`, { decision, toolCallHash, ...more });
    return question;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** Signs a terminal in: the code it shows is entered in the browser. */
  async signIn(): Promise<void> {
    const child = spawn(process.execPath, [CLI, "login"], { env: this.env() });
    const said = await firstLine(child, "stderr");
    const code = /enter: (\S+)/.exec(said)?.[1] ?? "";
    await this.browser("POST", `/v1/auth/cli/${code}`, { decision: "approve" });
    const exit = await new Promise<number | null>((resolve) => child.once("exit", resolve));
    assert.equal(exit, 0);
    assert.equal(statSync(join(this.data, "cli-session.json")).mode & 0o077, 0);
  }
}

export interface Waiting {
  readonly approvalId: string;
  readonly riskTier: string;
  readonly toolCallHash: string;
  readonly card: {
    readonly code: string;
    readonly tool: string;
    readonly humanSummary: string;
    readonly asks: string;
  };
}

function firstLine(child: ChildProcess, from: "stdout" | "stderr" = "stdout"): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child[from]?.on("data", (data: Buffer) => {
      text += data.toString("utf8");
      if (text.includes("\n")) resolve(text.split("\n")[0] ?? "");
    });
    child.once("exit", () => reject(new Error(`It ended before it said anything: ${text}`)));
  });
}
