import type { Finding } from "../../core/risk.js";
import { sentenceFinding } from "./effects.js";

// Control, format and bidirectional characters, invisible ones, and spaces that separate nothing for a shell. Tab, newline,
// space and the selector that ordinary emoji carry are not hidden from anybody.
const HIDDEN = /(?!\u{fe0f}|[\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** Characters that make a person read another text than the one that runs. */
export function hiddenCharacters(text: string): Finding[] {
  const found = HIDDEN.exec(text)?.[0];
  if (found === undefined) return [];
  const name = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return [
    sentenceFinding(
      "hidden_characters",
      `The text contains ${name}, which hides or reorders what a person sees.`,
      found,
    ),
  ];
}
