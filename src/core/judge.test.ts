import { describe, expect, it } from "vitest";
import { type Classification, classify, type Signal } from "./classify.js";
import { judge, type Opinion, PRECEDENCE, type Step, type Verdict } from "./judge.js";
import { RISK_TIERS, type RiskTier } from "./risk.js";
import { type AnyTool, defineTool, type ToolDefinition } from "./tool.js";

const TYPES = ["allow", "confirm", "deny"] as const;

function classified(riskTier: RiskTier, over: Partial<Classification> = {}): Classification {
  return { effect: "write", riskTier, reasons: [], lowConfidence: false, confident: false, ...over };
}

function opinion(step: Step, type: Verdict["type"], rule: string = step): Opinion {
  return { type, step, rules: [rule] };
}

function verdictOf(tool: AnyTool | undefined, classification: Classification, ...opinions: Opinion[]): Verdict {
  return judge({ tool, args: {}, classification }, opinions);
}

const toolWith = (over: Partial<ToolDefinition>) => defineTool({ name: "x.y", ...over });

describe("the precedence", () => {
  const pairs = PRECEDENCE.flatMap((earlier, index) =>
    PRECEDENCE.slice(index + 1).map((later) => [earlier, later] as const),
  );

  it.each(pairs)("lets %s win over %s, whatever both say", (earlier, later) => {
    for (const first of TYPES) {
      for (const second of TYPES) {
        const heard = [opinion(later, second), opinion(earlier, first)];
        const verdict = verdictOf(undefined, classified("R1"), ...heard);
        // The last two steps always have an opinion of their own, and within one step the strictest holds.
        expect(verdict).toMatchObject({ step: earlier, type: first });
      }
    }
  });

  it.each(PRECEDENCE)("lets deny beat confirm and confirm beat allow within %s, in any order", (step) => {
    for (const [a, b, wins] of [
      ["allow", "confirm", "confirm"],
      ["allow", "deny", "deny"],
      ["confirm", "deny", "deny"],
    ] as const) {
      expect(verdictOf(undefined, classified("R1"), opinion(step, a), opinion(step, b)).type).toBe(wins);
      expect(verdictOf(undefined, classified("R1"), opinion(step, b), opinion(step, a)).type).toBe(wins);
    }
  });

  it("names the step and the rules that decided", () => {
    expect(verdictOf(undefined, classified("R1"), opinion("confirm_rule", "confirm", "r7"))).toMatchObject({
      step: "confirm_rule",
      rules: ["r7"],
    });
  });
});

describe("the floor of R4", () => {
  const after = PRECEDENCE.slice(PRECEDENCE.indexOf("tier_floor"));

  it.each(after)("cannot be spared by an allow at %s", (step) => {
    expect(verdictOf(undefined, classified("R4"), opinion(step, "allow"))).toMatchObject({
      type: "confirm",
      step: "tier_floor",
    });
  });

  it("asks by itself, with no rule behind it", () => {
    expect(verdictOf(undefined, classified("R4"))).toEqual({ type: "confirm", step: "tier_floor", rules: [] });
  });

  it("holds for a tool that need not ask, with any confidence", () => {
    const tool = toolWith({ confirm: () => false });
    expect(verdictOf(tool, classified("R4", { confident: true })).type).toBe("confirm");
  });
});

describe("malformed opinions", () => {
  it.each([
    null,
    undefined,
    "allow",
    {},
    { type: "allow" },
    { type: "allow", step: "grants", rules: [] },
    { type: "deny", step: "deny_rules", rules: [] },
  ])("ask a person where no grant, mode or rule can spare it: %j", (broken) => {
    const spared = [opinion("grant", "allow"), opinion("mode", "allow"), opinion("allow_rule", "allow")];
    const verdict = verdictOf(undefined, classified("R1"), broken as never, ...spared);
    expect(verdict).toMatchObject({ type: "confirm", step: "always_confirm" });
  });

  it("ask at their own step when only the verdict is unknown, and never soften a denial there", () => {
    const broken = { type: "permit", step: "deny_rule", rules: ["r1"] } as never;
    expect(verdictOf(undefined, classified("R1"), broken)).toMatchObject({
      type: "confirm",
      step: "deny_rule",
      rules: ["r1"],
    });
    expect(verdictOf(undefined, classified("R1"), broken, opinion("deny_rule", "deny")).type).toBe("deny");
  });

  it("say why they ask, and name no rule", () => {
    expect(verdictOf(undefined, classified("R1"), null as never)).toEqual({
      type: "confirm",
      step: "always_confirm",
      rules: [],
      reason: "An opinion has no known step.",
    });
    const permit = { type: "permit", step: "mode", rules: ["m"] } as never;
    expect(verdictOf(undefined, classified("R1"), permit).reason).toBe(
      "An opinion is not a verdict, so a person is asked.",
    );
  });

  it("without rules they still count, and the record has a list", () => {
    const bare = { type: "deny", step: "deny_rule" } as never;
    expect(verdictOf(undefined, classified("R1"), bare)).toMatchObject({ type: "deny", rules: [] });
  });
});

