/**
 * What a reader should be told about a text before trusting its look. Notices never change the text or its hash; they
 * stand beside it. One notice per kind, with a few examples and how many there are in all.
 */
import { CLASSES, escapeCodePoint } from "./characters.js";
import { escapeText } from "./escape.js";
import { internationalHosts } from "./hosts.js";
import { grouped, previewOf } from "./preview.js";
import type { Shown } from "./shown.js";
import { confusableWords, mixedWords, wordsOf } from "./words.js";

export type TextNoticeCode =
  | "control"
  | "bidi"
  | "invisible"
  | "marks"
  | "not_composed"
  | "right_to_left"
  | "mixed_scripts"
  | "confusable"
  | "look_alike_host"
  | "padding"
  | "long";

export interface TextNotice {
  /** Stable; catalogues translate by it. */
  readonly code: TextNoticeCode;
  /** One English sentence, safe to draw. */
  readonly text: Shown;
  /** The first thing it speaks of, escaped. */
  readonly fragment?: Shown;
  /** How many there are in all: characters, words, hosts, blanks. */
  readonly count?: number;
  /** What the first host is in ASCII, where it is a name at all. */
  readonly really?: Shown;
  /** Which scripts the first word or host is written in, by their Unicode names. */
  readonly scripts?: readonly Shown[];
  /** Present when it speaks of the name of an argument and not of its value. */
  readonly about?: "name";
}

const NOTHING: readonly TextNotice[] = Object.freeze([]);
const EXAMPLES = 5;
const FRAGMENT_LENGTH = 80;
/** About a screenful: beyond it a reader scrolls, or does not. */
const LONG_TEXT = 2_000;

const EVERYDAY = new RegExp(`^[\\t\\n${CLASSES.everyday}]*$`);
const CONTROL = new RegExp(`[${CLASSES.control}]`, "gu");
const BIDI = new RegExp(`[${CLASSES.bidi}]`, "gu");
const INVISIBLE = new RegExp(`(?![\\t\\n${CLASSES.control}${CLASSES.bidi}])[${CLASSES.unseen}]`, "gu");
const MARK = `(?![${CLASSES.unseen}])[${CLASSES.marks}]`;
const PAINTING_MARKS = new RegExp(
  `(?:${MARK}){4}|(?<![\\p{L}\\p{N}${CLASSES.marks}])${MARK}|[${CLASSES.overlays}]`,
  "u",
);
// blocks that Unicode reserves for scripts written from right to left
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const PADDING = /[\s\u2800\u3164\uffa0\u200b]{40,}/u;

/** Linear in the length of the text; short plain ASCII costs a few tests. */
export function inspectText(text: string): readonly TextNotice[] {
  const notices: TextNotice[] = [];
  if (!EVERYDAY.test(text)) notices.push(...characterNotices(text));
  if (/[^\0-\x7f]/.test(text)) notices.push(...wordNotices(text));
  if (/[^\0-\x7f]|xn--/i.test(text)) notices.push(...hostNotices(text));
  notices.push(...sizeNotices(text));
  return notices.length === 0 ? NOTHING : notices;
}

function* characterNotices(text: string): Iterable<TextNotice> {
  yield* kinds("control", "control characters", text.match(CONTROL));
  yield* kinds("bidi", "characters that reorder the text around them", text.match(BIDI));
  yield* kinds("invisible", "invisible or unassigned characters", text.match(INVISIBLE));
  if (PAINTING_MARKS.test(text)) {
    yield notice("marks", "Holds marks that would be drawn over the text around them.");
  }
  if (text.normalize("NFC") !== text) {
    yield notice("not_composed", "Spells letters in a second way that looks the same but is not equal.");
  }
  if (RIGHT_TO_LEFT.test(text)) {
    yield notice("right_to_left", "Holds letters written from right to left: what is drawn first may not come first.");
  }
}

function* kinds(code: TextNoticeCode, what: string, found: readonly string[] | null): Iterable<TextNotice> {
  if (found === null) return;
  const distinct = [...new Set(found)].map(escapeCodePoint);
  const words = `Holds ${what}: ${found.length} in all, ${listed(distinct)}.`;
  yield notice(code, words, { fragment: (distinct[0] ?? "") as Shown, count: found.length });
}

function* wordNotices(text: string): Iterable<TextNotice> {
  const words = wordsOf(text);
  yield* examples("mixed_scripts", "Mixes scripts within a word", mixedWords(words), ({ word, scripts }) => {
    return [word, `${quoted(word)} (${scripts.join(" + ")})`, { scripts: scripts.map(escapeText) }];
  });
  yield* examples("confusable", "Looks like other words", confusableWords(words), ({ word, ascii, scripts }) => {
    return [
      word,
      `${quoted(word)} (${scripts.join(" + ")}) is not ${quoted(ascii)}`,
      { scripts: scripts.map(escapeText) },
    ];
  });
}

function* hostNotices(text: string): Iterable<TextNotice> {
  yield* examples(
    "look_alike_host",
    "Names a host that is not what it looks like",
    internationalHosts(text),
    (host) => {
      const really = host.ascii === undefined ? "is not a valid name" : `is really ${escapeText(host.ascii)}`;
      const asDrawn = host.drawn === host.written ? "" : `, drawn as ${quoted(host.drawn)}`;
      const more = {
        scripts: host.scripts.map(escapeText),
        ...(host.ascii === undefined ? {} : { really: escapeText(host.ascii) }),
      };
      return [host.written, `${quoted(host.written)}${asDrawn} (${host.scripts.join(" + ")}) ${really}`, more];
    },
  );
}

function* sizeNotices(text: string): Iterable<TextNotice> {
  const padding = PADDING.exec(text);
  if (padding !== null) {
    const rest = text.length - padding.index - padding[0].length;
    const where = rest === 0 ? "at the end" : padding.index === 0 ? "at the start" : "with more text behind them";
    const { length } = padding[0];
    yield notice("padding", `Holds ${grouped(length)} blanks in a row, ${where}.`, { count: length });
  }
  if (text.length > LONG_TEXT) {
    const bytes = new TextEncoder().encode(text).length;
    const words = `Is long: ${grouped(text.length)} characters, ${grouped(bytes)} bytes.`;
    yield notice("long", words, { count: text.length });
  }
}

function* examples<T>(
  code: TextNoticeCode,
  what: string,
  found: readonly T[],
  describe: (item: T) => readonly [fragment: string, words: string, more: Pick<TextNotice, "really" | "scripts">],
): Iterable<TextNotice> {
  const [first] = found;
  if (first === undefined) return;
  const words = found.slice(0, EXAMPLES).map((item) => describe(item)[1]);
  const more = found.length > EXAMPLES ? `; and ${grouped(found.length - EXAMPLES)} more` : "";
  const [fragment, , about] = describe(first);
  yield notice(code, `${what}: ${words.join("; ")}${more}.`, {
    fragment: shortened(fragment),
    count: found.length,
    ...about,
  });
}

/** Every part of a sentence was escaped where it was taken from the text. */
function notice(code: TextNoticeCode, text: string, about: Omit<TextNotice, "code" | "text"> = {}): TextNotice {
  return { code, text: text as Shown, ...about };
}

function listed(items: readonly string[]): string {
  const more = items.length > EXAMPLES ? ` and ${grouped(items.length - EXAMPLES)} other kinds` : "";
  return items.slice(0, EXAMPLES).join(", ") + more;
}

function quoted(text: string): string {
  return `“${shortened(text)}”`;
}

function shortened(text: string): Shown {
  return previewOf(escapeText(text), FRAGMENT_LENGTH).text;
}
