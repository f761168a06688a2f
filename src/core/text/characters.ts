/** Moves the cursor, rings, or speaks to the terminal. Tab and newline are not among them: they have forms of their own. */
const CONTROL = "\\0-\\u0008\\u000b-\\u001f\\u007f-\\u009f";
/** Changes the order in which the text around is drawn. */
const BIDI = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
/** Controls, format characters, surrogates, private use, unassigned, default-ignorable, and what is drawn as nothing. */
const UNSEEN =
  "\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\u{1d159}\\u{13441}\\u{13442}\\u{16fe4}";
/** Every separator but the space itself. */
const EXOTIC_SPACES = "\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000";
/** Marks that strike through or enclose what stands before them. */
const OVERLAYS = "\\p{Me}\\u0334-\\u0338\\u20d2\\u20d3\\u20d8-\\u20da\\u20e5\\u20e6\\u20ea\\u20eb";
/** What must never reach a screen as itself. */
const DANGEROUS = UNSEEN + EXOTIC_SPACES + OVERLAYS;

/** Our own marker brackets, and what could be mistaken for them or for the backslash of an escape. */
const AMBIGUOUS = "⟨⟩❬❭⧼⧽∖⧵⧹＼﹨";

/** Marks hang on the letter before them; conjoining vowels and finals of Hangul behave alike. */
const MARKS = "\\p{M}\\u1160-\\u11ff\\ud7b0-\\ud7ff";

/**
 * What most texts consist of, known to be harmless and to have one spelling: accented Latin letters, curly quotes and
 * dashes, Chinese characters, Kana, Hangul syllables and their punctuation. Only a shortcut: leaving it costs time alone.
 */
const EVERYDAY =
  " -~\\u00c0-\\u00ff\\u2013\\u2014\\u2018-\\u201d\\u2026\\u3001\\u3002\\u300a-\\u3011\\u3041-\\u3096\\u30a1-\\u30fc" +
  "\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff0f\\uff1a-\\uff1f";

/** Sources of character classes, for building the expressions that scan text. */
export const CLASSES = {
  control: CONTROL,
  bidi: BIDI,
  unseen: UNSEEN,
  overlays: OVERLAYS,
  dangerous: DANGEROUS,
  escaped: DANGEROUS + AMBIGUOUS,
  marks: MARKS,
  everyday: EVERYDAY,
} as const;

/** `\n` and `\t` for the two everyone knows; any other code point as `\u{…}`, in lower-case hex. */
export function escapeCodePoint(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
