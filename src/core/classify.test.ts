import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONFIDENCE_THRESHOLD, classify, previewSignals, reasonText, type Signal } from "./classify.js";
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

describe("the reasons", () => {
  const reasonsOf = (definition: Omit<ToolDefinition, "name"> & { name?: string }, confidence?: number) => {
    const tool = defineTool({ name: "notes.touch", ...definition });
    return classify(tool, tool.name, confidence).reasons;
  };

  it.each([
    [{}, "declared", "undeclared_write", "R2", "The tool writes and does not say how far it reaches."],
    [{ riskTier: "R1" }, "declared", "declared_tier", "R1", "The tool declares the risk “Can be undone”."],
    [{ destructive: true }, "declared", "destructive", "R4", "The tool says that what it does cannot be undone."],
    [{ tags: ["payment"] }, "declared", "tag", "R3", 'The tool is tagged "payment".'],
    [{ name: "mail.send", riskTier: "R1" }, "verb", "verb", "R3", '"send" reaches beyond this system.'],
    [{ name: "files.purge", riskTier: "R1" }, "verb", "verb", "R4", '"purge" removes things for good.'],
  ] as const)("of %j begin with %s %s", (definition, source, code, riskTier, text) => {
    expect(reasonsOf(definition as never)[0]).toMatchObject({ source, code, riskTier, text });
  });

  it.each([
    ["private", "R2"],
    ["sensitive", "R2"],
    ["external", "R3"],
    ["payment", "R3"],
    ["publish", "R3"],
    ["permissions", "R3"],
    ["bulk", "R4"],
    ["irreversible", "R4"],
  ])("name the tag %s, which is %s", (tag, riskTier) => {
    expect(reasonsOf({ riskTier: "R1", tags: [tag] })[0]).toMatchObject({ code: "tag", fragment: tag, riskTier });
  });

  it("say of an unknown tool that it is unknown, and what its name says", () => {
    const { reasons } = classify(undefined, "files.purge", undefined);
    expect(reasons.map(({ code, fragment, text }) => [code, fragment, text])).toEqual([
      ["verb", "purge", '"purge" removes things for good.'],
      ["unknown_tool", "files.purge", "No tool of this name is known here."],
    ]);
  });

  it("say how unsure the agent is, of writes alone", () => {
    expect(reasonsOf({ riskTier: "R1" }, 0.5)).toMatchObject([
      {
        source: "confidence",
        code: "low_confidence",
        riskTier: "R2",
        text: "The agent is only 50 % sure that this is what was meant.",
      },
      { code: "declared_tier" },
    ]);
    expect(reasonsOf({ effect: "read" }, 0.5)).toEqual([]);
    expect(reasonsOf({ riskTier: "R1" })).toHaveLength(1);
  });

  it("stay in the order they came where they weigh the same, found before declared", () => {
    const tool = defineTool({ name: "notes.touch", riskTier: "R3", tags: ["external", "bulk"] });
    const found: Signal[] = ["a", "b"].map((code) => ({ source: "analyser", code, riskTier: "R3", text: code }));
    expect(classify(tool, tool.name, 1, found).reasons.map(({ code, fragment }) => fragment ?? code)).toEqual([
      "bulk",
      "a",
      "b",
      "declared_tier",
      "external",
    ]);
  });

  it("of a tool are the same for every call of it", () => {
    const tool = defineTool({ name: "files.purge", tags: ["bulk"] });
    const first = classify(tool, tool.name, 0.1, [{ source: "hint", code: "x", riskTier: "R1", text: "" }]);
    expect(first.reasons).toHaveLength(5);
    expect(classify(tool, tool.name, undefined).reasons).toHaveLength(3);
  });

  it("have no sentence of ours for what an analyser found", () => {
    expect(reasonText({ code: "anything", riskTier: "R3" })).toBeUndefined();
    expect(reasonText({ code: "tag", riskTier: "R3" })).toBe('The tool is tagged "".');
  });
});

describe("confidence", () => {
  const stated = (confidence: number | undefined, over: Partial<ToolDefinition> = {}) => {
    const tool = defineTool({ name: "notes.touch", ...over });
    const { confident, lowConfidence } = classify(tool, tool.name, confidence);
    return { confident, lowConfidence };
  };

  it("is low or enough only where it was stated", () => {
    expect(stated(undefined)).toEqual({ confident: false, lowConfidence: false });
    expect(stated(0.85)).toEqual({ confident: true, lowConfidence: false });
    expect(stated(0.84)).toEqual({ confident: false, lowConfidence: true });
    expect(stated(0.84, { effect: "read" })).toEqual({ confident: false, lowConfidence: false });
    expect(stated(0.84, { confidenceThreshold: 0.8 })).toEqual({ confident: true, lowConfidence: false });
  });
});

describe("previewSignals", () => {
  const from = (severity: string, code = "NOTE") =>
    previewSignals({ effects: [], warnings: [{ code, message: "Look.", severity: severity as never }] });

  it("seed B11: raises for the code, for caution and for a severity nobody knows", () => {
    expect(from("info", "REQUIRES_CONFIRMATION")).toEqual([
      { source: "preview", code: "preview_warning", riskTier: "R3", text: "Look." },
    ]);
    expect(from("caution")).toHaveLength(1);
    expect(from("Caution")).toHaveLength(1);
  });

  it("is quiet for plain warnings, and without any", () => {
    expect([
      ...from("info"),
      ...from("warning"),
      ...previewSignals(undefined),
      ...previewSignals({ effects: [] }),
    ]).toEqual([]);
  });
});
