/** Takes no room on a screen, and keeps what stands on its two sides apart for whoever looks for links. */
const APART = "\u200B";

/**
 * What clients turn plain words into: addresses with a scheme and names with dots into links, `@` into mentions, `<…>` into
 * tags, `[…]` into pictures of faces, `${…}` into variables of a card's template. Each is cut after its tell-tale character.
 */
const TELLTALE = /:(?=\/\/)|(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])|@|\[|<(?=[@/\p{L}])|\$(?=\{)/gu;

/** The same words to the eye, of which a client makes nothing. */
export function inert(text: string): string {
  return text.replaceAll(TELLTALE, `$&${APART}`);
}

/** Stands before the rest of a line that one block could not hold, so that no value can pass its rest off as a line. */
const GOES_ON = "  … ";

type SizeOf = (text: string) => number;

/**
 * The lines in order, in as few blocks of at most `limit` bytes as hold them; a block is broken between lines, and inside a
 * line only where no block could hold it. Each character has a byte at least, and sizes add up.
 */
export function blocksOf(
  lines: readonly string[],
  limit: number,
  sizeOf: SizeOf = (text) => Buffer.byteLength(text),
): readonly string[] {
  const blocks: string[][] = [];
  let room = 0;
  for (const line of lines) {
    for (const part of partsOf(line, limit, sizeOf)) {
      const last = blocks.at(-1);
      const joined = sizeOf(`\n${part}`);
      if (last === undefined || joined > room) blocks.push([part]);
      else last.push(part);
      room = last === undefined || joined > room ? limit - sizeOf(part) : room - joined;
    }
  }
  return blocks.map((block) => block.join("\n"));
}

/** A line in parts that each fit into a block. */
function partsOf(line: string, limit: number, sizeOf: SizeOf): readonly string[] {
  const parts: string[] = [];
  let [rest, mark] = [line, ""];
  while (rest.length > limit || sizeOf(mark + rest) > limit) {
    const head = longestHead(rest, limit - sizeOf(mark), sizeOf);
    parts.push(mark + head);
    [rest, mark] = [rest.slice(head.length), GOES_ON];
  }
  return [...parts, mark + rest];
}

/** As much of the text as fits, never half a character. */
function longestHead(text: string, limit: number, sizeOf: SizeOf): string {
  let [low, high] = [2, Math.min(text.length, limit)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(text.slice(0, middle)) <= limit) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(low - 1)) ? low - 1 : low);
}
