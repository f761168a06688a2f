/**
 * The one way in which text that is not ours becomes text on a screen.
 *
 * What comes out:
 * - holds no character that can move, hide, reorder or restyle anything: those stand as `\u{…}`, `\n` or `\t`;
 * - is different for different input: a backslash is doubled wherever it could be read as one of ours, `⟨` and `⟩` only
 *   ever come from us, and the result is in Unicode normal form C, so that composed and decomposed letters differ;
 * - cannot push its end out of sight: long runs of blanks or of escaped characters are counted, `⟨10000 spaces⟩`, and
 *   spaces at either end are always marked, `ls⟨1 space⟩`.
 *
 * Letters of every script stay as they are. Hebrew and Arabic run from right to left by nature, so whoever draws must
 * isolate each value (`<bdi>` or `unicode-bidi: isolate` on the web) and keep its spaces (`white-space: pre-wrap`);
 * a terminal cannot isolate, there `inspectText` flags such text as `right_to_left`.
 */
import { CLASSES, escapeCodePoint } from "./characters.js";
import { type Shown, shown } from "./shown.js";

/** From this length on a run is counted instead of drawn. */
const LONG_RUN = 8;
/** Hindi and Vietnamese need up to three marks on a letter; more only serves to paint over the lines around. */
const MOST_MARKS = 3;
/** Code is indented, and an indented line is still seen; beyond this it could be out of sight. */
const WIDEST_INDENT = 39;

/** Everyday text without a backslash to double, a long run, or spaces at an end is shown as it is. */
const NEEDS_WORK = new RegExp(`[^${CLASSES.everyday}]|\\\\(?=\\\\|[nt]|u\\{|[^ -~]|$)| {${LONG_RUN}}|^ | $`);

const CLUSTER = `(?:(?![${CLASSES.marks}])[\\p{L}\\p{N}])?[${CLASSES.marks}]+`;
// a lone backslash stays only before printable ASCII that cannot be read as the rest of an escape
const BACKSLASHES = "\\\\{2,}|\\\\(?![ -~])|\\\\(?=[nt]|u\\{)";
const WORK = new RegExp(`(${CLUSTER})|([${CLASSES.escaped}]+)|(${BACKSLASHES})|( {${LONG_RUN},}|^ +| +$)`, "gu");

const BREAKS = new RegExp(`(\\n{${LONG_RUN},})|\\n`);
const MARK = new RegExp(`[${CLASSES.marks}]`, "u");
const ESCAPED = new RegExp(`[${CLASSES.escaped}]`, "u");

/** Shows text on one line. Linear in its length; everyday text is returned after one test. */
export function escapeText(text: string): Shown {
  if (!NEEDS_WORK.test(text)) return text as Shown;
  const drawn = text.replace(WORK, (match, cluster, escaped, backslashes) => {
    if (cluster !== undefined) return showCluster([...match]);
    if (escaped !== undefined) return showRuns([...match]);
    if (backslashes !== undefined) return match + match;
    return marker(match.length, " ");
  });
  return (isComposed(drawn) ? drawn : escapeUncomposed(drawn)) as Shown;
}

/**
 * Shows text line by line, for whoever can draw several. No line holds a line break; the drawer puts a mark of its own
 * (a number, a bar) before each, so that no line of the value can pass for one of the page. Short indentation stays.
 */
export function escapeLines(text: string): readonly Shown[] {
  // every second part is what separated two lines: a long run of breaks, or undefined for a single one
  const parts: readonly (string | undefined)[] = text.split(BREAKS);
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return [escapeLine(part ?? "")];
    return part === undefined ? [] : [marker(part.length, "\n")];
  });
}

function escapeLine(line: string): Shown {
  const indent = /^ +(?=[^ ])/.exec(line)?.[0] ?? "";
  return indent.length > WIDEST_INDENT ? escapeText(line) : ((indent + escapeText(line.slice(indent.length))) as Shown);
}

/** A letter with its marks: a few stay, unless a shorter spelling of the same letter exists. */
function showCluster(characters: readonly string[]): string {
  const [base = ""] = characters;
  if (MARK.test(base) || ESCAPED.test(base) || !isComposed(base)) return showRuns(characters);
  let kept = 1;
  while (kept <= MOST_MARKS && kept < characters.length && !ESCAPED.test(characters[kept] ?? "")) kept++;
  if (!isComposed(characters.slice(0, kept).join(""))) kept = 1;
  return characters.slice(0, kept).join("") + showRuns(characters.slice(kept));
}

function showRuns(characters: readonly string[]): string {
  let drawn = "";
  for (let start = 0; start < characters.length; ) {
    const character = characters[start] ?? "";
    let end = start + 1;
    while (characters[end] === character) end++;
    const length = end - start;
    drawn += length >= LONG_RUN ? marker(length, character) : escapeCodePoint(character).repeat(length);
    start = end;
  }
  return drawn;
}

function marker(count: number, character: string): Shown {
  const plural = count === 1 ? shown`` : shown`s`;
  if (character === " ") return shown`⟨${count} space${plural}⟩`;
  if (character === "\n") return shown`⟨${count} newline${plural}⟩`;
  if (character === "\t") return shown`⟨${count} tab${plural}⟩`;
  return shown`⟨${count} × ${escapeCodePoint(character) as Shown}⟩`;
}

function isComposed(text: string): boolean {
  return text.normalize("NFC") === text;
}

/** Letters with a second spelling (Kelvin sign, compatibility ideographs) are escaped; if pairs still merge, all are. */
function escapeUncomposed(drawn: string): string {
  const once = drawn.replace(/[^ -~⟨⟩×]/gu, (letter) => (isComposed(letter) ? letter : escapeCodePoint(letter)));
  return isComposed(once) ? once : once.replace(/[^ -~⟨⟩×]/gu, escapeCodePoint);
}
