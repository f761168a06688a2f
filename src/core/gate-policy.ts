import type { Analyser, Engine, Limits, Source } from "./engine.js";
import type { Budget, Spending, Thresholds } from "./judging/budgets.js";
import type { Scope } from "./judging/scope.js";

/** All that a gate needs of a policy. Each part is asked for at every call, so that a reload takes effect at once. */
export interface GatePolicy {
  /** Names the rules in force. What was judged under another one is judged again before it starts. */
  readonly version: () => string;
  readonly source: Source;
  readonly analyser: Analyser;
  readonly budgets: (spending: Spending) => readonly Budget[];
  readonly scope: () => Scope | undefined;
  readonly thresholds: () => Thresholds;
  readonly times: () => Partial<Pick<Limits, "ttl" | "offlineTtl">>;
}

/** What decides whether a call asks, as the host says it and as a policy does. */
export interface JudgingOptions {
  /** Adds to what else is given here, and is replaced by none of it. */
  readonly policy?: GatePolicy;
  readonly analysers?: readonly Analyser[];
  readonly sources?: readonly Source[];
  /** What one call may reach before a person is asked; as a function, so that it can change. */
  readonly thresholds?: Thresholds | (() => Thresholds | undefined);
  /** What calls may reach together before a person is asked. */
  readonly budgets?: readonly Budget[] | Engine["budgets"];
  readonly scope?: Engine["scope"];
  readonly policyVersion?: Engine["policyVersion"];
}

type Judging = Pick<
  Engine,
  "analysers" | "sources" | "thresholds" | "budgets" | "scope" | "policyVersion" | "defaultTimes"
>;

/** Joins the host's word and the policy's: lists add up, and of two thresholds the stricter one holds. */
export function judgingOf(options: JudgingOptions, limits: Limits): Judging {
  const { policy, analysers = [], sources = [], scope, policyVersion } = options;
  const thresholds = thresholdsOf(options.thresholds);
  const budgets = budgetsOf(options.budgets);
  if (policy === undefined) {
    return { analysers, sources, thresholds, budgets, scope, policyVersion, defaultTimes: () => limits };
  }
  return {
    analysers: [...analysers, policy.analyser],
    sources: [...sources, policy.source],
    thresholds: () => stricter(thresholds(), policy.thresholds()),
    budgets: (spending) => [...budgets(spending), ...policy.budgets(spending)],
    scope: (caller) => (typeof scope === "function" ? scope(caller) : scope) ?? policy.scope(),
    policyVersion: () => (policyVersion === undefined ? policy.version() : `${policyVersion()}/${policy.version()}`),
    defaultTimes: () => ({ ttl: limits.ttl, offlineTtl: limits.offlineTtl, ...policy.times() }),
  };
}

function thresholdsOf(given: JudgingOptions["thresholds"] = {}): Engine["thresholds"] {
  return typeof given === "function" ? () => given() ?? {} : () => given;
}

function budgetsOf(given: JudgingOptions["budgets"] = []): Engine["budgets"] {
  return typeof given === "function" ? given : () => given;
}

/** Less confidence asked for is weaker; more of anything else is. */
function stricter(one: Thresholds, other: Thresholds): Thresholds {
  const both = { ...one, ...other };
  const kept = Object.keys(both).flatMap((key) => {
    const unit = key as keyof Thresholds;
    const said = [one[unit], other[unit]].filter((value) => value !== undefined);
    // The largest of nothing would be less than any confidence.
    return said.length === 0 ? [] : [[unit, unit === "confidence" ? Math.max(...said) : Math.min(...said)]];
  });
  return Object.fromEntries(kept) as Thresholds;
}
