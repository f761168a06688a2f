import { cellWidth, wrap } from "../core/text/cells.js";
import { shown } from "../core/text/shown.js";
import { paint, terminalSafe } from "../core/text/terminal.js";
import { lineOf } from "./commands/approvals.js";
import type { Console } from "./console.js";
import type { Question } from "./questions.js";
import { fitted } from "./table.js";

const CLEAR = "\u001b[2J\u001b[H";
const KEYS = shown`j/k choose · Enter open · a approve · e edit · d deny · q quit`;

/** The list as it stands: what waits, which one is chosen, and the keys. Nothing moves while a card is open. */
export class WatchScreen {
  readonly #console: Console;
  #questions: readonly Question[] = [];
  #chosen: string | undefined;
  /** The first one that is on the screen: a list may be longer than that. */
  #top = 0;
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
    const next = Math.min(Math.max(this.#at + by, 0), this.#questions.length - 1);
    this.#chosen = this.#questions[next]?.approvalId;
    this.draw();
  }

  get chosen(): Question | undefined {
    return this.#questions[this.#at];
  }

  get #at(): number {
    return this.#questions.findIndex(({ approvalId }) => approvalId === this.#chosen);
  }

  draw(): void {
    const { colour, width, height } = this.#console;
    const notice = terminalSafe(this.#notice);
    // Not broken into lines: it may hold an address to copy. The terminal breaks it.
    const noticeRows = Math.max(1, Math.ceil(cellWidth(notice) / width));
    const keys = wrap(KEYS, width);
    // The head, a blank line on either side of the list, and the line that the cursor is left on.
    const room = Math.max(1, height - noticeRows - keys.length - 4);
    const visible = this.#scrolled(room);
    const now = Date.now();
    const lines = visible.map((question) => {
      const mark = question.approvalId === this.#chosen ? "> " : "  ";
      return paint([fitted(`${mark}${lineOf(question, now)}`, width)], { colour });
    });
    const screen = [
      paint([{ text: this.#head(visible.length), style: "bold" }], { colour }),
      "",
      ...lines,
      "",
      notice,
      ...keys.map((text) => paint([{ text, style: "muted" }], { colour })),
    ];
    this.#console.process.stdout.write(`${CLEAR}${screen.join("\n")}\n`);
  }

  /** As many as there is room for, the chosen one among them; the list moves no further than it has to. */
  #scrolled(room: number): readonly Question[] {
    const [at, count] = [Math.max(0, this.#at), this.#questions.length];
    const top = Math.min(this.#top, Math.max(0, count - room));
    this.#top = Math.min(Math.max(top, at - room + 1), at);
    return this.#questions.slice(this.#top, this.#top + room);
  }

  #head(visible: number) {
    const count = this.#questions.length;
    if (count === 0) return shown`Nothing waits for you.`;
    if (visible === count) return shown`${count} waiting`;
    return shown`${count} waiting, ${this.#top + 1} to ${this.#top + visible} shown`;
  }
}
