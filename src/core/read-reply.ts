/** What a person's message says to an open question. */
export type Reading = "approve" | "deny" | "unclear";

/** Words of a workspace besides the usual ones. A word counts when it is the whole message. */
export interface ReplyWords {
  readonly approve?: readonly string[];
  readonly deny?: readonly string[];
}

export interface Reply {
  readonly reading: Reading;
  /** The two digits that name which question is meant, where the message has them. */
  readonly code?: string;
}

const approve: readonly string[] = [
  ...["confirm", "confirmed", "yes", "y", "ok", "okay", "approve", "approved", "proceed", "go ahead"],
  ...["确认", "確認", "批准", "执行", "執行", "同意", "好", "好的", "可以", "是", "是的", "确认执行", "確認執行"],
];
const deny: readonly string[] = [
  ...["cancel", "no", "n", "deny", "denied", "reject", "stop", "abort", "don't", "do not", "nope"],
  ...["取消", "拒绝", "拒絕", "不", "否", "不要", "不行", "不可以", "不可", "不是", "别", "別", "停止", "算了"],
  ...["不同意", "不批准", "不执行", "不執行", "不确认", "不確認", "不用", "不用了", "取消吧"],
];

/** The words that everybody knows. They hold in every workspace. */
export const USUAL_WORDS = { approve, deny } as const;

/** Of the bot or of others, as platforms write them: `@_user_1`, `<@U024>`, `<@!80>`, `@name`. */
const MENTION = /^(?:<@!?[\w-]+(?:\|[^<>]*)?>|@[^\s@]+)\s+|\s+(?:<@!?[\w-]+(?:\|[^<>]*)?>|@[^\s@]+)$/u;
/** What people end a word with. A question mark is a question, and dots of hesitation are no yes. */
const ENDING = /(?:[!。~]+|(?<!\.)\.)$/u;
const CODED = /^(?<word>.*?[^\d\s:#,(])[\s:#,(]*(?<code>\d{2})\)?$/su;

/**
 * Whether a message says yes or no, whole or not at all: a sentence that merely holds a word of assent, a question, a quotation
 * or a thumbs-up is `unclear`, and `unclear` decides nothing.
 */
export function readReply(text: string, words: ReplyWords = {}): Reading {
  return readCodedReply(text, words).reading;
}

/** The same, with the code of the question that is meant: `确认 27`. */
export function readCodedReply(text: string, words: ReplyWords = {}): Reply {
  if (typeof text !== "string" || text.length > 200) return { reading: "unclear" };
  const said = normaliseReply(text);
  const { word, code } = CODED.exec(said)?.groups ?? {};
  if (word === undefined || code === undefined) return { reading: readingOf(said, words) };
  const reading = readingOf(word.trimEnd(), words);
  return reading === "unclear" ? { reading } : { reading, code };
}

function readingOf(said: string, words: ReplyWords): Reading {
  const holds = (kind: keyof ReplyWords) =>
    USUAL_WORDS[kind].includes(said) || (words[kind] ?? []).some((word) => normaliseReply(word) === said);
  // The no is looked for first: a word on both lists refuses.
  if (holds("deny")) return "deny";
  return holds("approve") ? "approve" : "unclear";
}

/** Full-width and compatibility forms are what they look like; characters that nobody sees stay, and match nothing. */
export function normaliseReply(text: string): string {
  let said = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/[\t \u3000]+/gu, " ")
    .trim();
  for (let before = ""; before !== said; ) {
    before = said;
    said = said.replace(MENTION, "").replace(ENDING, "").trim();
  }
  return said;
}
