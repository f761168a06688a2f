import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inParts } from "./parts.js";

describe("breaking words into messages", () => {
  it("breaks between lines where it can, and by number of lines", () => {
    expect(inParts("ab\ncd\nef", { units: 5, lines: 9 })).toEqual(["ab\ncd", "ef"]);
    expect(inParts("a\nb\nc", { units: 99, lines: 2 })).toEqual(["a\nb", "c"]);
    expect(inParts("", { units: 5, lines: 9 })).toEqual([""]);
  });

  it("breaks a longer line between code points", () => {
    expect(inParts("🎉🎉🎉", { units: 5, lines: 9 })).toEqual(["🎉🎉", "🎉"]);
  });

  it("loses nothing and keeps to both limits", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "审", "🎉", "\n", " ") });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: 4 }), (whole, units, lines) => {
        const parts = inParts(whole, { units, lines });
        expect(parts.join("").replaceAll("\n", "")).toBe(whole.replaceAll("\n", ""));
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(units);
          expect(part.split("\n").length).toBeLessThanOrEqual(lines);
          expect(part).not.toMatch(/\p{Cs}/u);
        }
      }),
    );
  });
});
