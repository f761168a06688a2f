import fc from "fast-check";
import { expect, it } from "vitest";
import { packId, unpackId, writeId } from "./ids.js";

const UUID = "01a1ebea-0569-715c-997a-b32342f27395";

function written(id: string): Buffer {
  const bytes = Buffer.alloc(1 + id.length * 3);
  return bytes.subarray(0, writeId(id, bytes, 0));
}

const oneOff = fc
  .tuple(fc.nat(UUID.length - 1), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }))
  .map(([at, letter]) => UUID.slice(0, at) + letter + UUID.slice(at + 1));

it("gives the same bytes in both notations, and every id back as it was", () => {
  expect(written(UUID)).toHaveLength(17);
  expect(written(UUID.toUpperCase())).toHaveLength(37);
  fc.assert(
    fc.property(fc.oneof(fc.uuid(), oneOff, fc.string({ unit: "binary" })), (id) => {
      expect(`\\x${written(id).toString("hex")}`).toBe(packId(id));
      expect(unpackId(written(id))).toBe(id);
    }),
  );
});
