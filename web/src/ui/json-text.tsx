import type { Json } from "countersign";
import { useWords } from "../words/words.js";

/** Everything that does not simply stand there: controls, formats, surrogates, separators, unassigned and ignorable characters. */
const UNSEEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Values that reach this page without having been a card: invisible characters are written out here. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same for JSON that somebody edits: with escapes that mean the character, so that what is read back is what was there. */
export function editableJson(value: Json): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, null, 2).replace(UNSEEN, (character) => character.split("").map(escaped).join(""));
}

export function JsonText({ value }: { readonly value: Json }) {
  const words = useWords();
  return (
    // What scrolls must be reachable by keyboard.
    <pre
      tabIndex={0}
      aria-label={words.card.json}
      role="region"
      className="verbatim max-h-72 overflow-auto rounded bg-wash p-2"
    >
      {visible(JSON.stringify(value, null, 2))}
    </pre>
  );
}
