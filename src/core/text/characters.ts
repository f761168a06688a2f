/**
 * The characters that must never reach a screen as themselves: controls, format and bidi characters, surrogates, private
 * use, unassigned (`\p{C}`), separators other than the space, everything default-ignorable, letters and symbols drawn as
 * nothing, and marks that strike through or enclose what stands before them.
 */
const DANGEROUS =
  "\\p{C}\\p{Zl}\\p{Zp}\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\p{Default_Ignorable_Code_Point}" +
  "\\u2800\\ufffc\\u{1d159}\\u{13441}\\u{13442}\\u{16fe4}" +
  "\\p{Me}\\u0334-\\u0338\\u20d2\\u20d3\\u20d8-\\u20da\\u20e5\\u20e6\\u20ea\\u20eb";

/** Our own marker brackets, and what could be mistaken for them or for the backslash of an escape. */
const AMBIGUOUS = "⟨⟩❬❭⧼⧽∖⧵⧹＼﹨";

/** Marks hang on the letter before them; conjoining vowels and finals of Hangul behave alike. */
const MARKS = "\\p{M}\\u1160-\\u11ff\\ud7b0-\\ud7ff";

/** Sources of character classes, for building the expressions that scan text. */
export const CLASSES = { dangerous: DANGEROUS, escaped: DANGEROUS + AMBIGUOUS, marks: MARKS } as const;

/** `\n` and `\t` for the two everyone knows; any other code point as `\u{…}`, in lower-case hex. */
export function escapeCodePoint(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
