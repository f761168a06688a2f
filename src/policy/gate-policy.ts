import { resolve } from "node:path";
import type { GatePolicy } from "../core/gate-policy.js";
import type { Budget } from "../core/judging/budgets.js";
import type { Defaults } from "./definition.js";
import type { Look, Policy } from "./policy.js";
import { policyAnalyser, policySource } from "./source.js";

/**
 * Everything that a policy says, for a gate: `createGate({ store, tools, ...gatePolicy(policy) })`. Given as a function, such as
 * `watchPolicy(…).current`, it is asked for at every call: a reload takes effect at once, and what was judged under the rules
 * before it is judged again when it is claimed. `now` is the clock of the conditions that speak of time.
 */
export function gatePolicy(
  policy: Policy | (() => Policy),
  now: () => number = Date.now,
): { readonly policy: GatePolicy } {
  const current = typeof policy === "function" ? policy : () => policy;
  return {
    policy: {
      version: () => current().version,
      source: policySource(current, now),
      analyser: policyAnalyser(current, now),
      budgets: ({ tool, args, call, caller }) =>
        budgetsOf(current().counting({ tool, args, caller, confidence: call.confidence }, now())),
      scope: () => scopeOf(current().defaults),
      thresholds: () => current().defaults.thresholds ?? {},
      times: () => timesOf(current().defaults),
    },
  };
}

/** A rule that failed may have matched, so that it counts; it asks a person besides. */
function budgetsOf(looks: readonly Look[]): Budget[] {
  return looks.flatMap(({ rule: { id, budget } }) => (budget === undefined ? [] : [{ id, ...budget }]));
}

/** Paths are written as people write them; a gate compares absolute ones. */
function scopeOf({ scope }: Defaults<number>): Defaults["scope"] {
  return scope?.paths === undefined ? scope : { ...scope, paths: scope.paths.map((path) => resolve(path)) };
}

function timesOf({ ttl, offlineTtl }: Defaults<number>): ReturnType<GatePolicy["times"]> {
  return { ...(ttl === undefined ? {} : { ttl }), ...(offlineTtl === undefined ? {} : { offlineTtl }) };
}
