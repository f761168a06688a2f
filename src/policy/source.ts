import type { Signal } from "../core/classify.js";
import type { Analyser, Source } from "../core/engine.js";
import type { JsonObject } from "../core/json.js";
import type { Opinion, Requirement, Step } from "../core/judge.js";
import { bothRequired } from "../core/requirement.js";
import type { Rule } from "./definition.js";
import type { Look, Policy } from "./policy.js";

/** Marks the signals that came from a policy's `raise`. */
export const RAISE_CODES: readonly string[] = ["rule_raise", "rule_failed"];

/** Lets a policy speak at its steps of the precedence. It is asked for at every call, so that a reload takes effect at once. */
export function policySource(policy: () => Policy, now: () => number = Date.now): Source {
  return async ({ tool, args, classification, call, caller }) => {
    // A tool that nobody knows cannot be looked at; the gate refuses it anyway.
    if (tool === undefined) throw new Error("A policy judges calls of known tools.");
    const subject = { tool, args: args as JsonObject, caller, confidence: call.confidence };
    return opinionsOf(policy().matching(subject, classification, now()));
  };
}

/** Lets a policy's `raise` act as a signal of classification. */
export function policyAnalyser(policy: () => Policy, now: () => number = Date.now): Analyser {
  return async ({ tool, args, call, caller }) =>
    signalsOf(policy().raising({ tool, args, caller, confidence: call.confidence }, now()));
}

/** One opinion per step. All rules that match are named; the first with a reason gives it; no requirement is lost. */
export function opinionsOf(looks: readonly Look[]): Opinion[] {
  const matched = looks.filter((look) => look.state === "matched").map((look) => look.rule);
  const failed = looks.filter((look) => look.state === "failed").map((look) => look.rule);
  const opinions = [
    opinion(
      "deny",
      "deny_rule",
      matched.filter((rule) => rule.effect === "deny"),
    ),
    opinion(
      "confirm",
      "always_confirm",
      [...matched.filter((rule) => rule.effect === "confirm" && rule.always), ...failed],
      failed,
    ),
    opinion(
      "confirm",
      "confirm_rule",
      matched.filter((rule) => rule.effect === "confirm" && !rule.always),
    ),
    opinion(
      "allow",
      "allow_rule",
      matched.filter((rule) => rule.effect === "allow"),
    ),
  ];
  return opinions.filter((said) => said !== undefined);
}

function opinion(
  type: Opinion["type"],
  step: Step,
  rules: readonly Rule<number>[],
  failed: readonly Rule<number>[] = [],
): Opinion | undefined {
  if (rules.length === 0) return undefined;
  const spoke = rules.find((rule) => rule.reason !== undefined && !failed.includes(rule));
  const broken = failed[0] && `The rule "${failed[0].id}" could not be evaluated on this call, so a person is asked.`;
  const reason = spoke?.reason ?? broken;
  const requirement = type === "confirm" ? requirementOf(rules) : undefined;
  return {
    type,
    step,
    rules: rules.map((rule) => rule.id),
    ...(reason === undefined ? {} : { reason }),
    ...(requirement === undefined ? {} : { requirement }),
  };
}

function requirementOf(rules: readonly Rule<number>[]): Requirement | undefined {
  const asksMore = ({ approvers, ttl, stepUp }: Rule<number>) => approvers ?? ttl ?? stepUp;
  const wanted = rules.filter((rule) => asksMore(rule) !== undefined).map(toRequirement);
  return wanted.length === 0 ? undefined : wanted.reduce(bothRequired);
}

function toRequirement({ approvers: { count, ...named } = {}, ttl, stepUp }: Rule<number>): Requirement {
  return {
    ...named,
    ...(count === undefined ? {} : { quorum: count }),
    ...(ttl === undefined ? {} : { ttl }),
    ...(stepUp === undefined ? {} : { assurance: stepUp }),
  };
}

export function signalsOf(looks: readonly Look[]): Signal[] {
  return looks.map(({ rule: { id, raise, reason }, state }) =>
    state === "matched"
      ? {
          source: "threshold",
          code: "rule_raise",
          riskTier: raise ?? "R4",
          text: reason ?? `The rule "${id}" raises this to ${raise}.`,
        }
      : {
          source: "threshold",
          code: "rule_failed",
          riskTier: "R4",
          text: `The rule "${id}" could not be evaluated on this call.`,
          fragment: id,
        },
  );
}
