import { describe, expect, it } from "vitest";
import { type Caller, LOCAL_CALLER } from "../core/call.js";
import { classify } from "../core/classify.js";
import type { JsonObject } from "../core/json.js";
import type { Opinion } from "../core/judge.js";
import { defineTool, type ToolDefinition } from "../core/tool.js";
import { createGate } from "../create-gate.js";
import { memoryStore } from "../stores/memory.js";
import { definePolicy, policyAnalyser, policySource, type Rule } from "./index.js";

const NOON = Date.parse("2024-01-01T12:00:00Z");

async function opinions(
  rules: readonly Rule[],
  {
    args = {},
    tool: declared = {},
    caller = {},
    confidence,
    now = NOON,
  }: {
    args?: JsonObject;
    tool?: Partial<ToolDefinition>;
    caller?: Partial<Caller>;
    confidence?: number;
    now?: number;
  } = {},
  timezone = "UTC",
): Promise<readonly Opinion[]> {
  const policy = definePolicy({ version: 1, defaults: { timezone, scope: { paths: ["/work"] } }, rules });
  const tool = defineTool({ name: "mail.send", effect: "write", riskTier: "R3", ...declared });
  const classification = classify(tool, tool.name, confidence);
  const call = { tool: tool.name, args, ...(confidence === undefined ? {} : { confidence }) };
  return policySource(
    () => policy,
    () => now,
  )({ tool, args, classification, call, caller: { ...LOCAL_CALLER, ...caller } });
}

/** Whether a condition matches, fails or does not match. */
async function outcome(when: string, about: Parameters<typeof opinions>[1] = {}, timezone?: string): Promise<string> {
  const [said] = await opinions([{ id: "r", when, effect: "allow" }], about, timezone);
  return said === undefined ? "no match" : said.step === "allow_rule" ? "match" : "failed";
}

describe("a policy speaks at its steps of the precedence", () => {
  it("one opinion per step, with every rule that matched and the first reason", async () => {
    const said = await opinions([
      { id: "a1", when: 'tool == "mail.send"', effect: "allow" },
      { id: "c1", when: 'app == "mail"', effect: "confirm", ttl: "10m" },
      {
        id: "c2",
        when: 'effect == "write"',
        effect: "confirm",
        reason: "It writes.",
        ttl: "5m",
        approvers: { count: 2 },
      },
      {
        id: "w1",
        when: 'riskTier >= "R3"',
        effect: "confirm",
        always: true,
        approvers: { roles: ["owner"], notRequester: true },
      },
      { id: "d1", when: 'surface == "library"', effect: "deny", reason: "Not here." },
      { id: "d2", when: 'surface == "rest"', effect: "deny" },
    ]);
    expect(said).toEqual([
      { type: "deny", step: "deny_rule", rules: ["d1"], reason: "Not here." },
      { type: "confirm", step: "always_confirm", rules: ["w1"], requirement: { roles: ["owner"], notRequester: true } },
      {
        type: "confirm",
        step: "confirm_rule",
        rules: ["c1", "c2"],
        reason: "It writes.",
        requirement: { quorum: 2, ttl: 300_000 },
      },
      { type: "allow", step: "allow_rule", rules: ["a1"] },
    ]);
  });

  it("says nothing when no rule matches", async () => {
    expect(await opinions([{ id: "a", when: 'tool == "other"', effect: "deny" }])).toEqual([]);
  });

  it.each(["deny", "confirm", "allow"] as const)(
    "a %s rule that cannot be evaluated asks a person, whatever else would spare it (I8)",
    async (effect) => {
      expect(await opinions([{ id: "broken", when: "args.amount > 10", effect }])).toEqual([
        {
          type: "confirm",
          step: "always_confirm",
          rules: ["broken"],
          reason: 'The rule "broken" could not be evaluated on this call, so a person is asked.',
        },
      ]);
    },
  );

  it("keeps what a rule that cannot be evaluated would have asked for (I8)", async () => {
    const [said] = await opinions([
      { id: "two", when: "args.amount > 10", effect: "confirm", approvers: { count: 2 } },
    ]);
    expect(said).toMatchObject({ step: "always_confirm", rules: ["two"], requirement: { quorum: 2 } });
  });

  it("a budget that cannot be evaluated asks a person too", async () => {
    const [said] = await opinions([{ id: "b", when: "args.amount > 10", budget: { limit: 1, per: "session" } }]);
    expect(said).toMatchObject({ type: "confirm", step: "always_confirm", rules: ["b"] });
  });
});

