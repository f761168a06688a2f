import { describe, expect, it } from "vitest";
import { newId, sha256, sha256Hex, shortCode } from "./ids.js";

describe("newId", () => {
  it("makes UUIDs of version 7 that sort in the order they were made", () => {
    const ids = Array.from({ length: 10_000 }, () => newId());
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("goes on sorting when the clock is set back, and within one moment", () => {
    const later = Date.now() + 1_000_000;
    const ids = [newId(later), newId(later - 500_000), newId(0), ...Array.from({ length: 5_000 }, () => newId(later))];
    expect([...ids].sort()).toEqual(ids);
  });
});

describe("hashes and codes", () => {
  it("hash parts like the one text they make", () => {
    expect(sha256("ab", Buffer.from("c")).toString("hex")).toBe(sha256Hex("abc"));
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("give people four characters that cannot be mistaken for one another", () => {
    for (let count = 0; count < 500; count++) expect(shortCode(newId())).toMatch(/^[2-9A-HJKMNP-TV-Z]{4}$/);
    expect(shortCode("a1")).toBe(shortCode("a1"));
  });
});
