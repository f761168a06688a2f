import { escapeText } from "../text/escape.js";
import { showName } from "../text/inline.js";
import type { Locale } from "../tool.js";
import { wordsIn } from "../words/words.js";
import type { GrantDraft } from "./grants.js";
import { type Pin, WHOLE } from "./pins.js";

const MINUTE = 60_000;

/** How a grant is put into words. */
export interface GrantTelling {
  readonly locale?: Locale | undefined;
  /** Before it is given: then for how long is said, too. One that stands has its end beside it, for the reader's own clock. */
  readonly now?: number;
  /** What the agent is called, where it has a name. */
  readonly agentName?: string | undefined;
}

/** What a grant covers. */
export function describeGrant(grant: GrantDraft, { locale = "en", now, agentName }: GrantTelling = {}): string {
  const agent = agentName === undefined ? escapeText(grant.agentId) : showName(agentName);
  return locale === "zh" ? inChinese(grant, agent, now) : inEnglish(grant, agent, now);
}

/** What to think about before giving it. */
export function grantWarnings({ kind, riskTier, pins }: GrantDraft, locale: Locale = "en"): string[] {
  const zh = locale === "zh";
  const warnings: string[] = [];
  if (kind === "workspace")
    warnings.push(
      zh
        ? "它适用于整个工作区的所有会话。建议改用会话或 15 分钟。"
        : "It holds for every session of the workspace. A session or 15 minutes is usually enough.",
    );
  if (riskTier === "R3" && pins.length === 0)
    warnings.push(
      zh
        ? "它不限制参数，而这类操作会影响系统之外。"
        : "It holds for any arguments, and such actions reach beyond this system.",
    );
  return warnings;
}

function inEnglish(grant: GrantDraft, agent: string, now: number | undefined): string {
  const { kind, tool, uses, until, pins, riskTier } = grant;
  const time = now === undefined ? "" : `For ${spanInEnglish(until - now)}, `;
  const where = kind === "workspace" ? "in every session of this workspace" : "in this session";
  const times = uses === 1 ? "time" : "times";
  const often = uses === undefined ? "" : now === undefined ? ` ${uses} ${times} in all` : ` ${uses} more ${times}`;
  const limits = pins.length === 0 ? "with any arguments" : pins.map(pinInEnglish).join(" and ");
  return `${time}${agent} may run ${tool}${often} ${where} without asking, ${limits}. Calls riskier than “${wordsIn("en").risk[riskTier]}” still ask.`;
}

function spanInEnglish(milliseconds: number): string {
  const minutes = Math.round(milliseconds / MINUTE);
  if (minutes < 120) return minutes === 1 ? "1 minute" : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

function pinInEnglish({ path, op, value }: Pin): string {
  if (path === WHOLE) return "with exactly the arguments of the call it was given for";
  switch (op) {
    case "equals":
      return `with ${path} equal to ${show(value)}`;
    case "prefix":
      return `with ${path} under ${show(value)} (by name; links are not followed)`;
    case "host":
      return `with the host of ${path} being ${show(value)}`;
    case "max":
      return `with ${path} at most ${show(value)}`;
    case "oneOf":
      return `with ${path} one of ${show(value)}`;
    default:
      return op satisfies never;
  }
}

function inChinese(grant: GrantDraft, agent: string, now: number | undefined): string {
  const { kind, tool, uses, until, pins, riskTier } = grant;
  const time = now === undefined ? "" : `${spanInChinese(until - now)}内，`;
  const where = kind === "workspace" ? "在本工作区的所有会话中" : "在本次会话中";
  const often = uses === undefined ? "" : `${now === undefined ? "共" : "再"} ${uses} 次`;
  const limits = pins.length === 0 ? "参数不限" : pins.map(pinInChinese).join("，且");
  return `${time}${agent} ${where}可以${often}直接运行 ${tool} 而不再询问：${limits}。风险高于“${wordsIn("zh").risk[riskTier]}”的操作仍会询问。`;
}

function spanInChinese(milliseconds: number): string {
  const minutes = Math.round(milliseconds / MINUTE);
  if (minutes < 120) return `${minutes} 分钟`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `${hours} 小时` : `${Math.round(hours / 24)} 天`;
}

function pinInChinese({ path, op, value }: Pin): string {
  if (path === WHOLE) return "参数与本次操作完全相同";
  switch (op) {
    case "equals":
      return `${path} 等于 ${show(value)}`;
    case "prefix":
      return `${path} 位于 ${show(value)} 之下（按名称判断，不跟随链接）`;
    case "host":
      return `${path} 的主机是 ${show(value)}`;
    case "max":
      return `${path} 不超过 ${show(value)}`;
    case "oneOf":
      return `${path} 是 ${show(value)} 之一`;
    default:
      return op satisfies never;
  }
}

/** Values come from calls: they are shown like any argument, with nothing invisible left in them. */
function show(value: Pin["value"]): string {
  return escapeText(JSON.stringify(value));
}
