/** Letters that common fonts draw like ASCII, each string above the letters it is taken for. */
const TABLE: readonly (readonly [imitation: string, ascii: string])[] = [
  // Cyrillic
  ["асԁеһіјӏорԛѕуѵԝхАВСЕНІЈКМОРԚЅТԜХҮ", "acdehijlopqsyvwxABCEHIJKMOPQSTWXY"],
  // Greek
  ["αοινρυκχγϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aoivpukxycjABEZHIKMNOPTYX"],
  // Armenian
  ["օոսհցզյԼՍՏՕ", "onuhgqjLUSO"],
  // Cherokee
  ["ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "ABCDEGHJKLMPRSTVWZ"],
  // Lisu
  ["ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "ABCDEFGHIJKLMNOPRSTUVWXYZ"],
  // phonetic letters, Latin by script
  ["ɑɡɩ", "agi"],
];

const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  TABLE.flatMap(([imitation, ascii]) =>
    [...imitation].map((letter, index): [string, string] => [letter, ascii[index] ?? ""]),
  ),
);

/** Fullwidth forms, letterlike symbols, Roman numerals and mathematical letters: Unicode itself says what they stand for. */
const STYLED = /[\uff10-\uff5a\u2102-\u2134\u2160-\u217f\u{1d400}-\u{1d7ff}]/u;
const ASCII = /^[!-~]+$/;

/** The ASCII letter or digit that a character is drawn like, if any. */
function asciiFor(character: string): string | undefined {
  if (ASCII.test(character)) return character;
  const letter = LOOKS_LIKE.get(character);
  if (letter !== undefined) return letter;
  if (!STYLED.test(character)) return undefined;
  const plain = character.normalize("NFKC");
  return ASCII.test(plain) ? plain : LOOKS_LIKE.get(plain);
}

/** The ASCII word for which a word that is not ASCII would be taken; undefined when one letter gives it away. */
export function asciiLookAlike(word: string): string | undefined {
  if (ASCII.test(word)) return undefined;
  let ascii = "";
  for (const character of word) {
    const letter = asciiFor(character);
    if (letter === undefined) return undefined;
    ascii += letter;
  }
  return ascii;
}
