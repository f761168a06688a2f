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

/** Runs of one script, tried in this order where the last one ended; digits, punctuation and marks belong to none. */
const SHARED_RUN = /[\p{Script=Common}\p{Script=Inherited}]+/uy;
const RUNS = SCRIPTS.map((script) => ({
  name: script.replace("_", " "),
  run: new RegExp(`\\p{Script=${script}}+`, "uy"),
}));
const OTHER_RUN = { name: OTHER, run: /[^\p{Script=Common}\p{Script=Inherited}]/uy };

/** Written together every day: Japanese, Chinese and Korean use several scripts beside Latin (after UTS 39). */
const ORDINARY_MIXES = [
  new Set(["Latin", "Han", "Hiragana", "Katakana"]),
  new Set(["Latin", "Han", "Bopomofo"]),
  new Set(["Latin", "Han", "Hangul"]),
];

/** The scripts of a text's letters, in order of appearance. */
export function scriptsOf(text: string): readonly string[] {
  const found = new Set<string>();
  for (let at = 0; at < text.length; ) {
    const shared = endOfRun(SHARED_RUN, text, at);
    if (shared < 0) {
      const script = RUNS.find(({ run }) => endOfRun(run, text, at) > 0) ?? OTHER_RUN;
      found.add(script.name);
      at = endOfRun(script.run, text, at);
    } else at = shared;
  }
  return [...found];
}

/** Where the run that starts at a place ends; -1 when none does. */
function endOfRun(run: RegExp, text: string, start: number): number {
  run.lastIndex = start;
  return run.test(text) ? run.lastIndex : -1;
}

/** One script, or a mix that people really write within one word. */
export function isOrdinaryMix(scripts: readonly string[]): boolean {
  if (scripts.length <= 1) return true;
  return ORDINARY_MIXES.some((mix) => scripts.every((script) => mix.has(script)));
}
