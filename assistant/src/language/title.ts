import type { FoundDate } from "./dates.js";

const LEADS = /(?:\b(?:on|by|at|before|until|due|from|for|in|this|starting)\s*|[,，]\s*|在|于|到)+$/i;
const FOLLOWS = /^(?:[,，:]\s*|\s+(?:to|that i|i need to)\s+|前|之前|以前|的时候|要|去)+/i;

/** The words around a date: what is left says what to do, the date says when. A date in the middle stays where it is. */
export function withoutDate(text: string, date: FoundDate | undefined): string {
  if (date === undefined) return text;
  const before = text.slice(0, date.index);
  const after = text.slice(date.index + date.text.length);
  if (before.trim() === "") return after.replace(FOLLOWS, "");
  if (after.replace(/[\s.!?。!？]|前|之前/g, "") === "") return before.replace(LEADS, "").trim() + questionMark(after);
  return LEADS.test(before) && /^\s*$/.test(before.replace(LEADS, "")) ? after.replace(FOLLOWS, "") : text;
}

function questionMark(rest: string): string {
  return /[?？]/.test(rest) ? "?" : "";
}
