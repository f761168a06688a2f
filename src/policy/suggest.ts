/** `Did you mean "tool"?` for the nearest known name, or nothing when none is near enough to be meant. */
export function didYouMean(written: string, known: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = distanceOf(written.toLowerCase(), name.toLowerCase());
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  // One slip in three letters is a typo; more is another word.
  if (best === undefined || best.distance > Math.max(1, Math.floor(best.name.length / 3))) return undefined;
  return `Did you mean "${best.name}"?`;
}

/** Letters added, dropped, changed or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  // Long input is no typo of a short name, and the table below grows with both.
  if (Math.abs(a.length - b.length) > 8 || a.length > 64) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const cell = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + changed);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, cell(i - 2, j - 2) + 1);
      (rows[i] as number[])[j] = least;
    }
  }
  return cell(a.length, b.length);
}
