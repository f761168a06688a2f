/** Scripts in use today and those whose letters are borrowed to imitate them, by their Unicode names. */
const SCRIPTS = [
  "Latin Han Hiragana Katakana Hangul Bopomofo Cyrillic Greek Armenian Hebrew Arabic Devanagari Bengali Gurmukhi",
  "Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Ethiopic Khmer Mongolian",
  "Thaana Syriac Cherokee Canadian_Aboriginal Coptic Lisu Deseret Glagolitic Gothic Runic Ogham Nko Tifinagh",
].flatMap((line) => line.split(" "));

/** How a word that no listed script owns is named: still never the same script as the rest of the word. */
const OTHER = "another script";

interface Script {
  readonly name: string;
  readonly run: RegExp;
}

/** Runs of one script, tried in this order where the last one ended; digits, punctuation and marks belong to none. */
const SHARED_RUN = /[\p{Script=Common}\p{Script=Inherited}]+/uy;
const RUNS: readonly Script[] = SCRIPTS.map((script) => ({
  name: script.replace("_", " "),
  run: new RegExp(`\\p{Script=${script}}+`, "uy"),
}));
const OTHER_RUN: Script = { name: OTHER, run: /[^\p{Script=Common}\p{Script=Inherited}]/uy };

/** Written together every day: Japanese, Chinese and Korean use several scripts beside Latin (after UTS 39). */
const ORDINARY_MIXES = [
  new Set(["Latin", "Han", "Hiragana", "Katakana"]),
  new Set(["Latin", "Han", "Bopomofo"]),
  new Set(["Latin", "Han", "Hangul"]),
];

/** The scripts of a text's letters, in order of appearance. */
export function scriptsOf(text: string): readonly string[] {
  const found: Script[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfRun(SHARED_RUN, text, at);
    if (end < 0) {
      const startsHere = ({ run }: Script): boolean => endOfRun(run, text, at) > 0;
      // what was found before comes first: a text has few scripts, the table many
      let script = found.find(startsHere);
      if (script === undefined) {
        script = RUNS.find(startsHere) ?? OTHER_RUN;
        found.push(script);
      }
      at = endOfRun(script.run, text, at);
    } else at = end;
  }
  return found.map(({ name }) => name);
}

/** ASCII and Chinese characters only: known at a glance to mix and imitate nothing. */
export function isHarmless(word: string): boolean {
  return /^[ -~\u4e00-\u9fff]*$/.test(word);
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
