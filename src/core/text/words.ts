import { asciiLookAlike } from "./look-alikes.js";
import { isHarmless, isOrdinaryMix, scriptsOf } from "./scripts.js";

/** A word that ASCII cannot spell, with the scripts of its letters. */
export interface ForeignWord {
  readonly word: string;
  readonly scripts: readonly string[];
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
/** Up to this length a word of a foreign text may consist of look-alikes by chance: Russian "ухо", Greek "και". */
const CHANCE_LENGTH = 4;

/** Each different word once, in order, without those of ASCII and Chinese characters: they mix and imitate nothing. */
export function wordsOf(text: string): readonly ForeignWord[] {
  const words = new Set<string>();
  for (const [word] of text.matchAll(WORD)) if (!isHarmless(word)) words.add(word);
  return [...words].map((word) => ({ word, scripts: scriptsOf(word) }));
}

export function mixedWords(words: readonly ForeignWord[]): readonly ForeignWord[] {
  return words.filter(({ scripts }) => !isOrdinaryMix(scripts));
}

/**
 * Words that would be read as ASCII. Within a text that is plainly written in the same script, a short one is a word
 * of that language; standing alone, or long, it is an imitation.
 */
export function confusableWords(words: readonly ForeignWord[]): readonly (ForeignWord & { readonly ascii: string })[] {
  const read = words.map((word) => ({ ...word, ascii: asciiLookAlike(word.word) }));
  const spoken = new Set(
    read.filter(({ ascii, scripts }) => ascii === undefined && scripts.length === 1).map(onlyScript),
  );
  return read.flatMap((word) => {
    if (word.ascii === undefined) return [];
    const isChance = word.scripts.length === 1 && spoken.has(onlyScript(word)) && word.word.length <= CHANCE_LENGTH;
    return isChance ? [] : [{ ...word, ascii: word.ascii }];
  });
}

function onlyScript({ scripts }: ForeignWord): string {
  return scripts[0] ?? "";
}
