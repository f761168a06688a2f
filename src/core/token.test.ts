import { describe, expect, it } from "vitest";
import { hashToken, isConfirmationToken, newConfirmationToken, newTokenId, sameSecret, tokenIndex } from "./token.js";

describe("confirmation tokens", () => {
  it("seed A12: are pa_ and 32 hex digits, all different", () => {
    const tokens = Array.from({ length: 1_000 }, newConfirmationToken);
    for (const token of tokens) expect(token).toMatch(/^pa_[0-9a-f]{32}$/);
    expect(new Set(tokens).size).toBe(1_000);
    expect(tokens.every(isConfirmationToken)).toBe(true);
  });

  it("seed A12: use the whole range of every digit, so nothing is embedded", () => {
    const seen = Array.from({ length: 32 }, () => new Set<string>());
    for (let count = 0; count < 2_000; count++) {
      [...newConfirmationToken().slice(3)].forEach((digit, index) => seen[index]?.add(digit));
    }
    expect(seen.map((digits) => digits.size)).toEqual(Array.from({ length: 32 }, () => 16));
  });

  it.each([
    "",
    "pa_",
    `pa_${"0".repeat(31)}`,
    `pa_${"0".repeat(33)}`,
    `PA_${"0".repeat(32)}`,
    `pa_${"A".repeat(32)}`,
    `pa_${"0".repeat(32)}\n`,
    5,
    null,
    ["x"],
  ])("refuses %j before any look-up", (value) => {
    expect(isConfirmationToken(value)).toBe(false);
  });
});

describe("secrets", () => {
  it("seed D16: token ids are UUIDs, all different", () => {
    const ids = Array.from({ length: 1_000 }, newTokenId);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(1_000);
  });

  it("are kept as a hash that says nothing of them, and compared whole, whatever their length", () => {
    const token = newTokenId();
    const hash = hashToken(token);
    expect(hash).not.toContain(token);
    expect(sameSecret(token, hash)).toBe(true);
    for (const other of [
      "",
      token.slice(1),
      `${token} `,
      token.toUpperCase(),
      hash,
      newTokenId(),
      "x".repeat(10_000),
    ]) {
      expect(sameSecret(other, hash)).toBe(false);
    }
    expect(sameSecret(token, hash.slice(0, 21))).toBe(false);
  });

  it("are found by 132 bits of a hash, more than a token has", () => {
    const hash = hashToken(newConfirmationToken());
    expect(tokenIndex(hash)).toBe(`t/${hash}`);
    expect(Buffer.from(hash, "base64url").length * 8).toBeGreaterThanOrEqual(128);
  });
});
