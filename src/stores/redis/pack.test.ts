import fc from "fast-check";
import { expect, test } from "vitest";
import { LENGTH_WIDTH, pack } from "./pack.js";

/** As the script does: a length in so many bytes, and then as many. */
function unpack(packed: string): string[] {
  const bytes = Buffer.from(packed);
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + LENGTH_WIDTH;
    at = start + Number(bytes.toString("utf8", at, start));
    texts.push(bytes.toString("utf8", start, at));
  }
  return texts;
}

test("texts come apart as they were put together, by their length in bytes", () => {
  for (const texts of [
    [],
    [""],
    ["", "a", ""],
    ["x".repeat(1_023), "y".repeat(1_024)],
    ["批准", "ok"],
    ["é"],
    ["a\0b\n"],
  ]) {
    expect(unpack(pack(texts))).toEqual(texts);
  }
});

test("any texts come apart as they were put together", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      expect(unpack(pack(texts))).toEqual(texts);
    }),
  );
});
