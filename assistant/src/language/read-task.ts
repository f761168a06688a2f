import * as chinese from "./chinese-tasks.js";
import { type CreatePattern, createConfidence } from "./confidence.js";
import { findDate, type Moment } from "./dates.js";
import * as english from "./english-tasks.js";
import { hasQuestionMark, isNegated, isQuestion, isReminderInNegation, orderOf, takesBack } from "./speech.js";
import type { Priority, TaskIntent } from "./task-intent.js";
import { cleanTitle, isChinese, normalise } from "./text.js";
import { withoutDate } from "./title.js";

/**
 * What one sentence wants of the tasks. The order is the safety of it: an explicit "create a task: …" keeps whatever stands in its
 * title; after that a no, a retraction or a question ends the matter, and what speaks of deleting can never become a create.
 */
export function readTask(sentence: string, moment: Moment): TaskIntent {
  const text = normalise(sentence);
  if (takesBack(text)) return { type: "refusal" };
  const order = orderOf(text);
  const words = isChinese(text) ? chinese : english;
  const explicit = explicitCreate(order, words, moment);
  if (explicit !== undefined) return order === text ? explicit : withoutQuestionMark(explicit);
  if (isNegated(text)) return { type: "refusal" };
  if (isQuestion(text))
    return words.MENTIONS_TASK.test(text) || words.ASKS_WHAT_TO_DO.test(text)
      ? { type: "question", about: "tasks" }
      : { type: "question" };
  return (
    deletion(order, words) ??
    listing(order, words) ??
    completion(order, words) ??
    assignment(order, words) ??
    rescheduling(order, words, moment) ??
    loose(order, words, moment) ?? { type: "chatter" }
  );
}

/** "Could you remind me to …?": the mark belongs to the courtesy. */
function withoutQuestionMark(intent: TaskIntent): TaskIntent {
  return intent.type === "create" ? { ...intent, title: intent.title.replace(/[\s?？]+$/, "") } : intent;
}

type Words = typeof english | typeof chinese;

const EXPLICIT: readonly CreatePattern[] = ["explicit", "label", "reminder"];

const ASKS_TO_BE_REMINDED = /^remind (?:me|us) (?:what|which|when|where|who|why|how|if|whether)\b/i;

function explicitCreate(order: string, words: Words, moment: Moment): TaskIntent | undefined {
  // "remind me what …" asks, and "remind me of my tasks" wants to see them.
  if (ASKS_TO_BE_REMINDED.test(order) || (/^remind/i.test(order) && words.LISTS.test(order))) return undefined;
  for (const { pattern, says } of words.CREATES.filter((way) => EXPLICIT.includes(way.pattern))) {
    const { title, when = "" } = says.exec(order)?.groups ?? {};
    if (title === undefined) continue;
    // In Chinese the words for "remind me" may come last, behind a no.
    if (pattern === "reminder" && isNegated(order.slice(0, order.indexOf(title)))) return undefined;
    if (/提醒/.test(order) && isNegated(order) && !/^(?:提醒|设|加|创建|新建)/.test(order)) return undefined;
    return created(pattern, `${when}${title}`, words, moment);
  }
  return undefined;
}

/** "I need to …", "gotta …", and tasks that are only mentioned. */
function loose(order: string, words: Words, moment: Moment): TaskIntent | undefined {
  // Whoever speaks of deleting does not want one more.
  if (words.SPEAKS_OF_DELETING.test(order) && words.MENTIONS_TASK.test(order)) return { type: "chatter" };
  for (const { pattern, says } of words.CREATES.filter((way) => !EXPLICIT.includes(way.pattern))) {
    const title = says.exec(order)?.groups?.["title"];
    if (title === undefined) continue;
    if (pattern === "need" && words === english && !english.NEEDS_TO.test(order)) continue;
    const isReminder = isReminderInNegation(order);
    if (!isReminder && (words.NOT_A_TASK.test(title) || hasQuestionMark(order))) return undefined;
    return created(pattern, title, words, moment);
  }
  if (!words.MENTIONS_TASK.test(order) || words.REMARK.test(order) || words.HANDLES.test(order)) return undefined;
  // "A task for painting the fence": what comes after the word says what it is, if anything does.
  const after = cleanTitle(AFTER_TASK.exec(order)?.groups?.["title"] ?? "");
  const title = after !== "" ? after : cleanTitle(order.replace(words.TASK_WORDS, " ").replace(/\s+/g, " "));
  return title.length < 2 ? undefined : created("implicit", title, words, moment);
}

