import type { ASTNode } from "@marcbachmann/cel-js";
import { conjunctsOf, nameOf } from "./ast.js";
import type { Condition } from "./condition.js";
import type { Rule } from "./definition.js";
import { AFTER_CLASSIFICATION } from "./facts.js";
import { loadCel } from "./packages.js";
import type { Place, Problems } from "./problem.js";

/** A rule whose condition is ready to run. */
export interface CompiledRule {
  readonly rule: Rule<number>;
  readonly condition: Condition;
  readonly place: Place;
}

/**
 * Finds rules that can never matter. Whoever wrote one believes in a protection, or in a permission, that is not there. Only
 * what is certain is reported: conditions that are constant, that contradict themselves, or that another rule always outranks.
 */
export function checkReach(rules: readonly CompiledRule[], problems: Problems): void {
  const read = rules.map((rule) => ({ ...rule, parts: partsOf(rule.condition.ast), rank: rankOf(rule.rule) }));
  read.forEach((one, at) => {
    const why = neverMatches(one) ?? floored(one) ?? circular(one);
    if (why !== undefined) return problems.add(one.place, `The rule "${one.rule.id}" can never matter: ${why}`);
    const master = read.find((other, position) => other !== one && outranks(other, one, position < at));
    if (master !== undefined) {
      problems.add(
        one.place,
        `The rule "${one.rule.id}" can never matter: whatever it matches, "${master.rule.id}" matches too and decides.`,
        "Remove it, or narrow the other one.",
      );
    }
  });
}

interface ReadRule extends CompiledRule {
  /** The parts that all have to be true, as text. */
  readonly parts: ReadonlySet<string>;
  readonly rank: number;
}

function partsOf(ast: ASTNode): ReadonlySet<string> {
  const { serialize } = loadCel();
  return new Set(
    conjunctsOf(ast)
      .filter((part) => part.op !== "value" || part.args !== true)
      .map(serialize),
  );
}

/** In the order of the precedence: what ranks higher decides. */
function rankOf({ effect, always }: Rule<number>): number {
  if (effect === undefined) return -1;
  return effect === "deny" ? 3 : effect === "allow" ? 0 : always ? 2 : 1;
}

function neverMatches({ condition }: ReadRule): string | undefined {
  if (condition.fields.size === 0) {
    try {
      return condition.matches({}) ? undefined : "its condition is always false.";
    } catch {
      return "its condition fails on every call.";
    }
  }
  const known = new Map<string, unknown>();
  for (const part of conjunctsOf(condition.ast)) {
    if (part.op !== "==") continue;
    const [left, right] = part.args;
    const [side, literal] = left.op === "value" ? [right, left] : [left, right];
    const name = nameOf(side);
    if (name === undefined || literal.op !== "value") continue;
    if (known.has(name) && known.get(name) !== literal.args) return `${name} cannot be two things at once.`;
    known.set(name, literal.args);
  }
  return undefined;
}

/** Nothing allows R4 by rule. */
function floored({ rule, condition }: ReadRule): string | undefined {
  if (rule.effect !== "allow") return undefined;
  const onlyR4 = conjunctsOf(condition.ast).some((part) => {
    if (part.op !== "==" && part.op !== ">=" && part.op !== ">") return false;
    const [left, right] = part.args;
    const floor = part.op === ">" ? "R3" : "R4";
    return nameOf(left) === "riskTier" && right.op === "value" && right.args === floor;
  });
  return onlyR4 ? "R4 always asks; no rule can allow it." : undefined;
}

function circular({ rule, condition }: ReadRule): string | undefined {
  const field = AFTER_CLASSIFICATION.find((name) => condition.fields.has(name));
  if (field === undefined) return undefined;
  if (rule.raise !== undefined)
    return `it raises the tier and looks at ${field}, which is known only after raising. Make it two rules.`;
  // A budget that is used up raises the call itself.
  return rule.budget === undefined
    ? undefined
    : `it has a budget and looks at ${field}, which is known only after counting. Make it two rules.`;
}

/** Whether `other` matches whenever `one` does, and leaves it nothing to say. */
function outranks(other: ReadRule, one: ReadRule, earlier: boolean): boolean {
  if (other.rank < one.rank || (other.rank === one.rank && !earlier) || other.rank < 0) return false;
  if (other.parts.size > one.parts.size) return false;
  const { raise, budget, approvers, ttl, stepUp } = one.rule;
  const saysMore = [raise, budget, approvers, ttl, stepUp].some((value) => value !== undefined);
  if (saysMore && other.rule.effect !== "deny") return false;
  for (const part of other.parts) if (!one.parts.has(part)) return false;
  return true;
}
