import type { Signal } from "../core/classify.js";
import type { Opinion } from "../core/judge.js";
import type { Policy } from "./policy.js";
import { formatProblem, PolicyError } from "./problem.js";
import { didYouMean } from "./suggest.js";
import type { PolicyTable } from "./test-table.js";
import { type Trial, tryCall } from "./trial.js";

interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  /** What came out otherwise than expected, one sentence each. */
  readonly differences: readonly string[];
  readonly place: PolicyTable["cases"][number]["place"];
  readonly trial: Trial;
}

export interface PolicyTestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly cases: readonly CaseResult[];
  /** Rules that no case matches: nobody has shown what they do. */
  readonly untested: readonly string[];
}

/** Judges every call of a table. A table that names a rule which is not in the policy is refused: it would test nothing. */
export function testPolicy(policy: Policy, table: PolicyTable): PolicyTestResult {
  const ids = policy.rules.map((rule) => rule.id);
  const strangers = table.cases.filter(({ rule }) => rule !== undefined && !ids.includes(rule));
  if (strangers.length > 0) {
    const problems = strangers.map(({ place, rule = "" }) => {
      const suggestion = didYouMean(rule, ids);
      return {
        ...place,
        message: `The policy has no rule "${rule}".`,
        ...(suggestion === undefined ? {} : { suggestion }),
      };
    });
    throw new PolicyError(table.name, problems);
  }
  const cases = table.cases.map((one) => runCase(policy, table, one));
  const touched = cases.flatMap(({ trial }) => [...trial.raising, ...trial.matching]);
  const matched = new Set(touched.filter((look) => look.state === "matched").map((look) => look.rule.id));
  return {
    name: table.name,
    passed: cases.every((result) => result.passed),
    cases,
    untested: ids.filter((id) => !matched.has(id)),
  };
}

const DRIFT: Signal = {
  source: "scope",
  code: "scope_drift",
  riskTier: "R3",
  text: "The call reaches outside the session's scope.",
};

function runCase(policy: Policy, table: PolicyTable, one: PolicyTable["cases"][number]): CaseResult {
  const tool = table.tools.get(one.tool);
  if (tool === undefined)
    throw new PolicyError(table.name, [{ ...one.place, message: `There is no tool "${one.tool}".` }]);
  const { confidence } = one;
  const trial = tryCall(policy, {
    tool,
    args: one.args ?? {},
    caller: one.from,
    at: one.time,
    ...(confidence === undefined ? {} : { confidence }),
    signals: one.outside === true ? [DRIFT] : [],
    opinions: (one.given ?? []).map((step): Opinion => ({ type: "allow", step, rules: [`given:${step}`] })),
  });
  const differences = differencesOf(one, trial);
  return { name: one.name ?? one.tool, passed: differences.length === 0, differences, place: one.place, trial };
}

function differencesOf({ expect, rule, tier }: PolicyTable["cases"][number], trial: Trial): string[] {
  const { verdict, classification, raising } = trial;
  const differences: string[] = [];
  if (verdict.type !== expect) differences.push(`expected ${expect}, got ${verdict.type} (${decidedBy(trial)})`);
  const spoke = [...verdict.rules, ...raising.filter((look) => look.state === "matched").map((look) => look.rule.id)];
  if (rule !== undefined && !spoke.includes(rule))
    differences.push(`expected the rule "${rule}", got ${decidedBy(trial)}`);
  if (tier !== undefined && classification.riskTier !== tier)
    differences.push(`expected ${tier}, got ${classification.riskTier}`);
  return differences;
}

function decidedBy({ verdict }: Trial): string {
  return verdict.rules.length === 0 ? verdict.step : `${verdict.step}: ${verdict.rules.join(", ")}`;
}

/** A line per case, then what failed with its place, then the count. */
export function formatPolicyTest({ name, cases, untested }: PolicyTestResult): string {
  const lines = cases.map(
    (one) => `${one.passed ? "✓" : "✗"} ${one.name}: ${one.trial.verdict.type} (${decidedBy(one.trial)})`,
  );
  for (const { passed, place, name: title, differences } of cases) {
    if (!passed) lines.push(formatProblem(name, { ...place, path: title, message: `${differences.join("; ")}.` }));
  }
  if (untested.length > 0) lines.push(`No case matches: ${untested.join(", ")}`);
  const failed = cases.filter((one) => !one.passed).length;
  lines.push(`${cases.length - failed} of ${cases.length} cases passed`);
  return lines.join("\n");
}
