import { type Shown, shown } from "../text/shown.js";
import type { ShownValue } from "../text/value.js";
import type { Words } from "../words/words.js";
import type { CardChange } from "./card.js";

/** The schema's title is for reading, the place for being sure. */
export function nameOf({ title, label }: Pick<ShownValue, "title" | "label">): Shown {
  return title === undefined || title === label ? label : shown`${title} (${label})`;
}

/** A single value, whole, line by line. */
export function linesOf(leaf: ShownValue, words: Words): readonly Shown[] {
  if ("children" in leaf) return [leaf.kind === "array" ? words.emptyList : words.emptyObject];
  return leaf.lines ?? [leaf.text];
}

export function changeLine(change: CardChange, words: Words): Shown {
  const { before, after } = change;
  const place = change.label === "" ? words.wholeValue : nameOf(change);
  if (before === undefined) return shown`${place}: ${words.added} ${after ?? shown``}`;
  return after === undefined ? shown`${place}: ${words.removed} ${before}` : shown`${place}: ${before} → ${after}`;
}
