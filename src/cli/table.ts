import { cellWidth } from "../core/text/cells.js";
import { escapeText } from "../core/text/escape.js";
import { SHOWN_UNIT } from "../core/text/preview.js";

/** Columns that line up, also with wide characters. Names come from agents, so that they are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], empty: string): string[] {
  if (rows.length === 0) return [empty];
  const lines = [head, ...rows].map((row) => row.map((cell) => escapeText(cell)));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => cellWidth(line[column] ?? ""))));
  return lines.map((line) =>
    line
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - cellWidth(cell)))
      .join("  ")
      .trimEnd(),
  );
}

/** The beginning of a line that is too wide for the screen. */
export function fitted(line: string, width: number): string {
  if (cellWidth(line) <= width) return line;
  let [text, cells] = ["", 0];
  for (const [unit] of line.matchAll(SHOWN_UNIT)) {
    cells += cellWidth(unit);
    if (cells >= width) break;
    text += unit;
  }
  return `${text}…`;
}
