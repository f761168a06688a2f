/**
 * Breaks a text into parts of at most so many UTF-16 units and lines: between lines where it can, inside a line between code
 * points. Joined by line breaks, parts that were broken between lines are the text.
 */
export function inParts(text: string, most: { readonly units: number; readonly lines: number }): readonly string[] {
  const parts: string[] = [];
  let lines: string[] = [];
  let units = 0;
  for (const line of text.split("\n").flatMap((whole) => pieces(whole, most.units))) {
    if (lines.length > 0 && (units + 1 + line.length > most.units || lines.length === most.lines)) {
      parts.push(lines.join("\n"));
      lines = [];
    }
    units = lines.length === 0 ? line.length : units + 1 + line.length;
    lines.push(line);
  }
  return [...parts, lines.join("\n")];
}

function pieces(line: string, most: number): readonly string[] {
  if (line.length <= most) return [line];
  const found = [""];
  for (const character of line) {
    if ((found.at(-1) ?? "").length + character.length > most) found.push("");
    found[found.length - 1] += character;
  }
  return found;
}
