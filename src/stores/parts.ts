import type { Change } from "../core/ports.js";

/** Characters that are sent at once. A server that works on more answers nobody meanwhile, or too late. */
const MAX_TEXT = 4_000_000;
/** Changes that are sent at once, each of which may name another workspace: a script has room for so many names, and not for any number. */
const MAX_CHANGES = 1_000;

/** A group in pieces that a server takes well, in order; each is durable by itself. Nearly always there is one. */
export function partsOf<T>(group: readonly T[], changeOf: (each: T) => Change): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const each of group) {
    const text = sizeOf(changeOf(each));
    size += text;
    if (size > MAX_TEXT || parts.at(-1)?.length === MAX_CHANGES) {
      parts.push([]);
      size = text;
    }
    parts.at(-1)?.push(each);
  }
  return parts;
}

/** One that is broken is told so later, and must not keep the others from being measured. */
function sizeOf({ puts, entries }: Change): number {
  let size = 0;
  if (Array.isArray(puts)) for (const put of puts as Change["puts"]) size += lengthOf(put?.value);
  if (Array.isArray(entries)) for (const entry of entries as Change["entries"]) size += lengthOf(entry?.content);
  return size;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
