import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { describe, expect, it, onTestFinished } from "vitest";

const CHAT = fileURLToPath(new URL("../dist/terminal/run.js", import.meta.url));
const YOU = "you > ";
const QUIT = [YOU, "/quit\r"] as const;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-terminal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** In a real terminal: each answer is typed when its question has been put. */
function typed(
  args: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, TERM: "xterm-256color", NO_COLOR: "1" };
    const pty = spawn(process.execPath, [CHAT, ...args], { cols: 100, rows: 60, env });
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

function piped(
  lines: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...settings };
    const child = execFile(process.execPath, [CHAT, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, text: stdout + stderr });
    });
    child.stdin?.end(lines);
  });
}

describe("the chat in a terminal", () => {
  it("shows the card of what it is unsure of, and runs it after a yes", async () => {
    const { code, text } = await typed(
      ["--data", newFolder()],
      [[YOU, "I gotta call mom\r"], ["anything else refuses:", "y\r"], [YOU, "show my tasks\r"], QUIT],
    );
    expect(code).toBe(0);
    expect(text).toContain('I\'ll create a task: "call mom" with medium priority.');
    expect(text).toContain('✅ Created task: "call mom"');
    expect(text).toContain("• call mom");
  });

  it("invariant I8: takes no word but the count or the code for what cannot be undone", async () => {
    const folder = newFolder();
    const { text } = await typed(
      ["--data", folder],
      [
        [YOU, "create a task: water the roses\r"],
        [YOU, "delete all tasks\r"],
        ["anything else refuses:", "yes\r"],
        [YOU, "show my tasks\r"],
        QUIT,
      ],
    );
    expect(text).toContain("Cancelled");
    expect(text).toContain("• water the roses");
    const again = await typed(
      ["--data", folder],
      [[YOU, "delete all tasks\r"], ["anything else refuses:", "1\r"], QUIT],
    );
    expect(again.text).toContain("✅ Deleted 1 todo");
  });

  it("invariant I8: without a terminal nobody can confirm, and what needs nobody still works", async () => {
    const { code, text } = await piped("create a task: water the roses\nI gotta call mom\nshow my tasks\n", [
      "--data",
      newFolder(),
    ]);
    expect(code).toBe(0);
    expect(text).toContain('✅ Created task: "water the roses"');
    expect(text).toContain("Nobody can answer here: this is not a terminal. Refused.");
    expect(text).not.toContain('✅ Created task: "call mom"');
  });

  it("speaks Chinese, explains itself, and refuses options it does not have", async () => {
    const { text } = await piped("创建任务：买牛奶和面包\n", ["--lang", "zh", "--data", newFolder()]);
    expect(text).toContain("✅ 已创建任务：“买牛奶和面包”");
    expect((await piped("", ["--help"])).text).toContain("--data FOLDER");
    for (const [args, problem] of [
      [["--bogus"], "Unknown option '--bogus'"],
      [["--lang", "fr"], "--lang fr"],
      [["more"], "Unexpected argument 'more'"],
      [["--data"], "Option '--data <value>' argument missing"],
    ] as const)
      expect(await piped("", args)).toEqual({ code: 2, text: `Not understood: ${problem}. Try --help.\n` });
  });

  it("ends, and says so, when its input ends at a card's question (I8)", async () => {
    const { code, text } = await typed(
      ["--data", newFolder()],
      [
        [YOU, "I gotta call mom\r"],
        ["anything else refuses:", "\u0004"],
      ],
    );
    expect(code).toBe(0);
    expect(text).toContain("The input ended without an answer. Refused.");
    expect(text).toMatch(/Bye\. What waits is still there next time\.\s*$/);
  });

  it.each([
    ["COUNTERSIGN_SMTP_URL", "mail.example.com", "smtp:// or smtps://"],
    ["COUNTERSIGN_SEARCH_URL", "not an address", "http:// or https://"],
    ["COUNTERSIGN_TRANSCRIPT_URL", "ftp://example.com/{url}", "http:// or https://"],
    ["COUNTERSIGN_DATA_URL", "mysql://secret@db/x", "postgres:// or postgresql://"],
  ])("says in one line that %s is wrong, and tells nothing of what it holds", async (name, value, forms) => {
    const { code, text } = await piped("", ["--data", newFolder()], { [name]: value });
    expect([code, text]).toEqual([1, `${name} is not an address that begins with ${forms}.\n`]);
  });

  it("assigns tasks to the people it was told of", async () => {
    const lines = "create a task: water the roses\nassign water the roses to Mia\nassign water the roses to Zed\n";
    const { text } = await piped(lines, ["--data", newFolder()], { COUNTERSIGN_MEMBERS: "mia=Mia" });
    expect(text).toContain('✅ Assigned "water the roses" to Mia');
    expect(text).toContain('I do not know "Zed". I know local, Mia.');
  });

  it("lets no control sequence of others through", async () => {
    const { text } = await piped("note: red \u001b[31malert\u202e\nshow my notes\n", ["--data", newFolder()]);
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});
