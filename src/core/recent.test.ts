import { describe, expect, it } from "vitest";
import { Recent } from "./recent.js";

describe("the last few of something", () => {
  it("forget the one that was put first when there are too many", () => {
    const recent = new Recent<number>(2);
    recent.put("a", 1);
    recent.put("b", 2);
    recent.put("c", 3);
    expect(["a", "b", "c"].map((name) => recent.get(name))).toEqual([undefined, 2, 3]);
  });

  it("keep longest what was put last, also when it was known before", () => {
    const recent = new Recent<number>(2);
    recent.put("a", 1);
    recent.put("b", 2);
    recent.put("a", 3);
    recent.put("c", 4);
    expect(["a", "b", "c"].map((name) => recent.get(name))).toEqual([3, undefined, 4]);
  });

  it("make room by what is taken out", () => {
    const recent = new Recent<number>(2);
    recent.put("a", 1);
    recent.put("b", 2);
    recent.delete("a");
    recent.put("c", 3);
    expect(["a", "b", "c"].map((name) => recent.get(name))).toEqual([undefined, 2, 3]);
  });
});
