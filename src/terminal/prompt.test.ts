import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { held } from "../../test/support/held.js";
import type { Card } from "../core/card/card.js";
import { shown } from "../core/text/shown.js";
import type { Locale, ToolDefinition } from "../core/tool.js";
import { type Answer, askLine, confirmAtTerminal } from "./prompt.js";

const R2: Partial<ToolDefinition> = { name: "note.update" };
const R3: Partial<ToolDefinition> = { name: "mail.send" };
const R4: Partial<ToolDefinition> = { name: "todo.delete", destructive: true };
const COUNTED: Partial<ToolDefinition> = {
  ...R4,
  preview: () => ({ effects: [{ kind: "delete", noun: "task", count: 12 }] }),
};

interface Terminal {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly seen: () => string;
  readonly question: Promise<void>;
}

/** A terminal that tells when the question has been put. */
function terminal(): Terminal {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let text = "";
  const question = new Promise<void>((resolve) => {
    output.on("data", (chunk) => {
      text += String(chunk);
      if (/[:：] $/.test(text)) resolve();
    });
  });
  return { input, output, seen: () => text, question };
}

async function cardOf(tool: Partial<ToolDefinition>, locale: Locale = "en"): Promise<Card> {
  return (await held(tool)).card(locale);
}

async function answered(card: Card, said: string | undefined, offers = {}): Promise<Answer> {
  const { input, output, question } = terminal();
  const answer = confirmAtTerminal(card, { input, output, isTTY: true, settle: 0, offers });
  await question;
  if (said === undefined) input.end();
  else input.write(said);
  return answer;
}

describe("the prompt in a terminal", () => {
  it.each([
    [
      "R2",
      R2,
      "en",
      ["y", "yes", "YES", " y "],
      ["", "n", "no", "yes!", "yess", "ok", "why", "是", "y\u200b", "\u001b[A"],
    ],
    ["R2", R2, "zh", ["y", "是", "确认"], ["", "不确认", "取消", "不是", "好"]],
    ["R3", R3, "en", ["yes", "Yes"], ["", "y", "ye", "yes please"]],
    ["R3", R3, "zh", ["yes", "确认"], ["", "y", "是"]],
  ] as const)(
    "invariant I8: of a call of tier %s takes only its own words for a yes",
    async (_, tool, locale, yes, no) => {
      const card = await cardOf(tool, locale);
      for (const said of yes) expect(await answered(card, `${said}\n`)).toEqual({ type: "approve" });
      for (const said of no) expect(await answered(card, `${said}\r`)).toEqual({ type: "deny", why: "answered" });
    },
  );

  it("invariant I8: asks for the count or the code of what cannot be undone", async () => {
    const [bare, counted] = [await cardOf(R4), await cardOf(COUNTED)];
    expect([bare.riskTier, counted.riskTier]).toEqual(["R4", "R4"]);
    expect(await answered(bare, `${bare.code.toLowerCase()}\n`)).toEqual({ type: "approve" });
    expect(await answered(counted, "12\n")).toEqual({ type: "approve" });
    expect(await answered(counted, `${counted.code}\n`)).toEqual({ type: "approve" });
    for (const said of ["yes", "y", "", "1", "0", "12 tasks", "确认"]) {
      expect(await answered(counted, `${said}\n`)).toMatchObject({ type: "deny" });
      expect(await answered(bare, `${said}\n`)).toMatchObject({ type: "deny" });
    }
  });

  it("invariant I8: takes the end of the input, even behind a yes without Enter, for a no", async () => {
    const card = await cardOf(R2);
    expect(await answered(card, undefined)).toEqual({ type: "deny", why: "ended" });
    const { input, output, question } = terminal();
    const answer = confirmAtTerminal(card, { input, output, isTTY: true, settle: 0 });
    await question;
    input.end("yes");
    expect(await answer).toEqual({ type: "deny", why: "ended" });
    expect(await answered(card, "x".repeat(1_000))).toEqual({ type: "deny", why: "ended" });
  });

  it("invariant I8: refuses without a terminal, and when the input was closed before", async () => {
    const card = await cardOf(R2);
    const pipe = terminal();
    pipe.input.write("yes\n");
    expect(await confirmAtTerminal(card, { ...pipe, isTTY: false })).toEqual({ type: "deny", why: "no_terminal" });
    expect(pipe.seen()).toContain("Nobody can answer here");
    const closed = terminal();
    closed.input.destroy();
    expect(await confirmAtTerminal(card, { ...closed, isTTY: true })).toEqual({ type: "deny", why: "ended" });
  });

  it("invariant I8: throws away what was typed before the question was put", async () => {
    const { input, output, question } = terminal();
    input.write("yes\n");
    const answer = confirmAtTerminal(await cardOf(R3), { input, output, isTTY: true, settle: 20 });
    await question;
    input.write("no\n");
    expect(await answer).toEqual({ type: "deny", why: "answered" });
  });

  it("hands other offered words on, which decide nothing", async () => {
    const card = await cardOf(R2);
    expect(await answered(card, "e\n", { e: shown`Type e to edit.` })).toEqual({ type: "offer", word: "e" });
    expect(await answered(card, "constructor\n", { e: shown`Type e to edit.` })).toMatchObject({ type: "deny" });
  });

  it("reads a letter that comes in two pieces", async () => {
    const { input, output, question } = terminal();
    const answer = confirmAtTerminal(await cardOf(R2, "zh"), { input, output, isTTY: true, settle: 0 });
    await question;
    const bytes = Buffer.from("确认\n");
    input.write(bytes.subarray(0, 2));
    input.write(bytes.subarray(2));
    expect(await answer).toEqual({ type: "approve" });
  });

  it("asks for a line of text too", async () => {
    const { input, output } = terminal();
    const line = askLine(shown`New recipient:`, { input, output });
    input.write(" ann@example.com \n");
    expect(await line).toBe("ann@example.com");
  });
});
