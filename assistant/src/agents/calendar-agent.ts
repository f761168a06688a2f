import type { JsonObject } from "countersign";
import { findDate } from "../language/dates.js";
import { orderOf } from "../language/speech.js";
import { cleanTitle } from "../language/text.js";
import { instantOf, wallTimeAt } from "../language/timezone.js";
import { withoutDate } from "../language/title.js";
import { wordsIn } from "../words/words.js";
import { type Agent, type Plan, STATED, type Turn } from "./agent.js";

const NOUN = "(?:calendar )?(?:event|meeting|appointment)";
const CREATES: readonly RegExp[] = [
  new RegExp(
    `^(?:create|add|make|schedule|book|set up|plan|new)\\s+(?:an?|the|my)?\\s*(?:new )?${NOUN}\\b\\s*:?\\s*(?:for|about|called|to)?\\s*(?<what>.+)$`,
    "is",
  ),
  /^(?:put|add)\s+(?<what>.+?)\s+(?:on|in|to|into)\s+(?:the|my|our) calendar\b(?<rest>.*)$/is,
  /^(?:schedule|book)\s+(?<what>.+)$/is,
  /^(?:event|meeting|appointment)\s*:\s*(?<what>.+)$/is,
  /^(?:创建|新建|添加|安排|预约|加)(?:一个|一场|个|一次)?(?:日程|会议|活动|约会)[:,，\s]*(?<what>.+)$/s,
  /^(?:安排|预约)(?<what>.+)$/s,
];
const LISTS =
  /\b(?:what'?s|what is|what do i have|show|list|read|check|see|anything)\b.*\b(?:calendar|agenda|schedule|appointments?|meetings?|events?)\b|^(?:my )?(?:calendar|agenda)[?.!]*$|(?:查看|显示|看看|看|列出|有什么|有哪些|有没有).*(?:日程|会议|安排|活动)|(?:日程|会议).*(?:有哪些|是什么|吗)/i;
const DAY = 86_400_000;
const HOUR = 3_600_000;

export const calendarAgent: Agent = {
  domain: "calendar",
  plan(turn) {
    const order = orderOf(turn.text);
    for (const says of CREATES) {
      const { what, rest = "" } = says.exec(order)?.groups ?? {};
      if (what !== undefined) return create(`${what}${rest}`, turn);
    }
    return LISTS.test(turn.text) ? list(turn) : undefined;
  },
};

function create(what: string, turn: Turn): Plan {
  const date = findDate(what, turn.moment);
  const summary = cleanTitle(withoutDate(what, date));
  // A calendar entry at a guessed time is worse than a question.
  if (date === undefined || date.value === "" || !date.certain || summary === "") {
    return { type: "say", domain: "calendar", text: wordsIn(turn.locale).when, payload: { awaitingInput: "start" } };
  }
  const isDay = date.value.length === 10;
  const end = new Date(Date.parse(date.value) + (isDay ? DAY : HOUR)).toISOString();
  const attendees = what.match(/[^\s@<>,;，]+@[^\s@<>,;，]+\.[a-z]+/gi) ?? [];
  const args: JsonObject = { summary, start: date.value, end: isDay ? end.slice(0, 10) : end, attendees };
  return { type: "call", domain: "calendar", tool: "calendar.create", args, confidence: 0.9 };
}

/** The day that was named, else the next seven. */
function list({ text, moment }: Turn): Plan {
  const date = findDate(text, moment);
  const { timezone } = moment;
  const named = date === undefined || date.value === "" ? undefined : Date.parse(date.value.slice(0, 10));
  const today = wallTimeAt(moment.now, timezone);
  const start =
    named === undefined
      ? { ...today, hour: 0, minute: 0, second: 0 }
      : { ...wallTimeAt(named, "UTC"), hour: 0, minute: 0, second: 0 };
  const from = instantOf(start, timezone);
  const to = from + (named === undefined || date?.certain === false ? 7 : 1) * DAY;
  const args: JsonObject = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return { type: "call", domain: "calendar", tool: "calendar.list", args, confidence: STATED };
}
