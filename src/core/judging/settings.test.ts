import { describe, expect, it } from "vitest";
import type { Classification, Signal } from "../classify.js";
import { RISK_TIERS, type RiskTier } from "../risk.js";
import { defineTool, type ToolDefinition } from "../tool.js";
import { type AutonomousMode, defaultSettings, type Settings, settingsOpinions, toolSettings } from "./settings.js";

const NOW = 1_000;
const CALLER = { workspaceId: "home", userId: "ann", agentId: "helper", sessionId: "s1" };
const DEFAULTS = defaultSettings("home", "ann");

interface Asked {
  readonly riskTier?: RiskTier;
  readonly effect?: "read" | "write";
  readonly reasons?: readonly Signal[];
  readonly surface?: string;
  readonly now?: number;
  readonly tool?: Partial<ToolDefinition>;
}

function opinions(settings: Partial<Settings> | undefined, asked: Asked = {}) {
  const { riskTier = "R2", effect = "write", reasons = [], surface, now = NOW } = asked;
  const classification: Classification = { riskTier, effect, reasons, lowConfidence: false, confident: false };
  return settingsOpinions(settings && { ...DEFAULTS, ...settings }, {
    tool: defineTool({ name: "notes.add", ...asked.tool }),
    args: { n: 2 },
    classification,
    caller: surface === undefined ? CALLER : { ...CALLER, surface },
    now,
  });
}

const said = (type: string, step: string, what: string) => ({ type, step, rules: [`setting:${what}`] });

describe("a person's settings", () => {
  it("say nothing until something is set", () => {
    expect(DEFAULTS).toEqual({
      workspaceId: "home",
      userId: "ann",
      tools: {},
      apps: {},
      requireConfirmation: true,
      confirmAllApi: false,
    });
    expect(opinions(undefined)).toEqual([]);
    for (const riskTier of RISK_TIERS) expect(opinions({}, { riskTier })).toEqual([]);
  });

  it.each([
    ["always", [said("confirm", "always_confirm", "tool:notes.add")]],
    ["on", [said("confirm", "tool_setting", "tool:notes.add")]],
    ["off", [said("allow", "tool_setting", "tool:notes.add")]],
    ["default", []],
  ] as const)("for a tool: %s", (confirm, expected) => {
    expect(opinions({ tools: { "notes.add": { confirm } } })).toEqual(expected);
    expect(opinions({ tools: { "notes.other": { confirm } } })).toEqual([]);
  });

  it.each([
    ["on", [said("confirm", "app_setting", "app:notes")]],
    ["off", [said("allow", "app_setting", "app:notes")]],
    ["default", []],
  ] as const)("for an app: %s", (confirm, expected) => {
    expect(opinions({ apps: { notes: confirm } })).toEqual(expected);
    expect(opinions({ apps: { other: confirm } })).toEqual([]);
  });

  it("are own keys alone, whatever a tool is called", () => {
    const tools = Object.create({ "notes.add": { confirm: "off" } }) as Settings["tools"];
    const apps = Object.create({ notes: "off" }) as Settings["apps"];
    expect(opinions({ tools, apps })).toEqual([]);
    expect(toolSettings(DEFAULTS, "toString")).toEqual({});
    expect(toolSettings(undefined, "notes.add")).toEqual({});
    expect(toolSettings({ ...DEFAULTS, tools: { a: { ttl: 5 } } }, "a")).toEqual({ ttl: 5 });
  });

  it.each(["scope", "threshold"] as const)("spare nothing that a %s found to be more than usual", (source) => {
    const off = { tools: { "notes.add": { confirm: "off" } }, apps: { notes: "off" } } as const;
    const found = (riskTier: RiskTier, from: Signal["source"] = source): Signal[] => [
      { source: from, code: "x", riskTier, text: "" },
    ];
    expect(opinions(off, { reasons: found("R3") })).toEqual([]);
    expect(opinions(off, { reasons: found("R2") })).toHaveLength(2);
    expect(opinions(off, { reasons: found("R3", "analyser") })).toHaveLength(2);
  });

  it("off for everything is off below R4", () => {
    for (const riskTier of RISK_TIERS) {
      const expected = riskTier === "R4" ? [] : [said("allow", "mode", "require_confirmation")];
      expect(opinions({ requireConfirmation: false }, { riskTier })).toEqual(expected);
    }
  });

  it("asks for actions through an API, and for reads there that reach far", () => {
    const api = [said("confirm", "always_confirm", "confirm_all_api")];
    const all = { confirmAllApi: true };
    expect(opinions(all, { surface: "rest" })).toEqual(api);
    expect(opinions(all, { surface: "" })).toEqual(api);
    expect(opinions(all, { surface: "rest", effect: "read" })).toEqual([]);
    expect(opinions(all, { surface: "rest", effect: "read", riskTier: "R3" })).toEqual(api);
    expect(opinions({}, { surface: "rest" })).toEqual([]);
    for (const surface of [undefined, "library", "chat", "inbox", "cli"])
      expect(opinions(all, surface === undefined ? {} : { surface })).toEqual([]);
  });
});

describe("Autonomous Mode", () => {
  const mode = (over: Partial<AutonomousMode> = {}) => ({
    autonomous: { since: 5, until: NOW + 10, ceiling: "R2", ...over } as const,
  });

  it("allows up to its ceiling until its time, and never the highest risk", () => {
    const allowed = { ...said("allow", "mode", "autonomous"), until: NOW + 10 };
    for (const riskTier of RISK_TIERS) {
      const expected = ["R0", "R1", "R2"].includes(riskTier) ? [allowed] : [];
      expect(opinions(mode(), { riskTier })).toStrictEqual(expected);
      expect(opinions(mode({ ceiling: "R4" }), { riskTier })).toHaveLength(riskTier === "R4" ? 0 : 1);
    }
    expect(opinions(mode(), { now: NOW + 9 })).toHaveLength(1);
    expect(opinions(mode(), { now: NOW + 10 })).toEqual([]);
  });

  it("takes from its budget of calls and of costs, each with its own counter", () => {
    const tool = { cost: (args: unknown) => (args as { n: number }).n / 3 };
    const [opinion] = opinions(mode({ budget: { calls: 3, cost: 1.0005 } }), { tool });
    expect(opinion?.counts).toEqual([
      { key: expect.stringMatching(/^mode\//), add: 1, max: 3 },
      { key: expect.stringMatching(/^mode\//), add: 667, max: 1_000 },
    ]);
    const [calls, cost] = opinion?.counts ?? [];
    expect(calls?.key).not.toBe(cost?.key);
  });

  it("counts anew each time it is switched on", () => {
    const key = (since: number) => opinions(mode({ since, budget: { calls: 3 } }))[0]?.counts?.[0]?.key;
    expect(key(5)).toBe(key(5));
    expect(key(5)).not.toBe(key(6));
  });

  it("takes nothing of a unit without a limit, or for a call that costs nothing", () => {
    expect(opinions(mode({ budget: { cost: 5 } }))[0]).not.toHaveProperty("counts");
    expect(opinions(mode({ budget: { cost: 5 } }), { tool: { cost: 0 } })[0]).not.toHaveProperty("counts");
    expect(opinions(mode(), { tool: { cost: 7 } })[0]).not.toHaveProperty("counts");
    expect(opinions(mode({ budget: { calls: 3 } }), { tool: { cost: 7 } })[0]?.counts).toHaveLength(1);
  });
});
