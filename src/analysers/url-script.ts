/** Scripts whose letters are drawn like letters of another. */
const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
/** Cyrillic and Greek letters that are drawn like Latin ones, digits and hyphens. */
const LATIN_LOOKING = /^[аеорсухіјѕһԁԛԝӏвкмнтгьοαεικνρτυχωϲ\d-]+$/u;
const OTHER_MARKS = /[\u0300-\u036f\u2010-\u2015\u2024\u2044\u2215\u29f8\u3002\uff0e\uff61ǃ‚]/u;

/** Whether a label can pass for another: it mixes scripts, is written in lookalikes only, or holds marks drawn like punctuation. */
export function looksLikeAnother(label: string): boolean {
  if (/^[\x20-\x7e]*$/.test(label)) return false;
  const scripts = SCRIPTS.filter((script) => script.test(label)).length;
  // Latin beside Chinese, Japanese or Korean is ordinary; beside Cyrillic or Greek it is not.
  const mixed = scripts > 1 || (scripts === 1 && EAST_ASIAN.test(label) && !SCRIPTS[0]?.test(label));
  return mixed || LATIN_LOOKING.test(label) || OTHER_MARKS.test(label);
}
