import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inParts } from "./parts.js";

describe("lines in parts", () => {
  it("are broken between lines where it can be, and by number of lines", () => {
    expect(inParts(["ab", "cd", "ef"], { size: 5 })).toEqual(["ab\ncd", "ef"]);
    expect(inParts(["a", "b", "c"], { size: 99, lines: 2 })).toEqual(["a\nb", "c"]);
  });

  it("keep empty lines", () => {
    expect(inParts(["a", "", "b"], { size: 10 })).toEqual(["a\n\nb"]);
    expect(inParts(["0123456789", "", ""], { size: 10 })).toEqual(["0123456789", "\n"]);
    expect(inParts([""], { size: 10 })).toEqual([""]);
    expect(inParts([], { size: 10 })).toEqual([]);
  });

  it("mark the rest of a line that is too long, so that it cannot pass for an argument (attack A: forged lines)", () => {
    const parts = inParts(["amount: 9000", `note: ${"x".repeat(14)}amount: 1`], { size: 20 });
    expect(parts).toEqual(["amount: 9000", "note: xxxxxxxxxxxxxx", "  … amount: 1"]);
  });

  it("are as large as they are measured", () => {
    const sizeOf = (text: string) => Buffer.byteLength(text);
    expect(inParts(["审批", "审批"], { size: 13 })).toEqual(["审批\n审批"]);
    expect(inParts(["审批", "审批"], { size: 12, sizeOf })).toEqual(["审批", "审批"]);
    expect(inParts(["🎉🎉🎉🎉"], { size: 11, sizeOf })).toEqual(["🎉🎉", "  … 🎉", "  … 🎉"]);
  });

  it("lose nothing and keep to both limits", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "审", "🎉", " ") });
    fc.assert(
      fc.property(
        fc.array(line),
        fc.integer({ min: 8, max: 20 }),
        fc.integer({ min: 1, max: 4 }),
        (all, size, lines) => {
          const parts = inParts(all, { size, lines });
          expect(parts.join("\n").replaceAll("\n  … ", "").split("\n")).toEqual(all.length === 0 ? [""] : all);
          for (const part of parts) {
            expect(part.length).toBeLessThanOrEqual(size);
            expect(part.split("\n").length).toBeLessThanOrEqual(lines);
            expect(part).not.toMatch(/\p{Cs}/u);
          }
        },
      ),
    );
  });
});