describe("a condition", () => {
  const args = {
    amount: 150,
    n: 3,
    to: ["a@x.org", "b@y.org"],
    note: "hello",
    nest: { k: null },
    flag: true,
    nan: "NaN",
    big: "1e9",
  };

  it.each([
    ['tool == "mail.send" && app == "mail" && effect == "write"', "match"],
    ['riskTier >= "R3" && riskTier < "R4"', "match"],
    ["args.amount > 100 && args.amount <= 150", "match"],
    ["args.amount * 2 == 300 && args.amount + 0.5 > 150 && args.n % 2 == 1", "match"],
    ['args.n in [1, 2, 3] && "amount" in args && !("sum" in args)', "match"],
    ['args.to.exists(to, to.endsWith("@y.org"))', "match"],
    ['args.to.all(to, to.re("^[a-z]@"))', "match"],
    ["size(args.to) == 2 && args.flag == true", "match"],
    ["args.nest.k == null", "match"],
    ['number("12.50") < 13 && number(args.amount) == 150 && number("-3") < 0', "match"],
    ["number(args.nan) > 1", "failed"],
    ["number(args.big) > 1", "failed"],
    ["number(args.to) > 1", "failed"],
    ["args.amount / 2 == 75", "match"],
    ["has(args.missing) && args.missing > 1", "no match"],
    ["args.missing > 1", "failed"],
    ['tool == "other" && args.missing > 1', "no match"],
    ['args.missing > 1 && tool == "other"', "no match"],
    ["args.note > 1", "failed"],
    ["args.constructor == 1", "failed"],
    ["confidence < 0.5", "match"],
    ["cost == 0 && 0 == cost && cost != 1", "match"],
    ['requester.id == "local" && requester.workspace == "local" && requester.device == ""', "match"],
    ['agent.id == "local" && size(agent.lineage) == 0 && session.id == "local"', "match"],
    ['!scope.outside && scope.paths == ["/work"] && size(scope.domains) == 0', "match"],
    [
      'time.hour == 12 && time.minute == 0 && time.weekday == "monday" && !time.weekend && time.date == "2024-01-01"',
      "match",
    ],
  ])("%s: %s", async (when, expected) => {
    expect(await outcome(when, { args })).toBe(expected);
  });

  it("sees the caller, the confidence and the cost", async () => {
    expect(await outcome("confidence >= 0.9", { confidence: 0.9 })).toBe("match");
    expect(await outcome("cost > 10", { tool: { cost: () => 11 } })).toBe("match");
    expect(await outcome('agent.lineage.exists(a, a == "boss")', { caller: { lineage: ["boss"] } })).toBe("match");
    expect(
      await outcome('requester.device == "d1" && surface == "mcp"', { caller: { deviceId: "d1", surface: "mcp" } }),
    ).toBe("match");
  });

  it.each([
    () => {
      throw new Error("unknown");
    },
    () => Number.NaN,
    () => -1,
  ])("asks when a tool cannot say what it costs", async (cost) => {
    expect(await outcome("cost > 10", { tool: { cost } })).toBe("failed");
  });

  it("reads the clock in the policy's time zone", async () => {
    const now = Date.parse("2024-06-30T22:30:00Z");
    expect(
      await outcome(
        'time.hour == 0 && time.weekday == "monday" && time.date == "2024-07-01"',
        { now },
        "Europe/Berlin",
      ),
    ).toBe("match");
    expect(await outcome("time.hour == 22 && time.weekend", { now })).toBe("match");
  });
});

