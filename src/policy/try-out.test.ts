import { describe, expect, it } from "vitest";
import { LOCAL_CALLER } from "../core/call.js";
import type { Verdict } from "../core/judge.js";
import { defineTool } from "../core/tool.js";
import {
  checkPolicy,
  definePolicy,
  definePolicyTest,
  explain,
  formatCheck,
  formatExplanation,
  formatPolicyTest,
  formatReplay,
  parsePolicyTest,
  type RecordedCall,
  type Rule,
  replay,
  type TriedCall,
  testPolicy,
} from "./index.js";

const policyOf = (...rules: Rule[]) => definePolicy({ version: 1, rules }, "rules.yaml");
const pay = defineTool({ name: "shop.cart", effect: "write", riskTier: "R1" });
const called = (args: TriedCall["args"], more: Partial<TriedCall> = {}): TriedCall => ({
  tool: pay,
  args,
  caller: LOCAL_CALLER,
  at: 0,
  ...more,
});

const LARGE: Rule = {
  id: "large",
  when: 'tool == "shop.cart" && args.price > 100',
  effect: "confirm",
  reason: "It is dear.",
};
const BROKEN: Rule = { id: "gift", when: 'tool == "shop.cart" && args.gift == "x"', effect: "allow" };

describe("trying a call", () => {
  it("goes by the policy's thresholds, as a gate does", () => {
    const thresholds = { confidence: 0.95, cost: 10 };
    const policy = definePolicy({ version: 1, rules: [LARGE], defaults: { thresholds } });
    const verdictOf = (more: Partial<TriedCall>) => explain(policy, called({ price: 1 }, more)).verdict.type;
    const costs = (cost: number | (() => number)) => ({
      tool: defineTool({ name: "shop.cart", riskTier: "R1", cost }),
    });
    expect([verdictOf(costs(10)), verdictOf(costs(11))]).toEqual(["allow", "confirm"]);
    expect(verdictOf(costs(() => Number.NaN))).toBe("confirm");
    const wide = { tool: defineTool({ name: "shop.cart", riskTier: "R2" }) };
    expect(verdictOf({ ...wide, confidence: 0.94 })).toBe("confirm");
    expect(verdictOf({ ...wide, confidence: 0.95 })).toBe("allow");
  });
});

describe("checking a policy", () => {
  it("tells its rules and version when it loads", () => {
    const check = checkPolicy("version: 1\nrules:\n  - { id: a, when: true, effect: confirm }\n", "p.yaml");
    expect(formatCheck(check)).toBe(`p.yaml: 1 rules, version ${check.policy?.version.slice(0, 12)}`);
  });

  it("tells what is wrong without throwing", () => {
    const check = checkPolicy("version: 1\nrules:\n  - { id: a, when: toll == 1, effect: deny }\n", "p.yaml");
    expect(check.policy).toBeUndefined();
    expect(formatCheck(check)).toBe('p.yaml:3:20 rules[0].when: There is no field "toll". Did you mean "tool"?');
  });

  it.each([
    ["args.price > 100", ["args.price"]],
    ["has(args.price) && args.price > 100", []],
    ['tool == "a" && args.price > 100', []],
    ["has(args.order) && args.order.price > 100", []],
    ["args.order.price > 100 && has(args.order.price)", []],
    ["args.a == 1 || args.b == 2", ["args.a", "args.b"]],
  ])("warns of arguments that not every call has: %s", (when, names) => {
    const check = checkPolicy(JSON.stringify({ version: 1, rules: [{ id: "a", when, effect: "deny" }] }), "p.yaml");
    expect(check.warnings.map((warning) => warning.suggestion)).toEqual(
      names.map((name) => `Add has(${name}), or name the tool.`),
    );
    if (names.length > 0) expect(formatCheck(check)).toContain("warning: p.yaml rules[0].when: ");
  });
});

