import { CountersignError } from "./errors.js";
import { normaliseReply, type ReplyWords, USUAL_WORDS } from "./read-reply.js";

const MOST_WORDS = 20;
const LONGEST_WORD = 32;
/** One line of letters. Signs and what nobody sees are lost or kept by platforms as they like, and would never be recognised. */
const WORD = /^\p{L}(?:(?!\p{DI})[\p{L}\p{M} '-])*$/u;
/** Turned round by one of these, a word of assent is none. Wider than need be: "没问题" is refused rather than guessed at. */
const NEGATION =
  /[不没沒别別勿未否无無非莫甭免]|拒|取消|停止|(?<!\p{L})(?:no|not|never|none|nor|nope|nah|without|cannot|stop|cancel|deny|reject|abort|dont|cant|wont)(?!\p{L})|n't/u;
/** Asked, not said. */
const QUESTION = /[吗嗎么麼呢]$/u;

/**
 * Refuses words that could be taken for something else than they say: that could turn a no or a question into a yes, be a
 * card's number, or never be recognised. `usual` are words that hold besides.
 */
export function checkReplyWords({ approve = [], deny = [] }: ReplyWords, usual: ReplyWords = {}): void {
  const known = (list: readonly string[] = []) => list.map(normaliseReply);
  const noes = [...USUAL_WORDS.deny, ...known(usual.deny), ...known(deny)];
  // A workspace may well refuse by a word that means yes on the rest of the server: the no is looked for first.
  const yeses = [...USUAL_WORDS.approve, ...known(approve)];
  check(approve, "approve", (said) => problemOf(said) ?? opposite(said, noes) ?? doubtful(said));
  check(deny, "deny", (said) => problemOf(said) ?? opposite(said, yeses));
}

function check(words: readonly string[], purpose: string, look: (said: string) => string | undefined): void {
  if (words.length > MOST_WORDS) throw refused(`At most ${MOST_WORDS} words to ${purpose} can be added.`);
  for (const word of words) {
    const why = look(normaliseReply(word));
    if (why !== undefined) throw refused(`"${word}" cannot be a word to ${purpose}: ${why}.`);
  }
}

function problemOf(said: string): string | undefined {
  if (said === "") return "it is empty";
  if (said.length > LONGEST_WORD) return `it is longer than ${LONGEST_WORD} characters`;
  // `确认 27` names a card. A word with digits of its own could not be told from that.
  if (/\p{N}/u.test(said)) return "it holds a digit, as a card's number does";
  return WORD.test(said) ? undefined : "it holds something else than letters";
}

function opposite(said: string, others: readonly string[]): string | undefined {
  return others.includes(said) ? "it already says the opposite" : undefined;
}

function doubtful(said: string): string | undefined {
  if (NEGATION.test(said)) return "it holds a negation";
  return QUESTION.test(said) ? "it is a question" : undefined;
}

function refused(message: string): CountersignError {
  return new CountersignError("invalid_request", message);
}
