import type { Assurance } from "./approval.js";
import type { Classification } from "./classify.js";
import { CountersignError } from "./errors.js";
import type { Change } from "./ports.js";
import { bothRequired } from "./requirement.js";
import { atLeast } from "./risk.js";
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
  /** What a yes has to prove at least. */
  readonly assurance?: Assurance;
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
/** What is found out about this very call. The tool's author could not know it when writing `confirm: false`. */
const FOUND_NOW: readonly string[] = ["preview", "analyser", "threshold", "scope"];

/** Pure: the same question and opinions give the same verdict. A malformed opinion asks a person instead of being skipped. */
export function judge(question: Question, opinions: readonly Opinion[] = []): Verdict {
  const all = opinions.map(wellFormed);
  const heard = takesSeveral(all) ? all.filter(({ type, step }) => step !== "grant" || type !== "allow") : all;
  for (const step of PRECEDENCE) {
    const own = ownOpinion(step, question);
    const said = heard.length === 0 ? heard : heard.filter((opinion) => opinion.step === step);
    const verdict = said.length === 0 ? own : strictest(own === undefined ? said : [...said, own]);
    if (verdict !== undefined) return verdict.type === "confirm" ? withRequirements(verdict, heard) : verdict;
  }
  throw new CountersignError("policy_denied", "No step gave a verdict; the tier default always should.");
}

/** Sources are other people's code: what is not an opinion at a known step asks, where no grant or mode can spare it. */
function wellFormed(opinion: Opinion): Opinion {
  const known = PRECEDENCE.find((step) => step === opinion?.step);
  if (known === undefined) {
    return { type: "confirm", step: "always_confirm", rules: [], reason: "An opinion has no known step." };
  }
  const rules = Array.isArray(opinion.rules) ? opinion.rules : [];
  if (TYPES.includes(opinion.type)) return { ...opinion, rules };
  return { type: "confirm", step: known, rules, reason: "An opinion is not a verdict, so a person is asked." };
}

/** A grant is one person's word: it does not spare a question that takes several, or a number that is none. */
function takesSeveral(opinions: readonly Opinion[]): boolean {
  return !((requiredBy(opinions).quorum ?? 1) <= 1);
}

function strictest(said: readonly Opinion[]): Verdict | undefined {
  return said.find((o) => o.type === "deny") ?? said.find((o) => o.type === "confirm") ?? said[0];
}

/**
 * Which step asks does not change what the answer needs: two approvers wanted by a rule are still wanted when the floor or a
 * setting asks first. Whoever adds to the requirement is named among the rules.
 */
function withRequirements(verdict: Verdict, opinions: readonly Opinion[]): Verdict {
  const others = opinions.filter(
    (opinion) =>
      opinion.type === "confirm" && opinion.requirement !== undefined && opinion.requirement !== verdict.requirement,
  );
  if (others.length === 0) return verdict;
  const requirement = requiredBy(others, verdict.requirement);
  const rules = [...new Set([...verdict.rules, ...others.flatMap((other) => other.rules)])];
  const reason = verdict.reason ?? others.find((other) => other.reason !== undefined)?.reason;
  return { ...verdict, rules, requirement, ...(reason === undefined ? {} : { reason }) };
}

/** What all who ask need together, with what is needed besides. */
export function requiredBy(opinions: readonly Opinion[], besides: Requirement = {}): Requirement {
  return opinions
    .filter((opinion) => opinion?.type === "confirm")
    .reduce((sum, { requirement }) => bothRequired(sum, requirement ?? {}), besides);
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
  if (tool?.confirm === undefined) return undefined;
  if (asks(tool, args)) return { type: "confirm", step: "tool_default", rules: [] };
  // A tool that need not ask still asks when its caller is unsure, or when this call turns out to be more than it said.
  const raised = classification.reasons.some(
    ({ source, riskTier }) => FOUND_NOW.includes(source) && atLeast(riskTier, "R3"),
  );
  return classification.lowConfidence || raised ? undefined : { type: "allow", step: "tool_default", rules: [] };
}

/** Only a clear `false` spares the question. */
function asks({ confirm }: AnyTool, args: unknown): boolean {
  try {
    return (typeof confirm === "function" ? confirm(args) : confirm) !== false;
  } catch {
    return true;
  }
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
