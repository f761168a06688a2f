import { describe, expect, it } from "vitest";
import { type AnyTool, defineTool, type ToolDefinition } from "../tool.js";
import {
  amountOf,
  type Budget,
  counterKey,
  countsOfApproved,
  type Spending,
  spend,
  thresholdSignals,
} from "./budgets.js";

const NOW = 10_500;
const CALLER = { workspaceId: "home", userId: "ann", agentId: "helper", sessionId: "s1" };
const TEN: Budget = { id: "ten", limit: 10, per: "session" };

function spending(over: Partial<ToolDefinition> = {}, more: Partial<Spending> = {}): Spending {
  const tool = defineTool({ name: "x.y", ...over }) as AnyTool;
  return { tool, args: {}, call: { tool: "x.y", args: {} }, caller: CALLER, ...more };
}

const rows = (...counts: number[]) => ({
  preview: { effects: counts.map((count) => ({ kind: "update" as const, noun: "row", count })) },
});

describe("what a call takes", () => {
  it("is one call, what the tool says it costs and gives, and what its preview would touch", () => {
    const one = spending(
      { cost: 3, outputSize: (args) => (args as { n: number }).n * 2 },
      { args: { n: 21 }, ...rows(4, 5) },
    );
    expect((["calls", "cost", "bytes", "rows"] as const).map((unit) => amountOf(one, unit))).toEqual([1, 3, 42, 9]);
  });

  it("is unknown where nobody says it", () => {
    for (const unit of ["cost", "bytes", "rows"] as const) expect(amountOf(spending(), unit)).toBeUndefined();
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 2 ** 53, "5", null])("is no amount when it is %s", (cost) => {
    expect(() => amountOf(spending({ cost: () => cost as number }), "cost")).toThrow("not an amount");
  });

  it("may be nothing, and as much as can be counted in thousandths", () => {
    for (const cost of [0, Number.MAX_SAFE_INTEGER / 1_000]) expect(amountOf(spending({ cost }), "cost")).toBe(cost);
    expect(() => amountOf(spending({}, rows(1, -1)), "rows")).toThrow("not an amount");
  });
});

describe("thresholds", () => {
  it("speak for each unit that is passed, with the amount and the limit", () => {
    const large = spending({ cost: 11, outputSize: 101 }, rows(6));
    const said = thresholdSignals(large, { cost: 10, rows: 5, bytes: 100 });
    expect(said).toEqual([
      {
        source: "threshold",
        code: "cost_threshold",
        riskTier: "R3",
        text: "The cost is 11; above 10 a person is asked.",
        fragment: "11",
      },
      expect.objectContaining({ text: "The number of things touched is 6; above 5 a person is asked." }),
      expect.objectContaining({ text: "The size of the output in bytes is 101; above 100 a person is asked." }),
    ]);
  });

  it("say nothing at the limit, without one, or of what nobody says", () => {
    expect(thresholdSignals(spending({ cost: 10 }), { cost: 10 })).toEqual([]);
    expect(thresholdSignals(spending({ cost: 10 }), {})).toEqual([]);
    expect(thresholdSignals(spending(), { cost: 0, rows: 0, bytes: 0 })).toEqual([]);
  });
});

