import { execFile } from "node:child_process";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import { describe, expect, it } from "vitest";
import { ROOT } from "../project/source-scan.js";

const DEMO = join(ROOT, "dist", "cli", "demo.js");

interface Ended {
  readonly code: number;
  readonly text: string;
}

function piped(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [DEMO, ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, text: stdout + stderr });
    });
    child.stdin?.end("yes\nyes\n");
  });
}

/** Plays in a real terminal: each answer is typed when its question has been put. */
function typed(
  args: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, TERM: "xterm-256color", NO_COLOR: "" };
    const pty: IPty = spawn(process.execPath, [DEMO, ...args], { cols: 80, rows: 50, env });
    const left = [...answers];
    let [text, from] = ["", 0];
    pty.onData((data) => {
      text += data;
      const [question, answer] = left[0] ?? [];
      const at = question === undefined ? -1 : text.indexOf(question, from);
      if (question === undefined || answer === undefined || at === -1) return;
      from = at + question.length;
      left.shift();
      pty.write(answer);
    });
    pty.onExit(({ exitCode }) => resolve({ code: exitCode, text }));
  });
}

const ASK = "anything else refuses:";

describe("the demo", () => {
  it("invariant I8: without a terminal refuses what waits for a person, says so, and ends with a chain that holds", async () => {
    const { code, text } = await piped();
    expect(code).toBe(0);
    expect(text).toContain("Invoice \\u{202e}fdp.exe");
    expect(text).toContain("is really xn--exmple-4nf.com");
    expect(text).toContain("Nobody can answer here: this is not a terminal. Refused.");
    expect(text).toContain("The agent is told (cancelled): Not run");
    expect(text.replace(/\s+/g, " ")).toContain("(payments over 100 are refused)");
    expect(text).toMatch(/4 entries, and the chain holds/);
    // oxlint-disable-next-line no-control-regex -- a pipe gets plain text
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });

  it("speaks JSON, one object per line", async () => {
    const { text } = await piped("--json");
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => line["type"]).filter(Boolean)).toEqual(["succeeded", "cancelled", "denied"]);
    expect(lines.at(-1)).toEqual({ verified: true, entries: 4, sent: 0 });
  });

  it("explains itself in both languages, and refuses options it does not have", async () => {
    expect((await piped("--help")).text).toMatch(/^npm run demo .*--lang en\|zh/s);
    expect((await piped("--help", "--lang", "zh")).text).toContain("卡片和文字的语言");
    for (const args of [["--bogus"], ["--lang", "fr"], ["more"]]) expect((await piped(...args)).code).toBe(2);
  });

  it("in a terminal shows an edit with its difference, asks again, and runs what was approved", async () => {
    const { code, text } = await typed(
      [],
      [
        [ASK, "e\r"],
        ["New recipient:", "ann@example.com\r"],
        [ASK, "yes\r"],
      ],
    );
    expect(code).toBe(0);
    expect(text).toContain("to: ann@ex\u0430mple.com → ann@example.com");
    expect(text).toContain("Approved. Running…");
    expect(text).toContain("Ran once with changed arguments");
    expect(text).toContain("7 entries, and the chain holds");
    expect(text).not.toContain("\u202e");
  });

  it("invariant I8: in a terminal takes y, Enter and the end of the input for a no", async () => {
    for (const [answer, told] of [
      ["y\r", "denied"],
      ["\r", "denied"],
      ["\u0004", "cancelled"],
    ] as const) {
      const { text } = await typed([], [[ASK, answer]]);
      expect(text).toContain(`The agent is told (${told})`);
      expect(text).toContain(told === "denied" ? "Denied. Nothing ran." : "Withdrawn by the requester. Nothing ran.");
    }
  });

  it("takes 确认 in Chinese", async () => {
    const { code, text } = await typed(["--lang", "zh"], [["其他任何输入都表示拒绝：", "确认\r"]]);
    expect([code, text.includes("已同意，正在执行…"), text.includes("链条完整")]).toEqual([0, true, true]);
  });
});
