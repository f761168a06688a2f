import { isChinese } from "./text.js";

/** Words with which a new order begins; an "and" before anything else joins things, not orders. */
const ORDER =
  /^(?:please )?(?:create|add|make an?|delete|remove|complete|mark|assign|schedule|book|show|list|remind me|email \S+@|send an? (?:e-?mail|message|mail)|search|look up|note:|task:|todo:|take a note|read my|clear|check off|what|which|write a note)\b/i;
const CHINESE_ORDER =
  /^(?:请|帮我|再|还)?(?:创建|新建|新增|添加|加一|删除|删掉|清空|完成|把|将|提醒我|安排|预约|显示|列出|查看|搜索|记一|记笔记|发邮件|给\S+发|任务[:：]|待办[:：])/;

/** "Add a task, …": what follows is its title, whatever verb it begins with. */
const AWAITS_TITLE = /(?:任务|待办事项|待办|提醒|\b(?:tasks?|to-?dos?|reminder|note|event))\s*$/i;

const SENTENCE_END = /(?<=[.!?])\s+(?=\S)|(?<=[。！？!?;；])(?=\S)|\n|;\s*/;
const JOINED = /,?\s+(?:and then|and also|then|and|also|plus)\s+|,\s+/g;
const CHINESE_JOINED = /[，,、]?(?:然后|接着|并且|另外|同时|还有|再)|[，,]/g;

/** The orders and remarks in a message, one by one. What is not certainly two orders stays one. */
export function splitMessage(message: string): readonly string[] {
  return message
    .split(SENTENCE_END)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .flatMap(splitOrders);
}

function splitOrders(sentence: string): readonly string[] {
  const chinese = isChinese(sentence);
  const order = chinese ? CHINESE_ORDER : ORDER;
  // A title after a colon may hold any word; only an order that follows a comma or "then" ends it.
  for (const joint of sentence.matchAll(chinese ? CHINESE_JOINED : JOINED)) {
    const [left, right] = [sentence.slice(0, joint.index), sentence.slice(joint.index + joint[0].length)];
    const inTitle = /[:：]/.test(left) && !/[,，]|then|also|然后|接着|另外|再/.test(joint[0]);
    if (inTitle || !order.test(right) || left.trim() === "" || AWAITS_TITLE.test(left)) continue;
    return [left.trim(), ...splitOrders(right.trim())];
  }
  return [sentence];
}
