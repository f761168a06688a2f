import fc from "fast-check";
import { expect, it } from "vitest";
import { pack } from "./pack.js";

/** As MessagePack reads an array and texts with four bytes of length. */
function unpack(packed: Buffer): string[] {
  expect(packed[0]).toBe(0xdd);
  const texts: string[] = [];
  let at = 5;
  while (at < packed.length) {
    expect(packed[at]).toBe(0xdb);
    const end = at + 5 + packed.readUInt32BE(at + 1);
    texts.push(packed.toString("utf8", at + 5, end));
    at = end;
  }
  expect(texts).toHaveLength(packed.readUInt32BE(1));
  return texts;
}

it("gives every text back, however long and in whatever letters", () => {
  const texts = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("表情😀".repeat(3_000))));
  fc.assert(
    fc.property(texts, (given) => {
      expect(unpack(pack(given))).toEqual(given);
    }),
  );
});
