/** What clients make out of plain words. Taken widely: whatever might become something counts. */
const ALIVE = [
  /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi,
  /(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/gu,
  /\d+\.\d+\.\d+\.\d+/g,
  /@[\p{L}\p{N}]+|<@[^>]*>|<\/?\p{L}[^>]*>/gu,
  /\[[\p{L}\p{N}]{1,12}\]/gu,
  /\$\{[^}]*\}/g,
];

/** Links, mentions and pictures of faces in a message of plain text. */
export function plainMarkup(text: string): readonly string[] {
  return ALIVE.flatMap((pattern) => text.match(pattern) ?? []);
}

/** The same in a message that is markdown, where far more is. */
export function cardMarkup(text: string): readonly string[] {
  return [...plainMarkup(text), ...(text.match(/[*_`#>~|\\[\]<&!]|^ {4}|^\s*(?:[-+]|\d+\.)\s/gmu) ?? [])];
}
