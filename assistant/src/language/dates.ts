import { en, type ParsedResult } from "chrono-node";
import { casual as chinese } from "chrono-node/zh";
import { instantOf, type WallTime, wallTimeAt } from "./timezone.js";

export interface Moment {
  readonly now: number;
  /** An IANA name, such as `Asia/Shanghai`. */
  readonly timezone: string;
}

export interface FoundDate {
  /** `2026-02-06` when only the day was said, else the instant in ISO 8601. */
  readonly value: string;
  /** Whether the words name one day (or one time), rather than roughly one. */
  readonly certain: boolean;
  readonly text: string;
  readonly index: number;
}

/** Words that promise a time and name none. */
const VAGUE =
  /\b(?:soon|later|some ?time|some ?day|one day|one of these days|eventually|at some point|when(?:ever)? (?:i|we) (?:can|have time)|in a (?:few|couple of) (?:days|weeks|months)|next (?:week|month|year)|this (?:week|month|year|weekend)|next weekend|around|or so|ish)\b|改天|哪天|过几天|过两天|过阵子|最近|有空|以后再|回头|迟早|下个?月(?!\d)|下个?星期(?![一二三四五六日天])|下周(?![一二三四五六日天])|下礼拜(?![一二三四五六日天])|周末|大概|左右/i;
/** Short names of days and months that are other words more often than not, unless a preposition leads to them. */
const OTHER_WORDS = /^(?:sat|sun|mon|wed|march|march of|may|now|second|dec|jan)$/i;
const LEADS_TO_DATE = /\b(?:on|by|until|before|next|this|every|in|at|due|from|since)\s+$/i;
const NAMED_ZONE = /\b(?:UTC|GMT|[ECMP][SD]T|CES?T|JST)\b|[+-]\d{2}:?\d{2}\s*$/;
/** What comes again has no one day: a date would be that of the first time alone. */
const REPEATS =
  /\b(?:every|each)\s+(?:(?:other|second|third|\d+)\s+)?(?:day|night|morning|afternoon|evening|week|weekday|weekend|month|year|mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|每(?:隔?(?:\d+|[一二两三四五六七八九十]+)?(?:个)?(?:天|日|周|星期|礼拜|月|年|晚|早))/i;
const CHINESE_SPAN = /(半|\d+|[一二两三四五六七八九十]+)个?(半)?(小时|钟头|分钟)(半)?(?:之后|以后|后)/;

/** The first date in a text as its writer means it, or that there is a vague one. Undefined when no time is spoken of. */
export function findDate(text: string, moment: Moment): FoundDate | undefined {
  if (REPEATS.test(text)) return undefined;
  const vague = VAGUE.exec(text);
  const span = chineseSpan(text, moment);
  if (span !== undefined) return span;
  const result = parse(text, moment);
  if (result === undefined) {
    return vague === null ? undefined : { value: "", certain: false, text: vague[0], index: vague.index };
  }
  return {
    value: valueOf(result, moment),
    certain: vague === null && namesOneTime(result),
    text: result.text,
    index: result.index,
  };
}

function parse(text: string, { now, timezone }: Moment): ParsedResult | undefined {
  // The library reads the machine's own clock in places. It is given the writer's wall time as if it were the machine's.
  const wall = wallTimeAt(now, timezone);
  const isChinese = /\p{Script=Han}/u.test(text);
  // In the first hours of a day its Chinese half takes 明天 for the day that has begun. Said at one, it is the next one.
  const hour = isChinese ? Math.max(wall.hour, 2) : wall.hour;
  const reference = new Date(wall.year, wall.month - 1, wall.day, hour, wall.minute, wall.second);
  const parser = isChinese ? chinese : en.casual;
  return parser
    .parse(text, reference, { forwardDate: true })
    .find((result) => !OTHER_WORDS.test(result.text.trim()) || LEADS_TO_DATE.test(text.slice(0, result.index)));
}

function namesOneTime({ start }: ParsedResult): boolean {
  return (["day", "weekday", "hour"] as const).some((part) => start.isCertain(part));
}

function valueOf({ start, text }: ParsedResult, { timezone }: Moment): string {
  if (NAMED_ZONE.test(text)) return start.date().toISOString();
  const wall: WallTime = {
    year: start.get("year") ?? 0,
    month: start.get("month") ?? 1,
    day: start.get("day") ?? 1,
    hour: start.get("hour") ?? 0,
    minute: start.get("minute") ?? 0,
    second: 0,
  };
  return start.isCertain("hour") ? new Date(instantOf(wall, timezone)).toISOString() : dayOf(wall);
}

function dayOf({ year, month, day }: WallTime): string {
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** 半小时后, 两个半小时后, 十分钟后: spans of the clock, counted from now. */
function chineseSpan(text: string, { now }: Moment): FoundDate | undefined {
  const match = CHINESE_SPAN.exec(text);
  if (match === null) return undefined;
  const [whole, amount = "", halfBefore, unit, halfAfter] = match;
  const half = halfBefore !== undefined || halfAfter !== undefined ? 0.5 : 0;
  const count = (amount === "半" ? 0.5 : chineseNumber(amount)) + half;
  const minutes = unit === "分钟" ? count : count * 60;
  const value = new Date(now + minutes * 60_000).toISOString();
  return { value, certain: true, text: whole, index: match.index };
}

function chineseNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const digit = (character: string | undefined): number =>
    Math.max(0, "零一二三四五六七八九".indexOf(character ?? "零"));
  const plain = text.replace("两", "二");
  const [tens, ones] = plain.split("十");
  if (ones === undefined) return digit(plain);
  return (tens === "" ? 1 : digit(tens)) * 10 + digit(ones === "" ? undefined : ones);
}
