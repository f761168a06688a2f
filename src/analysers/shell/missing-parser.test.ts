import { afterEach, describe, expect, it, vi } from "vitest";

// On its own, because it loads the modules once more: a mutation run would take their tables for part of this test.
describe("without the parser", () => {
  afterEach(() => {
    vi.doUnmock("unbash");
    vi.resetModules();
  });

  it("cannot inspect anything and says what to install", async () => {
    vi.resetModules();
    vi.doMock("unbash", () => {
      throw new Error("Cannot find package");
    });
    const fresh = await import("./index.js");
    expect(await fresh.analyseShell("ls")).toEqual({
      riskTier: "R4",
      inspectable: false,
      findings: [
        {
          code: "cannot_inspect",
          riskTier: "R4",
          text: 'The shell analyser needs the "unbash" package. Install it: npm i unbash',
        },
      ],
    });
  });
});
