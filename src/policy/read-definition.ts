import { RISK_TIERS, type RiskTier } from "../core/risk.js";
import {
  type Approvers,
  BUDGET_OWNERS,
  BUDGET_UNITS,
  type Budget,
  type ChannelTiers,
  type Defaults,
  type PolicyDefinition,
  RULE_EFFECTS,
  type Rule,
  STEP_UPS,
  type Thresholds,
} from "./definition.js";
import type { Located } from "./located.js";
import type { Place, Problems } from "./problem.js";
import { duration, flag, list, map, number, oneOf, type Shape, text } from "./shape.js";

/** A rule as it was written, with the places that later findings point to. */
export interface WrittenRule {
  readonly rule: Rule<number>;
  readonly place: Place;
  readonly when: (offset: number) => Place;
}

/** The form of a policy: its keys and their types. What the conditions say is checked later. */
export function readDefinition(
  root: Located,
  problems: Problems,
): { readonly definition: PolicyDefinition<number>; readonly rules: readonly WrittenRule[] } | undefined {
  const rules: WrittenRule[] = [];
  const keepRule: Shape<Rule<number>> = (node, found) => {
    const before = found.found.length;
    const rule = ruleShape(node, found);
    if (rule?.id === undefined || rule.when === undefined) return undefined;
    // A key that was misread is missing here, and would be reported a second time.
    if (found.found.length === before) checkTogether(rule, node, found);
    if (rules.some((other) => other.rule.id === rule.id))
      found.add(
        entryOf(node, "id") ?? node,
        `The id "${rule.id}" is taken by an earlier rule.`,
        "Give each rule its own.",
      );
    const when = entryOf(node, "when");
    rules.push({ rule, place: node, when: when?.kind === "scalar" ? when.inside : () => node });
    return rule;
  };
  const shape = map<PolicyDefinition<number>>(
    { version: formatVersion, defaults: defaultsShape, channels, rules: list(keepRule, "rules") },
    ["version", "rules"],
  );
  const definition = shape(root, problems);
  return definition === undefined ? undefined : { definition, rules };
}

const formatVersion: Shape<1> = (node, problems) => {
  if (node.kind === "scalar" && node.value === 1) return 1;
  problems.add(node, "This version of the format is not known.", "Write version: 1.");
  return undefined;
};

/** Ids are shown, logged and used in test tables, so they are words. */
const id: Shape<string> = (node, problems) => {
  const value = text(node, problems);
  if (value === undefined || /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(value)) return value;
  problems.add(node, `"${value}" cannot be an id.`, "Take letters, digits, dots, dashes and underscores, 64 at most.");
  return undefined;
};

const when: Shape<string | true> = (node, problems) =>
  node.kind === "scalar" && node.value === true ? true : text(node, problems);

/** Unlike other lists this one may be empty: "nothing is approved there" is a thing to say. */
const tiers: Shape<readonly RiskTier[]> = (node, problems) =>
  node.kind === "list" && node.items.length === 0 ? [] : list(oneOf(RISK_TIERS), "tiers")(node, problems);

const channels = map<ChannelTiers>({ feishu: tiers, dingtalk: tiers, slack: tiers, telegram: tiers }, []);

const amount = number("a number above 0", (value) => value > 0);
const names = list(text, "names");

const approvers = map<Approvers>(
  {
    count: number("a whole number from 1 to 20", (value) => Number.isInteger(value) && value >= 1 && value <= 20),
    roles: names,
    groups: names,
    persons: names,
    notRequester: flag,
  },
  [],
);

const budget = map<Budget<number>>(
  { limit: amount, per: oneOf(BUDGET_OWNERS), of: oneOf(BUDGET_UNITS), window: duration },
  ["limit", "per"],
);

const ruleShape = map<Rule<number>>(
  {
    id,
    when,
    effect: oneOf(RULE_EFFECTS),
    always: flag,
    reason: text,
    raise: oneOf(RISK_TIERS),
    ttl: duration,
    approvers,
    stepUp: oneOf(STEP_UPS),
    budget,
  },
  ["id", "when"],
);

/** Only the formatter knows the zones, and it tells by throwing. */
function isTimezone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const timezone: Shape<string> = (node, problems) => {
  const zone = text(node, problems);
  if (zone === undefined) return undefined;
  if (isTimezone(zone)) return zone;
  problems.add(node, `"${zone}" is no time zone.`, 'Write its IANA name, for example "Europe/Berlin".');
  return undefined;
};

const defaultsShape = map<Defaults<number>>(
  {
    ttl: duration,
    offlineTtl: duration,
    timezone,
    scope: map<NonNullable<Defaults["scope"]>>({ paths: names, domains: names }, []),
    thresholds: map<Thresholds>(
      {
        confidence: number("a number from 0 to 1", (value) => value >= 0 && value <= 1),
        cost: amount,
        rows: amount,
        bytes: amount,
      },
      [],
    ),
  },
  [],
);

/** Keys that mean nothing beside the others: whoever wrote them expects something that would not happen. */
function checkTogether(rule: Rule<number>, node: Located, problems: Problems): void {
  const { effect } = rule;
  const at = (key: string): Place => entryOf(node, key) ?? node;
  if (effect === undefined && rule.raise === undefined && rule.budget === undefined)
    problems.add(node, "The rule does nothing.", "Give it an effect, a raise or a budget.");
  for (const key of ["always", "ttl", "approvers", "stepUp"] as const) {
    if (rule[key] !== undefined && effect !== "confirm")
      problems.add(
        at(key),
        `"${key}" is about a question, and this rule does not ask one.`,
        "Use it with effect: confirm.",
      );
  }
  if (rule.raise !== undefined && (effect === "deny" || effect === "allow"))
    problems.add(
      at("raise"),
      `A call that is ${effect === "deny" ? "denied" : "allowed"} is not raised.`,
      "Make it two rules, or use effect: confirm.",
    );
  if (rule.raise === "R0") problems.add(at("raise"), "Every call is R0 at least, so this raises nothing.");
  if (rule.budget !== undefined && effect === "deny") problems.add(at("budget"), "What is denied spends nothing.");
  if (rule.budget !== undefined && rule.budget.window === undefined && rule.budget.per !== "session")
    problems.add(
      at("budget"),
      "A budget that is not per session needs a window.",
      'Add one, for example window: "1d".',
    );
  const { count = 1, persons, roles, groups } = rule.approvers ?? {};
  if (persons !== undefined && roles === undefined && groups === undefined && new Set(persons).size < count)
    problems.add(
      at("approvers"),
      `${count} approvers are wanted and ${persons.length} named: nobody could ever approve.`,
    );
}

function entryOf(node: Located, key: string): Located | undefined {
  return node.kind === "map" ? node.entries.find((entry) => entry.key === key)?.value : undefined;
}
