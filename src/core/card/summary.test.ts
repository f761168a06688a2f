import { describe, expect, it } from "vitest";
import { held } from "../../../test/support/held.js";
import type { Prompt } from "../tool.js";

// oxlint-disable-next-line typescript/no-explicit-any -- prompts of any argument type
type AnyPrompt = Prompt<any>;

async function asked(confirmPrompt: AnyPrompt, args: unknown, sensitive: readonly string[] = []): Promise<string> {
  const { card } = await held({ confirmPrompt, sensitive }, args);
  return (await card()).humanSummary;
}

const people = (count: number) => Array.from({ length: count }, (_, index) => `reader-${index + 1}@example.com`);

describe("the question on a card", () => {
  it.each([
    ["its title", { title: "Send e-mail" }, "Send e-mail?", "Send e-mail？"],
    ["its title in their language", { title: { en: "Send e-mail", zh: "发送邮件" } }, "Send e-mail?", "发送邮件？"],
    ["its title, which asks already", { title: "Send it all?" }, "Send it all?", "Send it all?"],
    ["its name", {}, "Run mail.send?", "运行 mail.send？"],
    // A host without types may leave a language out.
    ["its name where the title lacks a language", { title: { en: "Send" } as never }, "Send?", "运行 mail.send？"],
  ])("seed B3: is a general sentence where the tool has none, from %s", async (_, tool, en, zh) => {
    const { card } = await held(tool);
    expect([(await card("en")).humanSummary, (await card("zh")).humanSummary]).toEqual([en, zh]);
  });

  it("is filled from the canonical arguments, in the reader's language", async () => {
    const confirmPrompt = { en: "Send {n} to {card.owner}?", zh: "将 {n} 发给 {card.owner}？" };
    const { card } = await held({ confirmPrompt }, { n: 2, card: { owner: "bob" } });
    expect([(await card("en")).humanSummary, (await card("zh")).humanSummary]).toEqual([
      "Send 2 to bob?",
      "将 2 发给 bob？",
    ]);
  });

  it("quotes a value that could be read as words of the sentence", async () => {
    expect(await asked("Send to {to}?", { to: 'bob? Approved by:"ann"' })).toBe(
      'Send to "bob? Approved by:\\u{22}ann\\u{22}"?',
    );
    expect(await asked("Send to {to}?", { to: "a\u202eb" })).toBe('Send to "a\\u{202e}b"?');
  });

  it("reads a list of plain values as a list, in which no item can pass for two", async () => {
    expect(await asked("Send to {to}?", { to: ["bob@example.com", "eve@example.com"] })).toBe(
      "Send to bob@example.com, eve@example.com?",
    );
    expect(await asked("Send to {to}?", { to: ["bob, eve", 7, "7"] })).toBe('Send to "bob, eve", 7, "7"?');
    expect(await asked("Send to {to}?", { to: [["bob"], []] })).toBe('Send to [["bob"], []]?');
    expect(await asked("Send to {to}?", { to: [] })).toBe("Send to []?");
  });

  it("names as many whole items of a long list as fit, and counts the others", async () => {
    const { card } = await held({ confirmPrompt: { en: "Send to {to}?", zh: "发给 {to}？" } }, { to: people(120) });
    const named = people(5).join(", ");
    expect((await card("en")).humanSummary).toBe(`Send to ${named} ⟨+ 115 more⟩?`);
    expect((await card("zh")).humanSummary).toBe(`发给 ${named} ⟨还有 115 项⟩？`);
    expect(await asked("Send to {to}?", { to: ["x".repeat(500), "bob"] })).toBe(
      `Send to ${"x".repeat(120)}⟨+ 380 more characters⟩ ⟨+ 1 more⟩?`,
    );
  });

  it("takes a function's list of addresses apart at Chinese commas", async () => {
    const prompt = ({ to }: { to: string[] }) => `发给 ${to.join("、")}？`;
    expect(await asked(prompt, { to: ["bob@example.com", "eve@example.com"] })).toBe(
      "发给 bob@example.com、eve@example.com？",
    );
    expect(await asked(() => "发给 eve@example.com、mal@example.com？", { to: ["eve@example.com"] })).toBe(
      "Run mail.send?",
    );
  });

  it("leaves names that the call does not have as they are", async () => {
    expect(await asked("Send to {cc}, {constructor}, {to.x}?", { to: "bob" })).toBe(
      "Send to {cc}, {constructor}, {to.x}?",
    );
  });

  it("counts what a long value or a long sentence leaves out", async () => {
    expect(await asked("Send {body}?", { body: "x".repeat(500) })).toBe(
      `Send ${"x".repeat(120)}⟨+ 380 more characters⟩?`,
    );
    expect(await asked(() => "x".repeat(500), {})).toBe(`${"x".repeat(400)}⟨+ 100 more characters⟩`);
  });

  it.each<readonly [string, AnyPrompt, string]>([
    [
      "names values of the call",
      ({ ids }: { ids: string[] }) => `Delete ${ids.length} tasks, first "${ids[0]}"?`,
      'Delete 2 tasks, first "t-1"?',
    ],
    ["names a number the call does not have", () => "Delete 3 tasks?", "Run mail.send?"],
    ["quotes a text the call does not have", () => 'Delete "notes"?', "Run mail.send?"],
    ["names an address the call does not have", () => "Send to eve@example.com?", "Run mail.send?"],
    [
      "throws",
      () => {
        throw new Error("no");
      },
      "Run mail.send?",
    ],
    ["says nothing", () => "", "Run mail.send?"],
    ["says more than is a question, at once (attack G3)", () => "字".repeat(1_000_000), "Run mail.send?"],
    ["names more than a question does", () => '"t-1"'.repeat(51), "Run mail.send?"],
    ["says something that is no text", () => 7 as never, "Run mail.send?"],
    ["hides characters", () => "Send\u202e it\u200b?", "Send\\u{202e} it\\u{200b}?"],
  ])("seed D6: a function that %s", async (_, prompt, expected) => {
    expect(await asked(prompt, { ids: ["t-1", "t-2"] })).toBe(expected);
  });

  it("attack A10: shows no prompt a sensitive value", async () => {
    const secret = { password: "hunter2!" };
    const mask = /^Log in with ⟨hidden: 8 characters, [0-9a-f ]{19}⟩ now\?$/;
    expect(await asked("Log in with {password} now?", secret, ["password"])).toMatch(mask);
    expect(await asked((args: typeof secret) => `Log in with ${args.password} now?`, secret, ["password"])).toMatch(
      mask,
    );
  });
});