const AFTER_TASK = /(?:\b(?:task|to-?do|chore)\b\s*(?:for|to|about|of|[:,])|(?:任务|待办)[:,，])\s*(?<title>.+)$/is;

function created(pattern: CreatePattern, said: string, words: Words, moment: Moment): TaskIntent {
  const priority = priorityIn(said, words);
  const plain = priority === undefined ? said : said.replace(priority.found, " ").replace(/\s+/g, " ");
  const date = findDate(plain, moment);
  const title = cleanTitle(withoutDate(plain, date));
  if (title.replace(/[?？\s]/g, "") === "") return { type: "untitled" };
  const confidence = createConfidence(pattern, {
    title,
    dateIsUnsure: date !== undefined && !date.certain,
    hasQuestionMark: hasQuestionMark(said),
  });
  const due = date === undefined || date.value === "" ? {} : { dueAt: date.value };
  return { type: "create", pattern, title, priority: priority?.level ?? "medium", ...due, confidence };
}

function priorityIn(text: string, words: Words): { readonly level: Priority; readonly found: string } | undefined {
  for (const [level, says] of words.PRIORITY) {
    const found = says.exec(text)?.[0];
    if (found !== undefined) return { level, found };
  }
  return undefined;
}

function deletion(order: string, words: Words): TaskIntent | undefined {
  const target = deletedIn(order, words);
  if (target === undefined) return undefined;
  const plain = cleanTitle(target.replace(words.TASK_WORDS, " ").replace(/\s+/g, " "));
  if (words.COMPLETED.test(target)) return { type: "delete", scope: "completed", target: "" };
  if (words.ALL.test(target.trim())) {
    const rest = bare(plain.replace(words.ALL, ""), words);
    return { type: "delete", scope: "all", target: rest };
  }
  return { type: "delete", scope: "one", target: bare(plain, words) };
}

function deletedIn(order: string, words: Words): string | undefined {
  if ("DELETES_OBJECT_FIRST" in words) {
    const ways = [words.DELETES_OBJECT_FIRST, words.DELETES_ALL_LAST, words.DELETES];
    // 都 and 全部 may stand before the verb, outside of what is named.
    const all = words.ALL.test(order) ? "所有" : "";
    for (const says of ways) {
      const target = says.exec(order)?.groups?.["target"];
      if (target !== undefined) return words.ALL.test(target) ? target : `${all}${target}`;
    }
    return undefined;
  }
  return words.DELETES.exec(order)?.groups?.["target"];
}

/** A target without articles and particles around it. */
function bare(target: string, words: Words): string {
  if ("FILLER" in words) return cleanTitle(target.replace(words.FILLER, ""));
  return cleanTitle(
    target
      .trim()
      .replace(/^(?:of|for|about|on)\s+/i, "")
      .replace(words.LEADING_THE, ""),
  );
}

function listing(order: string, words: Words): TaskIntent | undefined {
  if (!words.LISTS.test(order)) return undefined;
  return { type: "list", status: words.COMPLETED.test(order) ? "done" : "open" };
}

function completion(order: string, words: Words): TaskIntent | undefined {
  for (const { says, confidence } of words.COMPLETES) {
    const target = says.exec(order)?.groups?.["target"];
    if (target !== undefined) return { type: "complete", target: targetOf(target, words), confidence };
  }
  return undefined;
}

function assignment(order: string, words: Words): TaskIntent | undefined {
  for (const { says, confidence } of words.ASSIGNS) {
    const { target, assignee } = says.exec(cleanTitle(order))?.groups ?? {};
    if (target === undefined || assignee === undefined) continue;
    return { type: "assign", target: targetOf(target, words), assignee: cleanTitle(assignee), confidence };
  }
  return undefined;
}

function rescheduling(order: string, words: Words, moment: Moment): TaskIntent | undefined {
  const { target, target2, date = "" } = words.RESCHEDULES.exec(order)?.groups ?? {};
  const named = target ?? target2;
  const found = named === undefined ? undefined : findDate(date, moment);
  if (named === undefined || found === undefined || found.value === "") return undefined;
  return {
    type: "reschedule",
    target: targetOf(named, words),
    dueAt: found.value,
    confidence: found.certain ? 0.9 : 0.72,
  };
}

function targetOf(target: string, words: Words): string {
  return bare(cleanTitle(target.replace(words.TASK_WORDS, " ").replace(/\s+/g, " ")), words);
}
