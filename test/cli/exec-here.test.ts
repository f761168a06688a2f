import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { ROOT } from "../project/source-scan.js";

const CLI = join(ROOT, "dist", "cli", "main.js");
const ASK = "anything else refuses:";

/** A folder to work in, and a state folder that no server has ever used. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-here-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, "state");
  const env = { ...process.env, COUNTERSIGN_DATA: data, COUNTERSIGN_KEY: "", LANG: "en_US.UTF-8", TERM: "xterm" };
  const args = (words: readonly string[]) => [CLI, "exec", "--confirm", "stdin", "--", ...words];

  /** In a real terminal; the answer is typed once its question stands there, Ctrl-C once the command has said so. */
  const typed = (words: readonly string[], answer: string, interruptAt?: string) =>
    new Promise<{ readonly code: number; readonly text: string }>((resolve) => {
      const pty = spawn(process.execPath, args(words), { cols: 100, rows: 50, cwd: folder, env });
      let text = "";
      let asked = false;
      pty.onData((drawn) => {
        text += drawn;
        if (asked && interruptAt !== undefined && drawn.includes(interruptAt)) pty.write("\u0003");
        if (asked || !text.includes(ASK)) return;
        asked = true;
        pty.write(answer);
      });
      pty.onExit(({ exitCode }) => resolve({ code: exitCode, text }));
    });

  const piped = (...words: readonly string[]) =>
    new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const child = execFile(process.execPath, args(words), { cwd: folder, env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      });
      child.stdin?.end("y\nyes\n");
    });

  /** What the terminal's own log says happened, in order. */
  const logged = async () => {
    const store = sqliteStore(join(data, "terminal.db"));
    try {
      return (await store.entries("local", 0, 100)).map(({ type }) => type);
    } finally {
      await store.close();
    }
  };
  return { folder, data, typed, piped, logged };
}

describe("seed E2: exec that asks at standard input, without a server", () => {
  it("shows the card, runs once after a typed yes, gives the command's exit code, and keeps the proof", async () => {
    const { folder, typed, logged } = place();
    const { code, text } = await typed(["touch made && test -e nothing-here"], "yes\r");
    expect(text).toContain("touch made");
    expect(text).toContain("The exact call, SHA-256");
    expect(code).toBe(1);
    expect(existsSync(join(folder, "made"))).toBe(true);
    expect(await logged()).toEqual(["approval.created", "approval.resolved", "call.claimed", "call.executed"]);
  });

  it.each([
    ["Enter alone", "\r", 3],
    ["any other word", "sure\r", 3],
    ["the end of the input", "\u0004", 1],
  ])("invariant I8: takes %s for a no", async (_name, answer, code) => {
    const { folder, typed } = place();
    expect((await typed(["touch", "made"], answer)).code).toBe(code);
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  it("withdraws its question at Ctrl-C: nobody would ever answer it (I4)", async () => {
    const { folder, typed, logged } = place();
    expect((await typed(["touch", "made"], "\u0003")).code).toBe(130);
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(await logged()).toEqual(["approval.created", "approval.resolved"]);
  });

  it("leaves Ctrl-C to a command that runs, and reports how that one ended (I6)", async () => {
    const { typed, logged } = place();
    const { code } = await typed([`trap 'exit 7' INT; echo "go""ing"; sleep 30`], "yes\r", "going");
    expect(code).toBe(7);
    expect(await logged()).toEqual(["approval.created", "approval.resolved", "call.claimed", "call.executed"]);
  });

  it("invariant I8: never approves without a terminal, whatever is piped in", async () => {
    const { folder, piped, logged } = place();
    const { code, stderr } = await piped("touch", "made");
    expect(code).toBe(1);
    expect(stderr).toContain("this is not a terminal. Refused.");
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(await logged()).toEqual(["approval.created", "approval.resolved"]);
  });

  it.each([
    ["leaves the machine", "Leaves this place", ["git", "push"]],
    ["cannot be undone", "Cannot be undone", ["rm", "-r", "build"]],
  ])("attack D11: does not ask here for what %s, and runs nothing", async (_name, risk, words) => {
    const { typed, logged } = place();
    const { code, text } = await typed(words, "yes\r");
    expect(code).toBe(1);
    expect(text).toMatch(new RegExp(`${risk}: .*more than a terminal decides`, "s"));
    expect(text).not.toContain(ASK);
    expect(await logged()).toEqual(["approval.created", "approval.resolved"]);
  });

  it("obeys the policy of the state folder: what a rule denies is not asked", async () => {
    const { data, piped, folder } = place();
    await piped("true");
    const rule = { id: "no-touching", when: 'tool == "shell.command"', effect: "deny", reason: "not on Mondays" };
    writeFileSync(join(data, "countersign.policy.yaml"), JSON.stringify({ version: 1, rules: [rule] }));
    const { code, stdout, stderr } = await piped("touch", "made");
    expect(code, stderr).toBe(3);
    expect(stdout).toContain("not on Mondays");
    expect(existsSync(join(folder, "made"))).toBe(false);
  });
});
