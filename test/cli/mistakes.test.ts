import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn as spawnPty } from "@lydell/node-pty";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CLI, Machine } from "./machine.js";

const machine = new Machine();

beforeAll(async () => {
  await machine.start();
  await machine.signIn();
  return () => machine.end();
});

describe("a server that cannot start", () => {
  it.each([
    ["its port is taken", () => ["--port", new URL(machine.url).port], 1, /^Port \d+ of 127\.0\.0\.1 is in use/],
    ["its address is another machine's", () => ["--host", "192.0.2.1"], 2, /^The server cannot listen at 192\.0\.2\.1/],
    ["its data folder is a file", () => ["--data", fileIn("file")], 2, /^The data folder .* cannot be used/],
    ["its data folder cannot be made", () => ["--data", "/proc/none"], 2, /^The data folder .* cannot be used/],
    [
      "its database has no folder",
      () => ["--store", `sqlite:${at("none/a.db")}`],
      1,
      /^The SQLite file .* cannot be opened/,
    ],
    ["its policy is not there", () => ["--policy", at("none.yaml")], 2, /none\.yaml: There is no such file/],
    ["it shares a store and has no secret", () => ["--store", "postgres://db/x"], 2, /openssl rand/],
  ])("says in one line that %s", async (_what, flags, code, line) => {
    const env = { COUNTERSIGN_SECRET: "", COUNTERSIGN_DATA: at("other") };
    const ended = await machine.run(["serve", "--port", "0", ...flags()], env);
    expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(line) });
    expect(ended.stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("a terminal that makes a mistake", () => {
  it.each([
    ["a language that is not spoken", ["--lang", "fr", "pending"], "Allowed choices are en, zh"],
    ["an address that is none", ["--url", "localhost", "pending"], '"localhost" is not the address of a server'],
    ["a file that is not there", ["audit", "verify", "none.jsonl"], "none.jsonl cannot be used: there is no such file"],
    [
      "checkpoints that are not there",
      ["audit", "verify", "package.json", "--checkpoints", "none", "--key", "package.json"],
      "none cannot be used: there is no such file",
    ],
    ["days that nobody keeps", ["policy", "replay", "policies/family.policy.yaml", "--days", "x"], "--days is a whole"],
    ["a port that is none", ["mcp", "--config", "none.json", "--port", "8o80"], "--port is a whole number"],
    [
      "a policy that is not there",
      ["policy", "test", "none.yaml"],
      "none.yaml cannot be read. `countersign init` writes",
    ],
    [
      "a table that is not there",
      ["policy", "explain", '{"tool":"x"}', "policies/family.policy.yaml", "--table", "none.yaml"],
      "none.yaml cannot be read. `countersign init` writes",
    ],
    ["an argument that is missing", ["show"], "(--help says how it is used)"],
  ])("hears of %s, with exit code 2", async (_what, args, sentence) => {
    expect(await machine.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
  });

  it("is quiet when its reader has read enough, as head has", async () => {
    const child = spawn(process.execPath, [CLI, "config", "check"], { env: machine.env() });
    child.stdout.destroy();
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += String(chunk);
    });
    const [code] = (await once(child, "close")) as [number];
    expect([code, said]).toEqual([0, ""]);
  });

  it("finds the options of all commands in the help of each", async () => {
    expect((await machine.run(["pending", "--help"])).stdout).toContain("--json");
  });

  it("writes a starter policy into a folder that it makes", async () => {
    expect((await machine.run(["init", "family", "--folder", at("new/rules")])).code).toBe(0);
    expect(existsSync(at("new/rules/countersign.policy.yaml"))).toBe(true);
  });

  it("says that its folder cannot be made, where it would keep what was asked", async () => {
    const { code, stderr } = await machine.run(["exec", "--confirm", "stdin", "--", "touch", at("made")], {
      COUNTERSIGN_DATA: "/proc/none",
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^The data folder \/proc\/none cannot be used/)]);
    expect(existsSync(at("made"))).toBe(false);
  });

  it.each(["\u0003", "\u0004"])(
    "writes nothing and says so when it is left in the middle of a question, %j",
    async (key) => {
      const env = machine.env({ TERM: "xterm", COUNTERSIGN_DATA: at("left") });
      const pty = spawnPty(process.execPath, [CLI, "channels", "setup", "slack"], { cols: 100, rows: 50, env });
      let text = "";
      pty.onData((data) => {
        if (!text.includes("> ") && (text += data).includes("> ")) pty.write(key);
        else text += data;
      });
      const code = await new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
      expect(code).toBe(130);
      expect(text).toMatch(/Interrupted\. Nothing was written\.\s*$/);
      expect(existsSync(at("left/countersign.channels.yaml"))).toBe(false);
    },
  );

  it("asks the doctor for the server of its settings", async () => {
    const session = at("cli-session.json");
    renameSync(session, at("away.json"));
    onTestFinished(() => renameSync(at("away.json"), session));
    const { stdout, code } = await machine.run(["doctor", "--port", "9"], { COUNTERSIGN_URL: "" });
    expect(stdout).toContain("✗ http://localhost:9 does not answer");
    expect(code).toBe(1);
  });

  it("is shown by the doctor each key that others can read, whichever it is", async () => {
    const keys = readdirSync(machine.data).filter((name) => name.endsWith(".key"));
    expect(keys).toContain("kept.key");
    for (const name of keys) {
      const key = join(machine.data, name);
      chmodSync(key, 0o644);
      onTestFinished(() => chmodSync(key, 0o600));
      expect(await machine.run(["doctor"]), name).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(`✗ ${key}`),
      });
      chmodSync(key, 0o600);
    }
  });

  it("is told that its session has ended, and how to have another", async () => {
    const session = at("cli-session.json");
    copyFileSync(session, at("ended.json"));
    expect((await machine.run(["logout"])).code).toBe(0);
    copyFileSync(at("ended.json"), session);
    const ended = await machine.run(["pending"]);
    expect(ended).toMatchObject({ code: 6, stderr: expect.stringMatching(/has ended\. Run: countersign login\n$/) });
    expect(await machine.run(["logout"]), "what has ended need not be ended").toMatchObject({ code: 0 });
    await machine.signIn();
  });
});

