import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCommands, type ShellCommand } from "./index.js";
import type { ShellWord } from "./types.js";

/** A word as the program receives it, or in `‹›` what is known of it: `?` for the unknown, `*` behind it when it may split. */
function shown(word: ShellWord): string {
  if (word.value !== undefined) return word.splits ? `${word.value}*` : word.value;
  return `‹${word.kind === "pattern" ? "pattern " : ""}${word.shape.replaceAll("\0", "?")}›${word.splits ? "*" : ""}`;
}

/** One command: what starts it, what it sets, its words and where they go. */
function described({ wrappers, assignments, argv, redirects, callsFunction }: ShellCommand): string {
  return [
    ...wrappers.map((name) => `${name} >`),
    ...assignments.map(({ name, value }) => `[${name}=${shown(value)}]`),
    ...argv.map(shown),
    ...(callsFunction ? ["()"] : []),
    ...redirects.map(({ operator, target }) => `{${operator} ${shown(target)}}`),
  ].join(" ");
}

describe("parseCommands", () => {
  const blocks = readFileSync(new URL("./cases/parsed.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n\n");

  it("finds every command with exactly the words it receives, and says what it cannot read", async () => {
    for (const block of blocks) {
      const [text = "", ...expected] = block.split("\n");
      const { commands, findings, inspectable } = await parseCommands(text.slice(2));
      const problems = findings.filter(({ code }) => code === "cannot_inspect");
      expect([...commands.map(described), ...problems.map((problem) => `! ${problem.text}`)], text).toEqual(expected);
      expect(inspectable, text).toBe(problems.length === 0);
    }
  });
});