describe("spending", () => {
  it("reserves one call of a budget in calls, up to its limit, for ever", () => {
    const { counts, signals, opinions } = spend(spending(), [TEN], NOW);
    expect(counts).toStrictEqual([{ key: expect.stringMatching(/^budget\//), add: 1, max: 10 }]);
    expect([signals, opinions]).toEqual([[], []]);
  });

  it("counts costs in thousandths, the call's rounded up and the limit's down", () => {
    const budget: Budget = { ...TEN, of: "cost", limit: 1.0005 };
    expect(spend(spending({ cost: 0.0001 }), [budget], NOW).counts).toMatchObject([{ add: 1, max: 1_000 }]);
    expect(spend(spending({ outputSize: 7 }), [{ ...TEN, of: "bytes" }], NOW).counts).toMatchObject([
      { add: 7, max: 10 },
    ]);
  });

  it("counts once for two budgets of one name, up to the smaller limit whichever comes first", () => {
    const five: Budget = { ...TEN, limit: 5 };
    for (const budgets of [
      [TEN, five],
      [five, TEN],
    ]) {
      expect(spend(spending(), budgets, NOW).counts).toMatchObject([{ add: 1, max: 5 }]);
      expect(countsOfApproved(spending(), budgets, NOW)).toHaveLength(1);
    }
  });

  it("counts each person, tool and workspace by itself, whatever they are called", () => {
    const keyOf = (per: Budget["per"], userId: string) =>
      spend(spending({}, { caller: { ...CALLER, userId } }), [{ ...TEN, per }], NOW).counts[0]?.key;
    const keys = (["session", "user", "tool", "workspace"] as const).flatMap((per) => [
      keyOf(per, "x.y"),
      keyOf(per, "bob"),
    ]);
    // Of a tool and of the workspace there is one, whoever asks.
    expect(new Set(keys).size).toBe(6);
  });

  it("counts a window by itself until the next one begins", () => {
    const hourly: Budget = { ...TEN, window: 1_000 };
    const at = (now: number) => spend(spending(), [hourly], now).counts[0];
    expect(at(10_000)).toMatchObject({ until: 11_000 });
    expect(at(10_999)).toEqual(at(10_000));
    expect(at(11_000)).toMatchObject({ until: 12_000 });
    expect(at(11_000)?.key).not.toBe(at(10_999)?.key);
  });

  const used = 'The budget "ten" of 10 rows per session is used up.';
  it("asks where no grant or mode can spare it when one call alone takes more than the budget", () => {
    const { counts, signals, opinions } = spend(spending({}, rows(11)), [{ ...TEN, of: "rows" }], NOW);
    expect(counts).toEqual([]);
    expect(signals).toEqual([
      { source: "threshold", code: "budget_exhausted", riskTier: "R3", text: used, fragment: "ten" },
    ]);
    expect(opinions).toEqual([{ type: "confirm", step: "always_confirm", rules: ["budget:ten"], reason: used }]);
    expect(spend(spending({}, rows(10)), [{ ...TEN, of: "rows" }], NOW).opinions).toEqual([]);
  });

  it("asks for a budget that the store found empty, and goes on reserving the others", () => {
    const other: Budget = { ...TEN, id: "other" };
    const [first] = spend(spending(), [TEN], NOW).counts;
    const { counts, opinions } = spend(spending(), [TEN, other], NOW, new Set([first?.key ?? ""]));
    expect(opinions.map(({ rules }) => rules)).toEqual([["budget:ten"]]);
    expect(counts).toEqual(spend(spending(), [other], NOW).counts);
  });

  it("asks when a write does not say how much it touches, and not when a read does not", () => {
    const budget: Budget = { ...TEN, of: "rows" };
    const { counts, opinions } = spend(spending({ effect: "write" }), [budget], NOW);
    expect(counts).toEqual([]);
    expect(opinions).toMatchObject([{ reason: 'Nobody can tell how much this takes of the budget "ten".' }]);
    expect(spend(spending({ effect: "read" }), [budget], NOW).opinions).toEqual([]);
    expect(spend(spending({ effect: "write" }), [{ ...TEN, of: "cost" }], NOW).opinions).toEqual([]);
  });

  it("takes nothing for nothing, even of an empty budget", () => {
    const none: Budget = { ...TEN, of: "cost", limit: 0 };
    expect(spend(spending({ cost: 0 }), [none], NOW)).toEqual({ counts: [], signals: [], opinions: [] });
  });
});

describe("an approved call", () => {
  it("counts without a maximum", () => {
    const [asked] = spend(spending(), [TEN], NOW).counts;
    expect(countsOfApproved(spending(), [TEN], NOW)).toStrictEqual([{ key: asked?.key, add: 1 }]);
    expect(countsOfApproved(spending({ cost: 2 }), [{ ...TEN, of: "cost" }], NOW)).toMatchObject([{ add: 2_000 }]);
  });

  it("counts nothing where it takes nothing or nobody says", () => {
    for (const cost of [0, undefined]) {
      const call = spending(cost === undefined ? {} : { cost });
      expect(countsOfApproved(call, [{ ...TEN, of: "cost" }], NOW)).toEqual([]);
    }
  });
});

describe("whose counter it is", () => {
  const keyOf = (per: Budget["per"], caller: object = {}, name = "x.y", budget: Partial<Budget> = {}) =>
    spend(spending({ name }, { caller: { ...CALLER, ...caller } }), [{ ...TEN, per, ...budget }], NOW).counts[0]?.key;

  it.each([
    ["session", ["workspaceId", "userId", "agentId", "sessionId"], false],
    ["user", ["workspaceId", "userId"], false],
    ["tool", ["workspaceId"], true],
    ["workspace", ["workspaceId"], false],
  ] as const)("per %s is told apart by %j", (per, parts, byTool) => {
    for (const part of Object.keys(CALLER)) {
      const same = keyOf(per, { [part]: "another" }) === keyOf(per);
      expect(same, part).toBe(!(parts as readonly string[]).includes(part));
    }
    expect(keyOf(per, {}, "x.z") !== keyOf(per)).toBe(byTool);
  });

  it("is never shared between budgets, units or kinds of owner", () => {
    const keys = [
      keyOf("session"),
      keyOf("session", {}, "x.y", { id: "other" }),
      spend(spending({ cost: 1 }), [{ ...TEN, of: "cost" }], NOW).counts[0]?.key,
      keyOf("workspace"),
      keyOf("user", { userId: "x.y" }),
      keyOf("tool"),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("cannot be made to collide by a separator in a name", () => {
    expect(counterKey("k", "a,b", "c")).not.toBe(counterKey("k", "a", "b,c"));
    expect(counterKey("k", "a")).toMatch(/^k\/[\w-]{22}$/);
  });
});
