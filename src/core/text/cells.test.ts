import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellWidth, padCells, wrap } from "./cells.js";
import { escapeText } from "./escape.js";

describe("cellWidth", () => {
  it.each([
    ["abc", 3],
    ["审批", 4],
    ["，。《》", 8],
    ["カナ", 4],
    ["ｶﾅ", 2],
    ["한국", 4],
    ["ＡＢ", 4],
    ["🎉", 2],
    ["é", 1],
    ["ที่", 1],
    ["→ ⟨3 spaces⟩", 12],
  ])("gives %s its %i cells", (text, width) => {
    expect(cellWidth(text)).toBe(width);
  });

  it("pads by cells, not by characters", () => {
    expect(padCells("审批", 6)).toBe("审批  ");
    expect(padCells("approval", 4)).toBe("approval");
  });
});

describe("wrap", () => {
  it("breaks behind spaces and beside East Asian letters", () => {
    expect(wrap("send the report now", 10)).toEqual(["send the ", "report now"]);
    expect(wrap("请把报告发给王伟", 7)).toEqual(["请把报", "告发给", "王伟"]);
    expect(wrap("see 报告ok", 8)).toEqual(["see 报告", "ok"]);
    expect(wrap("", 10)).toEqual([""]);
  });

  it("breaks a long word anywhere, but an escape or marker only when no line could hold it", () => {
    expect(wrap("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
    expect(wrap("abc\\u{202e}x", 8)).toEqual(["abc", "\\u{202e}", "x"]);
    expect(wrap("\\u{202e}", 5)).toEqual(["\\u{20", "2e}"]);
  });

  it("loses nothing, keeps to the width and never tears a mark from its letter", () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("a", " ", "各", "\u202e", "क", "ि", "ก", "้"),
        fc.string({ unit: "grapheme", maxLength: 2 }),
      ),
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (raw, width) => {
        const shown = escapeText(raw);
        const lines = wrap(shown, width);
        expect(lines.join("")).toBe(shown);
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width);
        for (const line of lines) expect(line).not.toMatch(/^\p{Mn}/u);
      }),
      { numRuns: 5_000 },
    );
  });

  it("wraps a megabyte in one pass", () => {
    const text = "x".repeat(2 ** 20);
    expect(wrap(text, 80)).toHaveLength(Math.ceil(2 ** 20 / 80));
  });
});
