import type { Caller, ToolCall } from "../call.js";
import type { Signal } from "../classify.js";
import { sha256Base64 } from "../ids.js";
import type { JsonObject } from "../json.js";
import type { Opinion } from "../judge.js";
import type { Change } from "../ports.js";
import type { AnyTool, Preview } from "../tool.js";

export type Counts = NonNullable<Change["counts"]>;

/** What one call may reach before a person is asked. */
export interface Thresholds {
  /** Writes stated with less confidence ask, unless their tool or the person sets another threshold. */
  readonly confidence?: number;
  readonly cost?: number;
  /** Things the tool's preview says it would touch. */
  readonly rows?: number;
  /** Of output, by the tool's own estimate; a larger real output is withheld. */
  readonly bytes?: number;
}

/**
 * What calls may reach together before a person is asked: so much per session, person, tool or workspace in each window of so
 * many milliseconds, or for ever. Windows stand side by side; they do not slide.
 */
export interface Budget {
  readonly id: string;
  readonly limit: number;
  readonly per: "session" | "user" | "tool" | "workspace";
  readonly of?: "calls" | "cost" | "rows" | "bytes";
  readonly window?: number;
}

/** A call as budgets see it. */
export interface Spending {
  readonly tool: AnyTool;
  readonly args: JsonObject;
  readonly call: ToolCall;
  readonly caller: Caller;
  readonly preview?: Preview;
}

/** Counters hold whole numbers; costs are counted in thousandths, rounded up. */
const COST_UNIT = 1_000;

export function thresholdSignals(spending: Spending, thresholds: Thresholds): Signal[] {
  const passed = (["cost", "rows", "bytes"] as const).flatMap((unit) => {
    const limit = thresholds[unit];
    const amount = limit === undefined ? undefined : amountOf(spending, unit);
    return limit !== undefined && amount !== undefined && amount > limit ? [{ unit, amount, limit }] : [];
  });
  return passed.map(({ unit, amount, limit }) => ({
    source: "threshold",
    code: `${unit}_threshold`,
    riskTier: "R3",
    text: `${WORDS[unit]} is ${amount}; above ${limit} a person is asked.`,
    fragment: String(amount),
  }));
}

const WORDS = { cost: "The cost", rows: "The number of things touched", bytes: "The size of the output in bytes" };

/** What the tool says this call takes of a unit; undefined when it does not say. A word that is no amount throws: it asks. */
export function amountOf({ tool, args, preview }: Spending, unit: NonNullable<Budget["of"]>): number | undefined {
  switch (unit) {
    case "calls":
      return 1;
    case "cost":
      return declared(tool.cost, args);
    case "bytes":
      return declared(tool.outputSize, args);
    case "rows":
      return preview?.effects.reduce((sum, effect) => sum + checkAmount(effect.count), 0);
    default:
      return unit satisfies never;
  }
}

function declared(value: AnyTool["cost"], args: JsonObject): number | undefined {
  const amount = typeof value === "function" ? value(args) : value;
  return amount === undefined ? undefined : checkAmount(amount);
}

function checkAmount(amount: unknown): number {
  if (typeof amount === "number" && amount >= 0 && amount <= Number.MAX_SAFE_INTEGER / COST_UNIT) return amount;
  throw new Error("not an amount");
}

/** What a call takes from its budgets, and what they say to it. */
export interface Spent {
  /** To be reserved in the commit that starts the call. With `max`, the store refuses what does not fit. */
  readonly counts: Counts;
  readonly signals: readonly Signal[];
  readonly opinions: readonly Opinion[];
}

/**
 * `exhausted` are the counters that the store refused a moment ago: their budgets ask a person, at the step that no grant or mode
 * spares, because a budget that a grant could pass would be none.
 */
export function spend(
  spending: Spending,
  budgets: readonly Budget[],
  now: number,
  exhausted: ReadonlySet<string> = new Set(),
): Spent {
  const counts: Counts[number][] = [];
  const asking: { readonly budget: Budget; readonly why: string }[] = [];
  for (const budget of budgets) {
    const { limit, of = "calls", id } = budget;
    const amount = amountOf(spending, of);
    if (amount === undefined) {
      // Nobody knows how much a write touches that does not say so. Undeclared costs and sizes are none.
      if (of === "rows" && spending.tool.effect === "write")
        asking.push({ budget, why: `Nobody can tell how much this takes of the budget "${id}".` });
      continue;
    }
    const count = countOf(spending, budget, amount, now);
    if (count.add === 0) continue;
    if (exhausted.has(count.key) || count.add > (count.max ?? 0))
      asking.push({ budget, why: `The budget "${id}" of ${limit} ${of} per ${budget.per} is used up.` });
    else counts.push(count);
  }
  return {
    counts: eachOnce(counts),
    signals: asking.map(({ why, budget: { id } }) => ({
      source: "threshold",
      code: "budget_exhausted",
      riskTier: "R3",
      text: why,
      fragment: id,
    })),
    opinions: asking.map(({ budget, why }) => ({
      type: "confirm",
      step: "always_confirm",
      rules: [`budget:${budget.id}`],
      reason: why,
    })),
  };
}

/** A person said yes, so no maximum holds any more; the call still counts. */
export function countsOfApproved(spending: Spending, budgets: readonly Budget[], now: number): Counts {
  const counts = budgets.flatMap((budget) => {
    const amount = amountOf(spending, budget.of ?? "calls");
    if (amount === undefined || amount === 0) return [];
    const { max: _max, ...count } = countOf(spending, budget, amount, now);
    return [count];
  });
  return eachOnce(counts);
}

/** The host's budget and the policy's may have one id, and then count together: the smaller limit holds. */
function eachOnce(counts: Counts): Counts {
  const smallest = new Map<string, Counts[number]>();
  for (const count of counts) {
    const known = smallest.get(count.key);
    if (known === undefined || (count.max ?? 0) < (known.max ?? 0)) smallest.set(count.key, count);
  }
  return [...smallest.values()];
}

function countOf(spending: Spending, budget: Budget, amount: number, now: number): Counts[number] {
  const { id, per, of = "calls", window, limit } = budget;
  const unit = of === "cost" ? COST_UNIT : 1;
  const span = window === undefined ? undefined : Math.floor(now / window);
  return {
    key: counterKey("budget", id, of, ownerOf(spending, per), span ?? null),
    add: Math.ceil(amount * unit),
    max: Math.floor(limit * unit),
    ...(window === undefined || span === undefined ? {} : { until: (span + 1) * window }),
  };
}

function ownerOf({ caller, tool }: Spending, per: Budget["per"]): readonly string[] {
  const { workspaceId, userId, agentId, sessionId } = caller;
  switch (per) {
    case "session":
      return [workspaceId, userId, agentId, sessionId];
    case "user":
      return [workspaceId, "user", userId];
    case "tool":
      return [workspaceId, "tool", tool.name];
    case "workspace":
      return [workspaceId];
    default:
      return per satisfies never;
  }
}

/** Hashed, because its parts come from callers and may hold any separator. */
export function counterKey(kind: string, ...parts: readonly unknown[]): string {
  return `${kind}/${sha256Base64(JSON.stringify(parts)).slice(0, 22)}`;
}
