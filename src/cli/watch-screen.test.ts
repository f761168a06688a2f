import { describe, expect, it } from "vitest";
import { cellWidth } from "../core/text/cells.js";
import { Console, type Process } from "./console.js";
import type { Question } from "./questions.js";
import { WatchScreen } from "./watch-screen.js";

/** What stands on a terminal of this size after the last drawing. */
function terminal(columns: number, rows: number) {
  let drawn = "";
  const stdout = { columns, rows, isTTY: true, write: (text: string) => (drawn = text) };
  const screen = new WatchScreen(new Console({ stdout, env: { NO_COLOR: "1" } } as unknown as Process));
  const lines = () => drawn.slice(drawn.indexOf("\u001b[H") + 3).split("\n");
  return { screen, lines };
}

function questions(count: number, humanSummary = "Write it?"): Question[] {
  return Array.from({ length: count }, (_, at) => ({
    approvalId: String(at),
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
    card: { code: `C${at}`, humanSummary, asks: "builder asks", risk: { shape: "◑", word: "Sensitive" } },
  })) as unknown as Question[];
}

describe("the list of watch", () => {
  it("shows the chosen one of two hundred, and says which of them it shows", () => {
    const { screen, lines } = terminal(60, 24);
    screen.show(questions(200));
    expect(lines()[0]).toMatch(/^200 waiting, 1 to \d+ shown$/);
    expect(lines().find((line) => line.startsWith("> "))).toContain("C0 ");
    for (let moved = 0; moved < 150; moved++) screen.move(1);
    expect(lines().find((line) => line.startsWith("> "))).toContain("C150 ");
    for (let moved = 0; moved < 20; moved++) screen.move(-1);
    expect(lines().find((line) => line.startsWith("> "))).toContain("C130 ");
    expect(lines().length).toBeLessThanOrEqual(24);
  });

  it("keeps its last page full when others are answered elsewhere", () => {
    const { screen, lines } = terminal(60, 24);
    screen.show(questions(200));
    for (let moved = 0; moved < 199; moved++) screen.move(1);
    screen.show(questions(20).slice(0, 5));
    expect(lines()[0]).toBe("5 waiting");
    expect(lines().filter((line) => line.includes("◑"))).toHaveLength(5);
  });

  it.each([
    [
      "wide letters",
      "写下这是一段很长的中文文字，用来看看在窄终端里列表如何换行，是否会把界面弄乱，以及宽字符是否被正确计算。",
    ],
    ["one long word", "a".repeat(300)],
  ])("gives each question one line, also with %s", (_what, summary) => {
    const { screen, lines } = terminal(60, 24);
    screen.show(questions(3, summary));
    expect(Math.max(...lines().map(cellWidth))).toBeLessThanOrEqual(60);
    expect(lines().filter((line) => line.includes("◑"))).toHaveLength(3);
    expect(lines().find((line) => line.includes("◑"))).toMatch(/…$/);
  });

  it("leaves room for a notice that takes several lines, and lets no sequence in it reach the terminal", () => {
    const { screen, lines } = terminal(40, 12);
    screen.show(questions(50));
    screen.tell(`\u001b[2J${"decided in the browser ".repeat(5)}`);
    const rows = lines().reduce((sum, line) => sum + Math.max(1, Math.ceil(cellWidth(line) / 40)), 0);
    expect(rows).toBeLessThanOrEqual(12);
    expect(lines().join("\n")).not.toContain("\u001b");
    expect(lines().some((line) => line.startsWith("> "))).toBe(true);
  });
});
