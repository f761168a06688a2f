import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONFIDENCE_THRESHOLD, classify, previewSignals, type Signal } from "./classify.js";
import { atLeast, RISK_TIERS } from "./risk.js";
import { defineTool, type ToolDefinition } from "./tool.js";

const tierOf = (definition: Omit<ToolDefinition, "name"> & { name?: string }, confidence?: number) => {
  const tool = defineTool({ name: "notes.touch", ...definition });
  return classify(tool, tool.name, confidence).riskTier;
};

describe("classify", () => {
  it.each([
    ["a read", { effect: "read" }, "R0"],
    ["a write that declares nothing", {}, "R2"],
    ["a write that declares R1", { riskTier: "R1" }, "R1"],
    ["a destructive write", { destructive: true }, "R4"],
    ["a destructive write that declares less", { destructive: true, riskTier: "R1" }, "R4"],
    ["a read of private things", { effect: "read", tags: ["private"] }, "R2"],
    ["a payment that declares less", { riskTier: "R1", tags: ["payment"] }, "R3"],
    ["a bulk write", { riskTier: "R1", tags: ["bulk"] }, "R4"],
    ["a tag that is only a label", { riskTier: "R1", tags: ["nice"] }, "R1"],
    ["a verb that reaches out", { name: "mail.send", riskTier: "R1" }, "R3"],
    ["a verb that destroys", { name: "files.purge", riskTier: "R1" }, "R4"],
    ["a read whose name says otherwise", { name: "files.delete", effect: "read" }, "R4"],
  ] as const)("flaw F-A1: rates %s", (_what, definition, riskTier) => {
    expect(tierOf(definition as never)).toBe(riskTier);
  });

  it("flaw F-4: takes an unknown tool for a write that reaches out", () => {
    expect(classify(undefined, "frobnicate", 1)).toMatchObject({ effect: "write", riskTier: "R3" });
  });

  it("seed A2: an unsure write is R2 at least, exactly the threshold is sure, and reads are not asked", () => {
    expect(CONFIDENCE_THRESHOLD).toBe(0.85);
    expect(tierOf({ riskTier: "R1" }, 0.85)).toBe("R1");
    expect(tierOf({ riskTier: "R1" }, 0.8499)).toBe("R2");
    expect(tierOf({ effect: "read" }, 0.01)).toBe("R0");
    expect(tierOf({ riskTier: "R1", confidenceThreshold: 0.5 }, 0.6)).toBe("R1");
  });

  it("signals only ever raise, and the reasons stand highest first", () => {
    const signal = fc.record({
      source: fc.constantFrom("analyser", "scope", "hint"),
      code: fc.string(),
      riskTier: fc.constantFrom(...RISK_TIERS),
      text: fc.string(),
    }) as fc.Arbitrary<Signal>;
    const tool = defineTool({ name: "notes.touch", riskTier: "R1" });
    fc.assert(
      fc.property(
        fc.array(signal),
        fc.array(signal),
        fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        (a, b, c) => {
          const confidence = c ?? undefined;
          const few = classify(tool, tool.name, confidence, a);
          const more = classify(tool, tool.name, confidence, [...a, ...b]);
          expect(atLeast(more.riskTier, few.riskTier)).toBe(true);
          expect(more.reasons[0]?.riskTier).toBe(more.riskTier);
          more.reasons.reduce((last, next) => {
            expect(atLeast(last.riskTier, next.riskTier)).toBe(true);
            return next;
          });
        },
      ),
    );
  });
});

describe("previewSignals", () => {
  const from = (severity: string, code = "NOTE") =>
    previewSignals({ effects: [], warnings: [{ code, message: "Look.", severity: severity as never }] });

  it("seed B11: raises for the code, for caution and for a severity nobody knows", () => {
    expect(from("info", "REQUIRES_CONFIRMATION")).toMatchObject([{ riskTier: "R3", text: "Look." }]);
    expect(from("caution")).toHaveLength(1);
    expect(from("Caution")).toHaveLength(1);
  });

  it("is quiet for plain warnings, and without any", () => {
    expect([...from("info"), ...from("warning"), ...previewSignals(undefined)]).toEqual([]);
  });
});