describe("the tool's own default", () => {
  it("asks for true, for anything that is not a clear false, and when it fails", () => {
    const fails = () => {
      throw new Error("broken");
    };
    for (const confirm of [true, () => true, () => undefined, () => null, async () => false, fails]) {
      const verdict = verdictOf(toolWith({ confirm: confirm as never }), classified("R1"));
      expect(verdict).toMatchObject({ type: "confirm", step: "tool_default" });
    }
  });

  it("spares the question for false, up to R3", () => {
    for (const riskTier of ["R1", "R2", "R3"] as const) {
      expect(verdictOf(toolWith({ confirm: false }), classified(riskTier))).toMatchObject({
        type: "allow",
        step: "tool_default",
      });
    }
  });

  it("spares the question for a function that gives a clear false for these arguments", () => {
    const tool = toolWith({ confirm: (args: unknown) => (args as { to: string }).to !== "me" });
    const to = (name: string) => judge({ tool, args: { to: name }, classification: classified("R3") });
    expect(to("me")).toEqual({ type: "allow", step: "tool_default", rules: [] });
    expect(to("all")).toEqual({ type: "confirm", step: "tool_default", rules: [] });
  });

  it("goes by what was found out about this call, not by what the tool says of itself", () => {
    const tool = toolWith({ confirm: false, riskTier: "R3" });
    expect(verdictOf(tool, classify(tool, tool.name, undefined))).toMatchObject({
      type: "allow",
      step: "tool_default",
    });
  });

  it("seed A1: does not spare it when the caller is unsure", () => {
    expect(verdictOf(toolWith({ confirm: false }), classified("R2", { lowConfidence: true })).type).toBe("confirm");
  });

  it.each(["preview", "analyser", "threshold", "scope"] as const)(
    "seed B12: does not spare it when a %s found this call to be more than the tool said",
    (source) => {
      const signal: Signal = { source, code: "x", riskTier: "R3", text: "" };
      const tool = toolWith({ confirm: false, riskTier: "R1" });
      expect(verdictOf(tool, classify(tool, tool.name, 1, [signal])).type).toBe("confirm");
      expect(verdictOf(tool, classify(tool, tool.name, 1, [{ ...signal, riskTier: "R2" }]))).toMatchObject({
        type: "allow",
        step: "tool_default",
      });
    },
  );
});

describe("the tier's default", () => {
  it("speaks for itself, with no rule behind it", () => {
    expect(judge({ tool: undefined, args: {}, classification: classified("R1") })).toEqual({
      type: "allow",
      step: "tier_default",
      rules: [],
    });
  });

  it.each(RISK_TIERS)("for %s follows the table: reads to R2, writes to R1, R2 with confidence", (riskTier) => {
    const table: Record<RiskTier, [read: string, unsure: string, sure: string]> = {
      R0: ["allow", "allow", "allow"],
      R1: ["allow", "allow", "allow"],
      R2: ["allow", "confirm", "allow"],
      R3: ["confirm", "confirm", "confirm"],
      R4: ["confirm", "confirm", "confirm"],
    };
    expect([
      verdictOf(undefined, classified(riskTier, { effect: "read" })).type,
      verdictOf(undefined, classified(riskTier)).type,
      verdictOf(undefined, classified(riskTier, { confident: true })).type,
    ]).toEqual(table[riskTier]);
  });
});
