import { randomBytes } from "node:crypto";
import { escapeText } from "../text/escape.js";
import type { Place } from "../text/finder.js";
import type { Shown } from "../text/shown.js";

/** A piece of a sentence: text to be made safe, or text that is safe already. */
export type Piece = string | { readonly safe: Shown };

/** Random for each process, so that no text can hold it. Ends in punctuation: no mark of what follows can join it. */
export const SLOT = `%${randomBytes(16).toString("hex")}%`;

/**
 * Makes a sentence safe as a whole, with safe pieces kept as they are. Piece by piece would not do: where one ends in a
 * space the sanitiser would rightly mark it.
 */
export function showPieces(pieces: readonly Piece[]): Shown {
  const safe: Shown[] = [];
  const text = pieces
    .map((piece) => {
      if (typeof piece === "string") return piece;
      safe.push(piece.safe);
      return SLOT;
    })
    .join("");
  let next = 0;
  return escapeText(text).replaceAll(SLOT, () => safe[next++] ?? "") as Shown;
}

/** Text of which certain places are covered. */
export function coverPlaces(text: string, places: readonly Place[], cover: (part: string) => Shown): readonly Piece[] {
  let end = 0;
  const pieces = places.flatMap(([from, to]): Piece[] => {
    const before = text.slice(end, from);
    end = to;
    return [before, { safe: cover(text.slice(from, to)) }];
  });
  return [...pieces, text.slice(end)];
}

/** Text in which certain parts have a safe form of their own. */
export function replacePieces(text: string, replacements: ReadonlyMap<string, Shown>): readonly Piece[] {
  let pieces: readonly Piece[] = [text];
  for (const [part, safe] of replacements) {
    pieces = pieces.flatMap((piece) => {
      if (typeof piece !== "string") return [piece];
      return piece.split(part).flatMap((rest, index): Piece[] => (index === 0 ? [rest] : [{ safe }, rest]));
    });
  }
  return pieces;
}