describe("what an agent sends cannot make a rule slow (attack F11)", () => {
  it("a pattern that backtracks elsewhere is linear here", async () => {
    expect(await outcome('args.s.re("^(a+)+$")', { args: { s: `${"a".repeat(5_000)}!` } })).toBe("no match");
  });

  it("a text too long for a pattern asks a person", async () => {
    expect(await outcome('args.s.re("^a")', { args: { s: "a".repeat(20_001) } })).toBe("failed");
    expect(await outcome('args.s.re("^a")', { args: { s: "a".repeat(20_000) } })).toBe("match");
    const many = { s: Array.from({ length: 100 }, () => "b".repeat(300)) };
    expect(await outcome('args.s.exists(s, s.re("^a"))', { args: many })).toBe("failed");
  });

  it("a list too long for its loops asks a person", async () => {
    const list = (length: number) => ({ l: Array.from({ length }, (_, n) => n) });
    expect(await outcome("args.l.exists(x, x < 0)", { args: list(10_000) })).toBe("no match");
    expect(await outcome("args.l.exists(x, x < 0)", { args: list(10_001) })).toBe("failed");
    expect(await outcome("args.l.exists(x, args.l.exists(y, x < 0 && y < 0))", { args: list(100) })).toBe("no match");
    expect(await outcome("args.l.exists(x, args.l.exists(y, x < 0 && y < 0))", { args: list(101) })).toBe("failed");
  });
});

describe("a policy in a gate", () => {
  const gateWith = (rules: readonly Rule[]) => {
    const policy = definePolicy({ version: 1, rules });
    const tools = [
      defineTool({ name: "notes.add", effect: "write", riskTier: "R1", execute: () => "added" }),
      defineTool({ name: "notes.list", effect: "read", execute: () => [] }),
    ];
    return createGate({
      store: memoryStore(),
      tools,
      sources: [policySource(() => policy)],
      analysers: [policyAnalyser(() => policy)],
    });
  };

  it("denies, asks, raises and allows", async () => {
    const gate = gateWith([
      { id: "no", when: 'tool == "notes.add" && args.text == "secret"', effect: "deny", reason: "No secrets." },
      { id: "big", when: 'tool == "notes.add" && size(args.text) > 10', raise: "R4", reason: "This is long." },
      { id: "list", when: 'tool == "notes.list"', effect: "confirm" },
    ]);
    const submit = (tool: string, args: JsonObject = {}) => gate.submit({ tool, args });
    expect(await submit("notes.add", { text: "milk" })).toMatchObject({ type: "succeeded" });
    expect(await submit("notes.add", { text: "secret" })).toMatchObject({
      type: "denied",
      message: expect.stringContaining("No secrets."),
    });
    expect(await submit("notes.list")).toMatchObject({ type: "pending" });
    const raised = await submit("notes.add", { text: "milk and bread" });
    expect(raised).toMatchObject({ type: "pending" });
    const [, card] = await gate.pending({ kind: "person", userId: "local", workspaceId: "local" });
    expect(card).toMatchObject({ riskTier: "R4" });
    expect(JSON.stringify(card)).toContain("This is long.");
    // A rule that raises and fails makes the call uninspectable, and R4 always asks.
    expect(await submit("notes.add", {})).toMatchObject({ type: "pending" });
    await gate.close();
  });

  it("refuses when two rules leave nobody to ask", async () => {
    const gate = gateWith([
      { id: "a", when: true, effect: "confirm", approvers: { roles: ["owner"] } },
      { id: "b", when: 'tool == "notes.add"', effect: "confirm", approvers: { groups: ["dba"] } },
    ]);
    expect(await gate.submit({ tool: "notes.add", args: {} })).toMatchObject({
      type: "denied",
      message: expect.stringContaining("NO_APPROVER"),
    });
    await gate.close();
  });
});
