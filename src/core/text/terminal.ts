/**
 * The one writer of terminal output. Colour comes only from the styles below: whatever else a line holds, no sequence in
 * it can reach the terminal. Values pass `escapeText` first, which loses nothing; this is the last line of defence.
 */
import { CLASSES, escapeCodePoint } from "./characters.js";

/** Opening and closing SGR codes. Meaning is never carried by colour alone. */
const STYLES = {
  bold: [1, 22],
  muted: [2, 22],
  underline: [4, 24],
  accent: [34, 39],
  amber: [33, 39],
  vermilion: [31, 39],
} as const;

export type Style = keyof typeof STYLES;

/** A piece of a line; a bare string has no style. */
export type Span = string | { readonly text: string; readonly style: Style };

const DANGEROUS = new RegExp(`[${CLASSES.dangerous}]`, "gu");

/** Makes a composed line harmless. Text that was escaped before passes unchanged; line breaks become visible too. */
export function terminalSafe(line: string): string {
  return line.replace(DANGEROUS, escapeCodePoint);
}

/** One line, ready to be written, without its line break. */
export function paint(spans: readonly Span[], options: { readonly colour: boolean }): string {
  return spans.map((span) => (typeof span === "string" ? terminalSafe(span) : styled(span, options.colour))).join("");
}

/** Colour is for terminals whose owner did not refuse it (`NO_COLOR`, `TERM=dumb`); pipes and files get plain text. */
export function wantsColour(output: {
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}): boolean {
  const refused = (output.env["NO_COLOR"] ?? "") !== "" || output.env["TERM"] === "dumb";
  return output.isTTY && !refused;
}

function styled(span: { readonly text: string; readonly style: Style }, colour: boolean): string {
  const safe = terminalSafe(span.text);
  if (!colour || safe === "") return safe;
  const [open, close] = STYLES[span.style];
  return `\u001b[${open}m${safe}\u001b[${close}m`;
}
