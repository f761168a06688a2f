import { shown } from "../core/text/shown.js";
import { paint } from "../core/text/terminal.js";
import { lineOf } from "./commands/approvals.js";
import type { Console } from "./console.js";
import type { Question } from "./questions.js";

const CLEAR = "\u001b[2J\u001b[H";

/** The list as it stands: what waits, which one is chosen, and the keys. Nothing moves while a card is open. */
export class WatchScreen {
  readonly #console: Console;
  #questions: readonly Question[] = [];
  #chosen: string | undefined;
  #notice = "";

  constructor(console: Console) {
    this.#console = console;
  }

  show(questions: readonly Question[]): void {
    this.#questions = questions;
    // The choice stays on its question, wherever arrivals push it.
    if (!questions.some(({ approvalId }) => approvalId === this.#chosen)) this.#chosen = questions[0]?.approvalId;
    this.draw();
  }

  tell(notice: string): void {
    this.#notice = notice;
    this.draw();
  }

  move(by: 1 | -1): void {
    const at = this.#questions.findIndex(({ approvalId }) => approvalId === this.#chosen);
    const next = Math.min(Math.max(at + by, 0), this.#questions.length - 1);
    this.#chosen = this.#questions[next]?.approvalId;
    this.draw();
  }

  get chosen(): Question | undefined {
    return this.#questions.find(({ approvalId }) => approvalId === this.#chosen);
  }

  draw(): void {
    const { colour, width } = this.#console;
    const now = Date.now();
    const lines = this.#questions.map((question) => {
      const mark = question.approvalId === this.#chosen ? "> " : "  ";
      return `${mark}${lineOf(question, now)}`.slice(0, width);
    });
    const head =
      this.#questions.length === 0 ? shown`Nothing waits for you.` : shown`${this.#questions.length} waiting`;
    const keys = shown`j/k choose · Enter open · a approve · e edit · d deny · q quit`;
    const screen = [
      paint([{ text: head, style: "bold" }], { colour }),
      "",
      ...lines,
      "",
      this.#notice,
      paint([{ text: keys, style: "muted" }], { colour }),
    ];
    this.#console.process.stdout.write(`${CLEAR}${screen.join("\n")}\n`);
  }
}
