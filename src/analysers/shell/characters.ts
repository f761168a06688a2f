import type { Finding } from "../../core/risk.js";
import { sentenceFinding } from "./effects.js";

// Control characters except tab and newline, bidirectional marks, invisible characters, spaces that are no shell separators.
const HIDDEN =
  /[\u0001-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]|\p{Cs}/u;

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