describe("testing a policy", () => {
  const table = (...cases: object[]) =>
    definePolicyTest({ version: 1, tools: { "shop.cart": { effect: "write", riskTier: "R1" } }, cases } as never, "t");

  it("passes when verdict, rule and tier are as expected, and lists rules that no case touches", () => {
    const result = testPolicy(
      policyOf(LARGE, BROKEN),
      table({ tool: "shop.cart", args: { price: 200, gift: "" }, expect: "confirm", rule: "large", tier: "R1" }),
    );
    expect(result).toMatchObject({ passed: true, untested: ["gift"] });
    expect(formatPolicyTest(result)).toBe(
      "✓ shop.cart: confirm (confirm_rule: large)\nNo case matches: gift\n1 of 1 cases passed",
    );
  });

  it("fails with what came instead", () => {
    const result = testPolicy(
      policyOf(LARGE),
      table({ name: "cheap", tool: "shop.cart", args: { price: 5 }, expect: "deny", rule: "large", tier: "R4" }),
    );
    expect(result.passed).toBe(false);
    expect(formatPolicyTest(result)).toContain(
      't cheap: expected deny, got allow (tier_default); expected the rule "large", got tier_default; expected R4, got R1.',
    );
    expect(formatPolicyTest(result)).toContain("0 of 1 cases passed");
  });

  it("names the line of a case that fails", () => {
    const text =
      "version: 1\ntools:\n  shop.cart: { effect: write, riskTier: R1 }\ncases:\n  - tool: shop.cart\n    args: { price: 5 }\n    expect: deny\n";
    expect(formatPolicyTest(testPolicy(policyOf(LARGE), parsePolicyTest(text, "t.yaml")))).toContain(
      "t.yaml:5:5 shop.cart: expected deny",
    );
  });

  it("shows what other parts do not spare", () => {
    const always = policyOf({ ...LARGE, always: true });
    const one = { tool: "shop.cart", args: { price: 200 }, given: ["grant", "mode"] };
    expect(testPolicy(always, table({ ...one, expect: "confirm", rule: "large" })).passed).toBe(true);
    expect(testPolicy(policyOf(LARGE), table({ ...one, expect: "allow" })).passed).toBe(true);
  });

  it.each([
    [
      "a rule that the policy does not have",
      { tool: "shop.cart", expect: "deny", rule: "larg" },
      'The policy has no rule "larg". Did you mean "large"?',
    ],
    [
      "a tool that is not declared",
      { tool: "shop.crt", expect: "deny" },
      'The tool "shop.crt" is not among the tools above. Did you mean "shop.cart"?',
    ],
    ["an unknown key", { tool: "shop.cart", expects: "deny" }, 'Did you mean "expect"?'],
    ["no expectation", { tool: "shop.cart" }, 'The key "expect" is missing.'],
    ["a moment without its offset", { tool: "shop.cart", expect: "deny", at: "2024-01-01T12:00" }, "is no moment"],
    ["arguments that are no map", { tool: "shop.cart", expect: "deny", args: [1] }, "Arguments are a map."],
  ])("refuses a table with %s", (_, one, message) => {
    expect(() => testPolicy(policyOf(LARGE), table(one))).toThrow(message);
  });

  it("refuses a table without cases, and tools that no gate would take", () => {
    expect(() => table()).toThrow("Expected a list of cases that is not empty");
    const odd = {
      version: 1,
      tools: { a: { effect: "read", destructive: true } },
      cases: [{ tool: "a", expect: "deny" }],
    };
    expect(() => definePolicyTest(odd as never)).toThrow("declares itself destructive and a read at once");
  });
});

describe("explaining a verdict", () => {
  it("shows every signal, rule and step in order and marks what decided", () => {
    const policy = policyOf(
      BROKEN,
      LARGE,
      { id: "other", when: 'tool == "x"', effect: "deny" },
      { id: "up", when: 'tool == "shop.cart"', raise: "R3", reason: "Orders leave the house." },
    );
    const told = explain(
      policy,
      called({ price: 200 }, { opinions: [{ type: "allow", step: "grant", rules: ["g1"] }] }),
    );
    expect(told.rules.map(({ rule, state, decided }) => [rule.id, state, decided])).toEqual([
      ["gift", "failed", true],
      ["large", "matched", false],
      ["other", "no match", false],
      ["up", "matched", false],
    ]);
    expect(told.steps.filter((step) => step.decided).map((step) => step.step)).toEqual(["always_confirm"]);
    const text = formatExplanation(told);
    expect(text).toContain("R3 threshold: Orders leave the house.");
    expect(text).toContain("→ gift: failed (No such key: gift) [allow]");
    expect(text).toContain("  large: matched [confirm]");
    expect(text).toContain("→ always_confirm: confirm (gift)");
    expect(text).toContain("  grant: allow (g1)");
    expect(text.indexOf("deny_rule")).toBeLessThan(text.indexOf("tier_default"));
    expect(text).toContain('Verdict: confirm. The rule "gift" could not be evaluated');
  });

  it("shows what an approval needs", () => {
    const told = explain(policyOf({ ...LARGE, approvers: { count: 2 } }), called({ price: 200 }));
    expect(formatExplanation(told)).toContain('Needs: {"quorum":2}');
  });

  it("names the default that decided when no rule spoke", () => {
    const told = explain(policyOf(LARGE), called({ price: 1 }));
    expect(formatExplanation(told)).toContain("→ tier_default: allow");
  });
});

