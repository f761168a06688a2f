/** Scripts in use today and those whose letters are borrowed to imitate them, by their Unicode names. */
const SCRIPTS = [
  ...[
    "Latin",
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Bopomofo",
    "Cyrillic",
    "Greek",
    "Armenian",
    "Hebrew",
    "Arabic",
  ],
  ...["Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"],
  ...[
    "Thai",
    "Lao",
    "Tibetan",
    "Myanmar",
    "Georgian",
    "Ethiopic",
    "Khmer",
    "Mongolian",
    "Thaana",
    "Syriac",
    "Cherokee",
  ],
  ...["Canadian_Aboriginal", "Coptic", "Lisu", "Deseret", "Glagolitic", "Gothic", "Runic", "Ogham", "Nko", "Tifinagh"],
] as const;

/** How a word that no listed script owns is named: still never the same script as the rest of the word. */
const OTHER = "another script";

const RUN = new RegExp(
  [...SCRIPTS.map((script) => `(\\p{Script=${script}}+)`), "([^\\p{Script=Common}\\p{Script=Inherited}])"].join("|"),
  "gu",
);

/** Written together every day: Japanese, Chinese and Korean use several scripts beside Latin (after UTS 39). */
const ORDINARY_MIXES = [
  new Set(["Latin", "Han", "Hiragana", "Katakana"]),
  new Set(["Latin", "Han", "Bopomofo"]),
  new Set(["Latin", "Han", "Hangul"]),
];

/** The scripts of a text's letters in order of appearance. Digits, punctuation and marks belong to every script. */
export function scriptsOf(text: string): readonly string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(RUN)) {
    const group = match.findIndex((part, index) => index > 0 && part !== undefined);
    found.add(SCRIPTS[group - 1]?.replace("_", " ") ?? OTHER);
  }
  return [...found];
}

/** One script, or a mix that people really write within one word. */
export function isOrdinaryMix(scripts: readonly string[]): boolean {
  if (scripts.length <= 1) return true;
  return ORDINARY_MIXES.some((mix) => scripts.every((script) => mix.has(script)));
}
