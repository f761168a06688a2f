import { describe, expect, it } from "vitest";
import { MAX_RESULT, reportedResult } from "./result.js";

describe("a result that is reported", () => {
  it("is what JSON says of the value", () => {
    expect(reportedResult({ at: new Date(0), left: undefined })).toEqual({
      result: { at: "1970-01-01T00:00:00.000Z" },
    });
    expect(reportedResult(null)).toEqual({ result: null });
  });

  it("is nothing where JSON cannot say it", () => {
    const circle: { self?: object } = {};
    circle.self = circle;
    for (const value of [undefined, () => 1, 1n, circle]) expect(reportedResult(value)).toEqual({});
  });

  it("is nothing where its text is longer than anybody would read", () => {
    const longest = "x".repeat(MAX_RESULT - 2);
    expect(reportedResult(longest)).toEqual({ result: longest });
    expect(reportedResult(`${longest}x`)).toEqual({});
  });
});
