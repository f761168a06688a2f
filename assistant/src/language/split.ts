import { isChinese } from "./text.js";

/** Words with which an order begins; an "and" before anything else joins things, not orders. */
const ORDER =
  /^(?:(?:please|also|then|now),? )*(?:create|add|make an?|delete|remove|complete|mark|assign|schedule|book|show|list|remind me|email \S+@|send an? (?:e-?mail|message|mail)|search|look up|note:|task:|todo:|take a note|read my|clear|check off|what|which|write a note|cancel|finish)\b/i;
const CHINESE_ORDER =
  /^(?:请|帮我|再|还|然后|另外)*(?:创建|新建|新增|添加|加一|删除|删掉|清空|完成|把|将|提醒我|安排|预约|显示|列出|查看|搜索|记一|记笔记|发邮件|给\S+发|任务[:：]|待办[:：]|取消)/;

/** Other ways in which a sentence of its own begins: needs, refusals, questions. Anything else goes on with what was said. */
const SENTENCE =
  /^(?:i|we|gotta|need to|no|nope|don'?t|do not|never|not|wait|actually|stop|forget|scratch|how|who|when|where|why|is|are|do|does|did|can|could|should|have|has|will|would|delete|hold|leave|thanks?|thank you)\b/i;
const CHINESE_SENTENCE =
  /^(?:我|我们|咱|不|别|勿|无需|算了|还是|千万|记得|提醒|谁|什么|哪|怎么|为什么|是不是|有没有|要不要|能不能|谢谢)/;

/** Texts for others to read, and SQL: their full stops are their own. */
const HOLDS_TEXT =
  /^(?:please )?(?:notes?\s*:|(?:take|make|write|add|create) an? note\b|write down|jot down|(?:send|write) an? (?:e-?mail|mail|message)\b|e-?mail \S+@|(?:create|write|save|update|overwrite) (?:an? |the )?(?:new )?file\b|(?:run |execute )?(?:the )?(?:sql|query)\s*:|(?:select|insert into|update \w+ set|delete from|with)\b)|^(?:请|帮我)?(?:记一下|记笔记|写笔记|做笔记|笔记[:：]|发邮件|发送邮件|写邮件|发一封邮件|给\s*\S+@\S+|创建文件|新建文件|更新文件|覆盖文件|执行\s*SQL)/i;

/** "Add a task, …" and "if it rains, …": what follows belongs to it, whatever verb it begins with. */
const LEADS_ON =
  /(?:创建|新建|新增|添加|增加|加|设)[^，,]*(?:任务|待办事项|待办|提醒)\s*$|\b(?:create|add|make|new|set)\b[^,]*\b(?:task|to-?do|reminder|note|event)\s*$|^(?:if|when|unless|once|in case|as soon as)\b|^(?:如果|要是|万一|假如|等)/i;

const SENTENCE_END = /(?<=[.!?])\s+(?=\S)|(?<=[。！？!?;；])(?=\S)|\n|;\s*/g;
const JOINED = /,?\s+(?:and then|and also|then|and|also|plus)\s+|,\s+/g;
const CHINESE_JOINED = /[，,、]?(?:然后|接着|并且|另外|同时|还有|再)|[，,]/g;

/** The orders and remarks in a message, one by one. What is not certainly two sentences stays one: "call Dr. Smith". */
export function splitMessage(message: string): readonly string[] {
  if (HOLDS_TEXT.test(message)) return [message];
  return splitSentences(message).flatMap(splitOrders);
}

function splitSentences(text: string): readonly string[] {
  for (const end of text.matchAll(SENTENCE_END)) {
    const [left, right] = [text.slice(0, end.index).trim(), text.slice(end.index + end[0].length).trim()];
    if (left === "" || !beginsAnew(right)) continue;
    return [left, ...splitSentences(right)];
  }
  const whole = text.replace(/\s*\n\s*/g, " ").trim();
  return whole === "" ? [] : [whole];
}

function beginsAnew(text: string): boolean {
  return isChinese(text)
    ? CHINESE_ORDER.test(text) || CHINESE_SENTENCE.test(text)
    : ORDER.test(text) || SENTENCE.test(text);
}

function splitOrders(sentence: string): readonly string[] {
  const chinese = isChinese(sentence);
  const order = chinese ? CHINESE_ORDER : ORDER;
  for (const joint of sentence.matchAll(chinese ? CHINESE_JOINED : JOINED)) {
    const [left, right] = [sentence.slice(0, joint.index), sentence.slice(joint.index + joint[0].length)];
    // A title after a colon may hold any word; only an order that follows a comma or "then" ends it.
    const inTitle = /[:：]/.test(left) && !/[,，]|then|also|然后|接着|另外|再/.test(joint[0]);
    if (inTitle || !order.test(right) || left.trim() === "" || LEADS_ON.test(left)) continue;
    return [left.trim(), ...splitOrders(right.trim())];
  }
  return [sentence];
}
