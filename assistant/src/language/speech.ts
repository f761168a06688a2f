import { isChinese } from "./text.js";

/*
 * What kind of speech a sentence is, before anybody asks what it is about. Whoever says no, takes something back or asks a question
 * wants nothing written, whatever words stand around it.
 */

const TAKEN_BACK =
  /\b(?:never ?mind|scratch that|forget (?:it|that|about it)|actually,? (?:no\b|don'?t|never|wait)|on second thoughts?,? (?:no|don'?t|never|leave)|wait,? no|no,? wait|i changed my mind|i take (?:it|that) back|just kidding|cancel that)\b|算了|当我没说|还是(?:不要|别|不用|算)|不用了|不要了|不必了|我改(?:变)?主意了|开玩笑的/i;

const NEGATED =
  /^\s*(?:no|nope|nah|(?:please )?stop)\b|\b(?:don'?t|do not|dont|doesn'?t|didn'?t|does not|did not|never|not|can'?t|cannot|won'?t|wouldn'?t|shouldn'?t|should not|needn'?t|isn'?t|aren'?t|wasn'?t|haven'?t|hasn'?t|no (?:need|longer|more|tasks?|reminders?|to-?dos?|circumstances|thanks)|i said no|nobody|nothing|skip (?:the|that|this|it|my)|without (?:creating|adding|making|deleting)|i refuse|we refuse|rather not|hold off|stop (?:creating|adding|making|deleting|reminding)|quit (?:creating|adding)|leave (?:it|them|that|everything|(?:my|the|our) \w+) (?:alone|as (?:it|they)|be|unchanged)|avoid (?:creating|adding|making|deleting)|instead of (?:creating|adding))\b|不要|不用|不必|不需要|不想|不该|不应|不能|不可以|不准|不许|不是|不再|没必要|没有必要|无需|勿|(?<![特区分级性个类鉴告识])别(?![人的墅名处致])|甭|没(?:有)?(?:完成|做完|让|叫|说|要|打算)|还没|停止|拒绝|免了/i;

/** Negations that ask for the thing all the same. */
const NEGATED_IN_FORM_ONLY =
  /\b(?:don'?t|do not|dont|can'?t|must not|mustn'?t|never) (?:let me )?forget (?:to|about|the|that i (?:need|have) to)\b|\bnot to forget to\b|(?:不要|别|不能|不可以)(?:让我)?忘(?:了|记)/i;

/** 要不要, 是不是, 有没有: asked by offering both. */
const EITHER_OR = /(.)[不没]\1/;

const ASKS_IN_ENGLISH =
  /^(?:so |and |but |hey |ok |okay |um |well |wait,? |hmm,? )*(?:what|which|who|whose|whom|when|where|why|how|is|are|am|was|were|do|does|did|has|have (?:i|we|you|they|any)|had|will i|will it|will there|should|shall|may i|might|any|anything|isn'?t|aren'?t|don'?t (?:i|we|you)|didn'?t|can i|could i|can we|could we|would it|would that|can it|tell me (?:what|which|who|when|where|why|how|if|about)|show me (?:what|which|how|who|when|where)|i wonder|i'm wondering|do you know|remind me (?:what|which|when|where|who|why|how|if|whether)|what'?s|how'?s|who'?s|when'?s|where'?s)\b/i;
const ASKS_IN_CHINESE =
  /[吗嗎呢么麽]\s*[?？。!]?$|什么|哪(?!天)|谁|怎么|怎样|如何|为什么|为何|多少|几(?:个|项|条|点|号|件)|是否|有没有|是不是|要不要|能不能|可不可以|该不该|会不会|对不对|何时/;
/** Polite orders: questions by form alone. */
const REQUEST =
  /^(?:(?:hey|hi|hello|ok|okay|so|and|also|then|now|alright)[,!]? )*(?:(?:can|could|would|will|can't|couldn't) you (?:please |kindly |maybe |just |also )*|would you mind |i(?:'d| would) like (?:you )?to |i want (?:you )?to |i need you to |please |pls |kindly |let'?s |go ahead and |just |now |then |also |first,? |quickly |be a dear and )+/i;
const CHINESE_REQUEST =
  /^(?:请|麻烦|帮我|帮忙|给我|你?(?:能|可以|可否|能否)(?:请)?(?:帮我|帮忙|给我)?|劳驾|拜托|再|然后|顺便|现在|先|我想(?:要)?(?:请)?你?|你|那就|那|嗯|,|，)+/;
const CHINESE_MAY_YOU = /^(?:请问)?你?(?:能|可以|可否|能否)(?:请)?(?:帮我|帮忙|给我)/;
const CHINESE_REQUEST_END = /(?:,|，)?(?:好吗|可以吗|行吗|好不好|行不行|好嘛|谢谢)\s*[?？。!]*$/;

export function takesBack(text: string): boolean {
  return TAKEN_BACK.test(text);
}

export function isNegated(text: string): boolean {
  return NEGATED.test(text.replace(NEGATED_IN_FORM_ONLY, " ").replace(EITHER_OR, " "));
}

export function isReminderInNegation(text: string): boolean {
  return NEGATED_IN_FORM_ONLY.test(text);
}

/** A question, and not an order in its form. */
export function isQuestion(text: string): boolean {
  if (isReminderInNegation(text)) return false;
  if (EITHER_OR.test(text)) return true;
  const order = orderOf(text);
  if (ASKS_IN_ENGLISH.test(order)) return true;
  if (isChinese(text)) return ASKS_IN_CHINESE.test(order) || (hasQuestionMark(text) && order === text);
  return hasQuestionMark(text) && order === text;
}

export function hasQuestionMark(text: string): boolean {
  return /[?？]/.test(text);
}

/** The order without its courtesies: "could you please add a task" is "add a task". */
export function orderOf(text: string): string {
  const plain = isChinese(text) ? chineseOrderOf(text) : text;
  const order = plain.replace(REQUEST, "").trim();
  return order === "" ? text : order;
}

function chineseOrderOf(text: string): string {
  const order = text.replace(CHINESE_REQUEST, "").replace(CHINESE_REQUEST_END, "");
  // 能帮我…吗 is an order as a whole.
  return CHINESE_MAY_YOU.test(text) ? order.replace(/吗(?=\s*[?？。!:：,，]|$)[?？]?/, "") : order;
}
