import { cellWidth, wrap } from "../core/text/cells.js";
import type { Shown } from "../core/text/shown.js";
import { paint, type Style } from "../core/text/terminal.js";

export interface PageOptions {
  /** Columns; what is wider is wrapped, never cut. */
  readonly width: number;
  readonly colour: boolean;
}

/** Narrower than this and words fall apart; a terminal that is narrower wraps for itself. */
const NARROWEST = 24;
/** Wide screens are for several windows, not for long lines. */
const WIDEST = 100;

/**
 * Lines of a page, top down. A value never starts at the margin: it stands behind its name or behind a bar, so that nothing
 * in it can pass for a line of the page. A solid bar starts a line of the value, a broken one goes on with it.
 */
export class Page {
  readonly #lines: string[] = [];
  readonly #width: number;
  readonly #colour: boolean;

  constructor({ width, colour }: PageOptions) {
    this.#width = Math.min(Math.max(Math.floor(width) || NARROWEST, NARROWEST), WIDEST);
    this.#colour = colour;
  }

  /** A sentence of the page itself. */
  text(text: Shown, style?: Style, indent = 0): void {
    for (const line of wrap(text, this.#width - indent)) this.#push(" ".repeat(indent), line.trimEnd(), style);
  }

  /** A sentence behind a mark of its own; what does not fit hangs under its first word. */
  item(mark: string, text: Shown, style?: Style, indent = 2): void {
    wrap(text, this.#width - indent - 2).forEach((line, index) =>
      this.#push(`${" ".repeat(indent)}${index === 0 ? mark : " "} `, line.trimEnd(), style),
    );
  }

  blank(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== "") this.#lines.push("");
  }

  rule(): void {
    this.#push("", "─".repeat(this.#width), "muted");
  }

  heading(text: Shown): void {
    this.blank();
    this.text(text, "accent");
  }

  /** A value under its name: beside it where both fit on a line, otherwise below it in full. */
  value(name: Shown, lines: readonly Shown[], column: number): void {
    const [only] = lines;
    const beside = 2 + Math.max(column, cellWidth(name)) + 2;
    if (lines.length === 1 && only !== undefined && beside + cellWidth(only) <= this.#width) {
      const gap = " ".repeat(beside - 2 - cellWidth(name));
      this.#lines.push(paint(["  ", { text: name, style: "muted" }, gap, only], { colour: this.#colour }));
      return;
    }
    this.text(name, "muted", 2);
    this.block(lines);
  }

  /** Text that is not the page's own, line by line. */
  block(lines: readonly Shown[], style?: Style): void {
    for (const line of lines) {
      wrap(line, this.#width - 6).forEach((part, index) => this.#push(index === 0 ? "    │ " : "    ┆ ", part, style));
    }
  }

  toString(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  #push(margin: string, text: string, style: Style | undefined): void {
    this.#lines.push(paint([margin, style === undefined ? text : { text, style }], { colour: this.#colour }));
  }
}
