import type { Approval } from "../core/approval.js";
import type { ReplyRules } from "../core/reply-rules.js";
import { escapeText } from "../core/text/escape.js";
import { joinShown, type Shown } from "../core/text/shown.js";
import type { Delivery } from "./book.js";
import { type ChannelWords, channelWords, replyWordsIn } from "./words.js";

/** Why a yes is not offered in this chat. */
export interface Bar {
  readonly text: Shown;
  readonly mayDeny: boolean;
}

/** More would hide the question below its own instructions. */
const NAMED = 5;

/** Below the question: what to press or say, by the words that count in this very workspace. */
export function howToAnswer(
  { chat, code, locale }: Delivery,
  { audience }: Approval,
  rules: ReplyRules,
  bar: Bar | undefined,
): readonly Shown[] {
  const words = channelWords(locale);
  const { yes, no } = replyWordsIn(locale);
  const number = code as Shown;
  const strict = rules.unclear === "cancel" ? [words.elseCancels] : [];
  const alsoNo = also(rules.words.deny, words.alsoNo);
  if (bar !== undefined) {
    return [bar.text, ...(bar.mayDeny ? [words.onlyDeny(no, number), ...alsoNo, ...strict] : [])];
  }
  const bareWord = chat.kind === "private" && audience.assurance !== "card";
  const how = bareWord ? words.howPrivate : words.howGroup;
  return [how(yes, no, number), ...also(rules.words.approve, words.alsoYes), ...alsoNo, ...strict];
}

function also(list: readonly string[], say: ChannelWords["alsoYes"]): readonly Shown[] {
  return list.length === 0 ? [] : [say(joinShown(list.slice(0, NAMED).map(escapeText), " / "))];
}
