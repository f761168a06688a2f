import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Finder } from "./finder.js";

/** Which characters of a text belong to any of the others, one by one. */
function covered(text: string, texts: readonly string[]): boolean[] {
  const marks = Array.from({ length: text.length }, () => false);
  for (const one of texts)
    for (let at = text.indexOf(one); at !== -1; at = text.indexOf(one, at + 1)) marks.fill(true, at, at + one.length);
  return marks;
}

describe("Finder", () => {
  it("finds every occurrence of every text, also inside and across others", () => {
    const few = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(few, { maxLength: 8 }),
        fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 40 }),
        (texts, text) => {
          const places = new Finder(texts).places(text);
          const marks = Array.from({ length: text.length }, () => false);
          for (const [from, to] of places) marks.fill(true, from, to);
          expect(marks).toEqual(covered(text, texts));
          // In order, and none reaches into the next.
          for (const [index, [from]] of places.entries())
            expect(from).toBeGreaterThanOrEqual(places[index - 1]?.[1] ?? 0);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("keeps places apart that touch, and makes one of those that overlap", () => {
    const finder = new Finder(["secret", "abcd", "cdef"]);
    expect(finder.places("secretsecret abcdef")).toEqual([
      [0, 6],
      [6, 12],
      [13, 19],
    ]);
    expect(new Finder([]).places("secret")).toEqual([]);
    expect(finder.places("")).toEqual([]);
  });

  it("looks through a text of one letter for texts of that letter, at once (attack G3)", () => {
    const text = "a".repeat(300_000);
    const finder = new Finder(Array.from({ length: 500 }, (_, index) => "a".repeat(index + 100)));
    expect(finder.places(text)).toEqual([[0, 300_000]]);
  });
});
