/*
 * The types that every call leaves behind, as one digit each: the chain is kept for years, and nothing else in a row says the same
 * so often. What the digits stand for is part of the file's format; new ones come at the end.
 */
export const USUAL: readonly string[] = [
  "approval.created",
  "approval.resolved",
  "token.minted",
  "call.claimed",
  "call.executed",
  "call.allowed",
  "call.denied",
];

/** Whatever could be taken for one of our own forms is marked. */
const MARKED = /^(?:[0-9]$|=)/;

export function packType(type: string): string {
  const at = USUAL.indexOf(type);
  if (at !== -1) return String(at);
  return MARKED.test(type) ? `=${type}` : type;
}

export function unpackType(packed: string): string {
  if (packed.startsWith("=")) return packed.slice(1);
  // Not `Number` alone, which takes a blank for nought.
  return (/^[0-9]$/.test(packed) ? USUAL[Number(packed)] : undefined) ?? packed;
}