describe("replaying history under a new policy", () => {
  const said = (type: Verdict["type"], step: Verdict["step"], ...rules: string[]): Verdict => ({ type, step, rules });
  const record = (
    id: string,
    verdict: Verdict,
    args: TriedCall["args"] | undefined,
    more: Partial<RecordedCall> = {},
  ): RecordedCall => ({
    id,
    name: pay.name,
    tool: pay,
    caller: LOCAL_CALLER,
    at: 0,
    reasons: [],
    verdict,
    ...(args === undefined ? {} : { args }),
    ...more,
  });
  const asksAll = policyOf({ id: "all", when: true, effect: "confirm" });

  it("counts what would be asked, spared, raised and denied", () => {
    const history = [
      record("1", said("confirm", "confirm_rule", "all"), { price: 5 }),
      record("2", said("confirm", "confirm_rule", "all"), { price: 500 }),
      record("3", said("allow", "tier_default"), { price: 500 }),
      record("4", said("allow", "tier_default"), { price: 5000 }),
      record("5", said("deny", "deny_rule", "old"), { price: 5 }),
    ];
    const next = policyOf(LARGE, { id: "huge", when: 'tool == "shop.cart" && args.price > 1000', effect: "deny" });
    const result = replay(undefined, next, history);
    expect(result).toMatchObject({
      askedBefore: 2,
      askedAfter: 2,
      spared: 1,
      raised: 1,
      denied: 1,
      undenied: 1,
      cannotTell: 0,
    });
    expect(formatReplay(result)).toContain("questions: 2 before, 2 after");
    expect(formatReplay(result)).toContain("  raised: shop.cart 3: allow → confirm (confirm_rule, large)");
  });

  it("never counts a call as spared whose arguments or tool are gone", () => {
    const asked = said("confirm", "confirm_rule", "all");
    const { tool: _, ...withoutTool } = record("2", asked, { price: 5 });
    const result = replay(undefined, policyOf(LARGE), [record("1", asked, undefined), withoutTool]);
    expect(result).toMatchObject({ spared: 0, cannotTell: 2, askedBefore: 2 });
    expect(formatReplay(result)).toContain("cannot tell: shop.cart 1: confirm → Its arguments were not kept.");
  });

  it("compares with an old policy when there is one", () => {
    const history = [record("1", said("allow", "tier_default"), { price: 5 })];
    expect(replay(asksAll, policyOf(LARGE), history)).toMatchObject({ askedBefore: 1, askedAfter: 0, spared: 1 });
  });

  it("keeps what a grant said, and what analysers noticed, but not an old policy's raise", () => {
    const granted = record("1", said("allow", "grant", "g"), { price: 500 });
    expect(replay(undefined, policyOf(LARGE), [granted])).toMatchObject({ raised: 0 });
    const signal = { source: "analyser", code: "x", riskTier: "R4", text: "It drops." } as const;
    const seen = record("2", said("confirm", "tier_floor"), { price: 5 }, { reasons: [signal] });
    expect(replay(undefined, policyOf(LARGE), [seen])).toMatchObject({ spared: 0, askedAfter: 1 });
    const raised = record(
      "3",
      said("confirm", "tier_floor"),
      { price: 5 },
      { reasons: [{ ...signal, source: "threshold", code: "rule_raise" }] },
    );
    expect(replay(undefined, policyOf(LARGE), [raised])).toMatchObject({ spared: 1 });
  });

  it("counts a call that the new policy cannot judge as asked (I8)", () => {
    expect(replay(undefined, policyOf(BROKEN), [record("1", said("allow", "tier_default"), {})])).toMatchObject({
      raised: 1,
      spared: 0,
    });
  });
});
