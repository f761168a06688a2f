/** Lines as a list. What a line itself lists has another mark: not everybody is shown how far a line stands in. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `• ${line.replaceAll("\n• ", "\n◦ ")}`).join("\n");
}

export function listed(lines: readonly string[], none: string): string {
  return lines.length === 0 ? none : bullets(lines);
}
