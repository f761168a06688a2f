/** Stands before the rest of a line that one part could not hold, so that no value can pass its rest off as a line. */
const GOES_ON = "  … ";

/** What one part may hold. */
interface Room {
  readonly size: number;
  readonly lines?: number;
  /** UTF-16 units unless told otherwise. Each of those has a size of one at least, and sizes add up. */
  readonly sizeOf?: (text: string) => number;
}

/**
 * The lines in order, in as few parts as hold them: a part is broken between lines, and inside a line only where no part could
 * hold it, between code points.
 */
export function inParts(
  lines: readonly string[],
  { size, lines: most = Number.POSITIVE_INFINITY, sizeOf = (text) => text.length }: Room,
): readonly string[] {
  const parts: string[][] = [];
  let left = 0;
  for (const piece of lines.flatMap((line) => pieces(line, size, sizeOf))) {
    const last = parts.at(-1);
    const joined = sizeOf(`\n${piece}`);
    if (last === undefined || joined > left || last.length === most) {
      parts.push([piece]);
      left = size - sizeOf(piece);
    } else {
      last.push(piece);
      left -= joined;
    }
  }
  return parts.map((part) => part.join("\n"));
}

/** A line in pieces that each fit into a part. */
function pieces(line: string, size: number, sizeOf: (text: string) => number): readonly string[] {
  const found: string[] = [];
  let [rest, mark] = [line, ""];
  // The length alone rules out what would take long to measure.
  while (rest.length > size || sizeOf(mark + rest) > size) {
    const head = longestHead(rest, size - sizeOf(mark), sizeOf);
    found.push(mark + head);
    [rest, mark] = [rest.slice(head.length), GOES_ON];
  }
  return [...found, mark + rest];
}

/** As much of the text as fits, never half a character. */
function longestHead(text: string, size: number, sizeOf: (text: string) => number): string {
  let [low, high] = [2, Math.min(text.length, size)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(text.slice(0, middle)) <= size) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(low - 1)) ? low - 1 : low);
}
