import { describe, expect, it } from "vitest";
import { offsets } from "./sqlparser-tree.js";

describe("offsets", () => {
  const source = "a\n𝒳é\r\n\uffffb";

  it("finds places by line feeds and code points, both counted from one", () => {
    const offset = offsets(source);
    const found = (line: number, column: number): string =>
      source.slice(offset({ line, column }), offset({ line, column }) + 1);
    expect(found(1, 1)).toBe("a");
    expect(offset({ line: 2, column: 1 })).toBe(2);
    expect(found(2, 2)).toBe("é");
    expect(found(3, 1)).toBe("\uffff");
    expect(found(3, 2)).toBe("b");
    expect(offset({ line: 3, column: 3 })).toBe(source.length);
  });

  it.each([undefined, null, {}, { line: 1 }, { column: 1 }, { line: "1", column: 1 }, { line: 1, column: "1" }])(
    "takes %j for no place",
    (place) => {
      expect(offsets(source)(place)).toBeNaN();
    },
  );

  it("takes line zero and what lies behind the end for no place", () => {
    expect(offsets(source)({ line: 0, column: 1 })).toBeNaN();
    expect(offsets(source)({ line: 3, column: 9 })).toBeNaN();
  });
});
