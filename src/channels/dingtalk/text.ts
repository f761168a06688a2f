/** Takes no room on a screen, and keeps what stands on its two sides apart for whoever looks for links. */
const APART = "\u200B";

/**
 * What clients turn plain words into: addresses with a scheme and names with dots into links, `@` into mentions, `[…]` into
 * pictures of faces, `${…}` into variables of a card's template. Each is cut after its tell-tale character.
 */
const TELLTALE = /:(?=\/\/)|(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])|@|\[|\$(?=\{)/gu;

/** The same words to the eye, of which a client makes nothing. */
export function inert(text: string): string {
  return text.replaceAll(TELLTALE, `$&${APART}`);
}

/** Stands before the rest of a line that one block could not hold, so that no value can pass its rest off as a line. */
const GOES_ON = "  … ";

/**
 * The lines in order, in as few blocks as hold them; a block is broken between lines, and inside a line only where no block
 * could hold it.
 */
export function blocksOf(lines: readonly string[], fits: (block: string) => boolean): readonly string[] {
  const blocks: string[] = [];
  let block: string | undefined;
  for (const line of lines) {
    const longer = block === undefined ? line : `${block}\n${line}`;
    if (fits(longer)) {
      block = longer;
      continue;
    }
    if (block !== undefined) blocks.push(block);
    block = line;
    while (!fits(block)) {
      const head = longestHead(block, fits);
      blocks.push(head);
      block = GOES_ON + block.slice(head.length);
    }
  }
  return block === undefined ? blocks : [...blocks, block];
}

/** As much of the line as fits, never half a character. */
function longestHead(line: string, fits: (block: string) => boolean): string {
  let [low, high] = [GOES_ON.length + 1, line.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(line.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  const splits = /[\uD800-\uDBFF]$/.test(line.slice(0, low)) && low > GOES_ON.length + 1;
  return line.slice(0, splits ? low - 1 : low);
}
