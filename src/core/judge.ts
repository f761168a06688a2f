import type { Classification } from "./classify.js";
import { CountersignError } from "./errors.js";
import type { Change } from "./ports.js";
import type { AnyTool } from "./tool.js";

/**
 * Who may speak, strictest first: the first step that has an opinion decides. Everything that can ask, spare or refuse a
 * question has its one place in this list.
 */
export const PRECEDENCE = [
  "deny_rule",
  "remembered_denial",
  "always_confirm",
  "tier_floor",
  "grant",
  "confirm_rule",
  "mode",
  "allow_rule",
  "tool_setting",
  "app_setting",
  "tool_default",
  "tier_default",
] as const;
export type Step = (typeof PRECEDENCE)[number];

/** What a confirmation needs beyond one person of the default audience. */
export interface Requirement {
  readonly quorum?: number;
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly persons?: readonly string[];
  readonly notRequester?: boolean;
  readonly ttl?: number;
}

export interface Verdict {
  readonly type: "allow" | "confirm" | "deny";
  readonly step: Step;
  /** Ids of the rules, grants or settings that decided. */
  readonly rules: readonly string[];
  readonly reason?: string;
  readonly requirement?: Requirement;
  /** With `allow`: taken in the commit that starts the call. What does not fit is judged again, without this allowance. */
  readonly counts?: Change["counts"];
  /** With `allow`: it holds for what starts before this time. */
  readonly until?: number;
}

/** One source's say: policy rules, grants, settings and remembered denials each speak at their own step. */
export type Opinion = Verdict;

export interface Question {
  readonly tool: AnyTool | undefined;
  readonly args: unknown;
  readonly classification: Classification;
}

const TYPES: readonly unknown[] = ["allow", "confirm", "deny"];

/** Pure: the same question and opinions give the same verdict. A malformed opinion asks a person instead of being skipped. */
export function judge(question: Question, opinions: readonly Opinion[] = []): Verdict {
  for (const step of PRECEDENCE) {
    const said = opinions.filter((opinion) => opinion.step === step);
    const verdict = strictest(said) ?? ownOpinion(step, question);
    if (verdict !== undefined) return verdict;
  }
  throw new CountersignError("policy_denied", "No step gave a verdict; the tier default always should.");
}

function strictest(said: readonly Opinion[]): Verdict | undefined {
  const broken = said.find((opinion) => !TYPES.includes(opinion.type));
  if (broken)
    return { ...broken, type: "confirm", reason: `"${String(broken.type)}" is not a verdict, so a person is asked.` };
  return said.find((o) => o.type === "deny") ?? said.find((o) => o.type === "confirm") ?? said[0];
}

/** The steps that need nothing but the question. */
function ownOpinion(step: Step, question: Question): Verdict | undefined {
  switch (step) {
    case "tier_floor":
      return question.classification.riskTier === "R4" ? { type: "confirm", step, rules: [] } : undefined;
    case "tool_default":
      return toolDefault(question);
    case "tier_default":
      return { type: tierDefault(question.classification), step, rules: [] };
    default:
      return undefined;
  }
}

function toolDefault({ tool, args, classification }: Question): Verdict | undefined {
  const asks = typeof tool?.confirm === "function" ? tool.confirm(args) : tool?.confirm;
  if (asks === undefined) return undefined;
  if (asks !== false) return { type: "confirm", step: "tool_default", rules: [] };
  // Confidence only ever adds a question: a tool that need not ask still asks when its caller is unsure.
  return classification.lowConfidence ? undefined : { type: "allow", step: "tool_default", rules: [] };
}

function tierDefault({ riskTier, effect, confident }: Classification): "allow" | "confirm" {
  switch (riskTier) {
    case "R0":
    case "R1":
      return "allow";
    case "R2":
      return effect === "read" || confident ? "allow" : "confirm";
    case "R3":
    case "R4":
      return "confirm";
    default:
      return riskTier satisfies never;
  }
}
