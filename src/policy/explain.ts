import type { Signal } from "../core/classify.js";
import { type Opinion, PRECEDENCE, type Step, type Verdict } from "../core/judge.js";
import type { Rule } from "./definition.js";
import type { Policy } from "./policy.js";
import { type TriedCall, tryCall } from "./trial.js";

/** How a verdict came about: every signal, every rule in order, every step of the precedence. */
export interface Explanation {
  readonly policy: string;
  readonly tool: string;
  readonly riskTier: string;
  /** Highest first. */
  readonly signals: readonly Signal[];
  readonly rules: readonly {
    readonly rule: Rule<number>;
    readonly state: "matched" | "failed" | "no match";
    readonly why?: string;
    /** Whether it is among those that decided. */
    readonly decided: boolean;
  }[];
  readonly steps: readonly { readonly step: Step; readonly said: readonly Opinion[]; readonly decided: boolean }[];
  readonly verdict: Verdict;
}

/** Without a policy only the tool, its tier and the given opinions speak. */
export function explain(policy: Policy | undefined, call: TriedCall): Explanation {
  const { classification, raising, matching, opinions, verdict } = tryCall(policy, call);
  const looks = [...matching, ...raising];
  return {
    policy: policy === undefined ? "no policy" : `${policy.name} (version ${policy.version.slice(0, 12)})`,
    tool: call.tool.name,
    riskTier: classification.riskTier,
    signals: classification.reasons,
    rules: (policy?.rules ?? []).map((rule) => {
      const look = looks.find((one) => one.rule.id === rule.id);
      return {
        rule,
        state: look?.state ?? "no match",
        ...(look?.why === undefined ? {} : { why: look.why }),
        decided: verdict.rules.includes(rule.id),
      };
    }),
    steps: PRECEDENCE.map((step) => ({
      step,
      // The floor and the defaults speak from the question itself; they are seen when they decide.
      said: step === verdict.step ? [verdict] : opinions.filter((opinion) => opinion.step === step),
      decided: step === verdict.step,
    })),
    verdict,
  };
}

/** Plain text, the deciding lines marked with an arrow. */
export function formatExplanation({ policy, tool, riskTier, signals, rules, steps, verdict }: Explanation): string {
  const mark = (decided: boolean) => (decided ? "→" : " ");
  return [
    `${tool} under ${policy}`,
    "",
    `Signals (${riskTier})`,
    ...signals.map((signal) => `  ${signal.riskTier} ${signal.source}: ${signal.text}`),
    ...(signals.length === 0 ? ["  none"] : []),
    "",
    "Rules, in order",
    ...rules.map(({ rule, state, why, decided }) => {
      const does = [
        rule.effect,
        rule.always ? "always" : undefined,
        rule.raise && `raise ${rule.raise}`,
        rule.budget && "budget",
      ];
      return `${mark(decided)} ${rule.id}: ${state}${why === undefined ? "" : ` (${why})`} [${does.filter(Boolean).join(", ")}]`;
    }),
    "",
    "Precedence, strictest first",
    ...steps.map(({ step, said, decided }) => `${mark(decided)} ${step}: ${said.map(saying).join("; ") || "–"}`),
    "",
    `Verdict: ${verdict.type}${verdict.reason === undefined ? "" : `. ${verdict.reason}`}`,
    ...(verdict.requirement === undefined ? [] : [`Needs: ${JSON.stringify(verdict.requirement)}`]),
  ].join("\n");
}

function saying({ type, rules }: Opinion): string {
  return rules.length === 0 ? type : `${type} (${rules.join(", ")})`;
}
