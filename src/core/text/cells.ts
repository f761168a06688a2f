/** Laying out text that was already escaped, on a grid where most characters take one cell and some two or none. */
import { CLASSES } from "./characters.js";
import { SHOWN_UNIT } from "./preview.js";

const ONE_CELL_EACH = /^[ -~]*$/;
const NO_CELL = new RegExp(`^(?!\\p{Mc})[${CLASSES.marks}]$`, "u");
// scripts of East Asia with their punctuation and fullwidth forms, and emoji; the halfwidth forms are narrow
const TWO_CELLS =
  /^(?![\uff61-\uffdc\uffe8-\uffee])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Tangut}\u3001-\u303e\u30a0-\u30ff\u3190-\u33ff\u4dc0-\u4dff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]$/u;

/** How many cells a text takes in a terminal. */
export function cellWidth(text: string): number {
  if (ONE_CELL_EACH.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += NO_CELL.test(character) ? 0 : TWO_CELLS.test(character) ? 2 : 1;
  return width;
}

/** Fills up with spaces on the right. A text that is wider stays whole. */
export function padCells(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cellWidth(text)));
}

/**
 * Breaks a text into lines of at most `width` cells (at least 2): behind a space or beside an East Asian letter where it
 * can, otherwise anywhere but inside an escape or marker that fits on a line. Joined, the lines are the text.
 */
export function wrap(text: string, width: number): readonly string[] {
  const most = Math.max(2, width);
  const lines: string[] = [];
  let line = "";
  let cells = 0;
  // the last place in the line where it may be broken, and the cells up to there
  let [breakAt, breakCells] = [0, 0];
  for (const { unit, size } of unitsOf(text, most)) {
    while (cells + size > most && line !== "") {
      const [end, used] = breakAt > 0 ? [breakAt, breakCells] : [line.length, cells];
      lines.push(line.slice(0, end));
      line = line.slice(end);
      cells -= used;
      [breakAt, breakCells] = [0, 0];
    }
    const isWide = size === 2 && TWO_CELLS.test(unit);
    if (isWide) [breakAt, breakCells] = [line.length, cells];
    // a mark moves the place behind its letter along: it must not be torn off
    const isMark = size === 0 && breakAt === line.length && line !== "";
    line += unit;
    cells += size;
    if (isWide || isMark || unit === " ") [breakAt, breakCells] = [line.length, cells];
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}

/** What stays together: escapes and markers if a line can hold them, otherwise single characters. */
function* unitsOf(text: string, most: number): Iterable<{ readonly unit: string; readonly size: number }> {
  for (const [unit] of text.matchAll(SHOWN_UNIT)) {
    const size = cellWidth(unit);
    if (size <= most) yield { unit, size };
    else for (const character of unit) yield { unit: character, size: cellWidth(character) };
  }
}
