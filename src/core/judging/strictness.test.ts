import { describe, expect, it } from "vitest";
import { defaultSettings, type Settings } from "./settings.js";
import { isStricter, weakerPoints } from "./strictness.js";

const settings = (over: Partial<Settings> = {}): Settings => ({ ...defaultSettings("home", "ann"), ...over });
const autonomous = (over: Partial<NonNullable<Settings["autonomous"]>> = {}) =>
  settings({ autonomous: { since: 0, until: 100, ceiling: "R2", budget: { calls: 5, cost: 5 }, ...over } });
const tool = (over: Settings["tools"][string]) => settings({ tools: { x: over } });

type Change = readonly [what: string, stricter: Settings, weaker: Settings, points: readonly string[]];

const CHANGES: readonly Change[] = [
  ["asking at all", settings(), settings({ requireConfirmation: false }), ["require_confirmation"]],
  ["asking at the API", settings({ confirmAllApi: true }), settings(), ["confirm_all_api"]],
  ["always for a tool", tool({ confirm: "always" }), tool({ confirm: "on" }), ["tool:x"]],
  ["asking for a tool", tool({ confirm: "on" }), tool({}), ["tool:x"]],
  ["a tool's own default", tool({ confirm: "default" }), tool({ confirm: "off" }), ["tool:x"]],
  ["a tool that was not set", settings(), tool({ confirm: "off" }), ["tool:x"]],
  ["a tool that is not set any more", tool({ confirm: "on" }), settings(), ["tool:x"]],
  ["an app that was not set", settings(), settings({ apps: { a: "off" } }), ["app:a"]],
  ["an app that is not set any more", settings({ apps: { a: "on" } }), settings(), ["app:a"]],
  ["sureness", tool({ confidenceThreshold: 0.9 }), tool({ confidenceThreshold: 0.8 }), ["confidence:x"]],
  ["sureness that was not set", tool({}), tool({ confidenceThreshold: 0.84 }), ["confidence:x"]],
  ["sureness that is not set any more", tool({ confidenceThreshold: 0.86 }), tool({}), ["confidence:x"]],
  ["the ceiling", autonomous({ ceiling: "R1" }), autonomous(), ["autonomous.ceiling"]],
  ["the mode's end", autonomous({ until: 99 }), autonomous(), ["autonomous.until"]],
  ["the mode's calls", autonomous(), autonomous({ budget: { calls: 6, cost: 5 } }), ["autonomous.calls"]],
  ["the mode's costs", autonomous(), autonomous({ budget: { calls: 5 } }), ["autonomous.cost"]],
  [
    "the mode as a whole",
    settings(),
    autonomous(),
    ["autonomous.ceiling", "autonomous.until", "autonomous.calls", "autonomous.cost"],
  ],
];

describe("which of two settings asks more", () => {
  it.each(CHANGES)("is told by %s", (_what, stricter, weaker, points) => {
    expect(weakerPoints(stricter, weaker)).toEqual(points);
    expect(isStricter(stricter, weaker)).toBe(false);
    expect(weakerPoints(weaker, stricter)).toEqual([]);
    expect(isStricter(weaker, stricter)).toBe(true);
  });

  it("is neither where they are the same, or say what holds anyway", () => {
    for (const [, stricter, weaker] of CHANGES) {
      for (const same of [stricter, weaker]) {
        expect(weakerPoints(same, same)).toEqual([]);
        expect(isStricter(same, same)).toBe(false);
      }
    }
    const spelt = settings({ tools: { x: { confirm: "default", confidenceThreshold: 0.85 } }, apps: { a: "default" } });
    expect([weakerPoints(settings(), spelt), weakerPoints(spelt, settings())]).toEqual([[], []]);
    expect(isStricter(settings(), spelt) || isStricter(spelt, settings())).toBe(false);
  });

  it("may be both, point by point", () => {
    const mixed = settings({ requireConfirmation: false, confirmAllApi: true });
    expect(weakerPoints(settings(), mixed)).toEqual(["require_confirmation"]);
    expect(isStricter(settings(), mixed)).toBe(true);
  });

  it("counts a mode without a budget as the weakest", () => {
    const { budget: _budget, ...free } = autonomous().autonomous ?? { since: 0, until: 0, ceiling: "R1" };
    expect(weakerPoints(autonomous(), settings({ autonomous: free }))).toEqual(["autonomous.calls", "autonomous.cost"]);
  });
});