describe("a gated command", () => {
  it("is not asked about when its time limit is no number", async () => {
    const key = await machine.agentKey(["shell.command"]);
    const { code, stderr } = await machine.run(["exec", "--timeout", "soon", "--", "touch", "x"], {
      COUNTERSIGN_KEY: key,
    });
    expect([code, stderr]).toEqual([2, '--timeout is a number of seconds, not "soon".\n']);
    expect(await machine.waiting()).toEqual([]);
  });

  it("says that it is the key that the server does not know", async () => {
    const { code, stderr } = await machine.run(["exec", "--", "ls"], { COUNTERSIGN_KEY: "csk_live_wrong" });
    expect([code, stderr]).toEqual([6, expect.stringContaining("does not accept the key")]);
  });

  it("withdraws its question when it is interrupted: nobody would be there to run it", async () => {
    const env = machine.env({ COUNTERSIGN_KEY: await machine.agentKey(["shell.command"]) });
    const child = spawn(process.execPath, [CLI, "exec", "--", "touch", at("made")], { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const waits = new Promise((resolve) => child.stderr.once("data", resolve));
    const { approvalId } = await machine.asked();
    await waits;
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const { state } = await machine.browser<{ state: string }>("GET", `/v1/approvals/${approvalId}`);
    expect(state).toBe("cancelled");
    expect(existsSync(at("made"))).toBe(false);
  });

  it("says why a terminal may not decide it", async () => {
    const { code, stderr } = await machine.run(["exec", "--confirm", "stdin", "--", "npm", "install", "left-pad"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('- "npm install" installs, removes or updates software.'),
    ]);
  });

  it("is approved by nobody without a terminal, also for programs, and shows how it ended (I8)", async () => {
    const key = await machine.agentKey(["shell.command"]);
    const running = machine.run(["exec", "--", "touch", at("made")], { COUNTERSIGN_KEY: key });
    const { approvalId } = await machine.asked();
    const refused = await machine.run(["--json", "approve", approvalId]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: "not_approved" });
    await machine.answer("deny");
    expect((await running).code).toBe(3);
    expect((await machine.run(["show", approvalId])).stdout).toMatch(/Not waiting any more: denied\.\n$/);
  });
});

function at(name: string): string {
  return join(machine.data, name);
}

function fileIn(name: string): string {
  writeFileSync(at(name), "");
  return at(name);
}
