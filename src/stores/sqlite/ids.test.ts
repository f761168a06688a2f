import { describe, expect, it } from "vitest";
import { newId } from "../../core/ids.js";
import { packId, unpackId } from "./ids.js";

describe("ids in a file", () => {
  it("are 16 bytes where they are UUIDs, and read as they were written", () => {
    for (const id of [
      newId(),
      newId(),
      "00000000-0000-0000-0000-000000000000",
      "01234567-89ab-cdef-0123-456789abcdef",
    ]) {
      const packed = packId(id);
      expect(packed).toEqual(Buffer.from(id.replaceAll("-", ""), "hex"));
      expect(unpackId(packed)).toBe(id);
    }
  });

  it("stay text where anything is different from a UUID as it is written here", () => {
    const id = newId();
    const others = [
      id.toUpperCase(),
      `${id}.2`,
      id.slice(1),
      `${id.slice(0, -1)}g`,
      `${id.slice(0, -1)}\u0430`,
      id.replace("-", "0"),
      "",
    ];
    for (const other of others) expect(packId(other)).toBe(other);
  });
});
