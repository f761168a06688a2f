import { describe, expect, it } from "vitest";
import { parseVerifyingKey } from "./key.js";
import { keysFromSecret } from "./keys-from-secret.js";

const OLD = "old-".repeat(8);
const NEW = "new-".repeat(8);
const PLACE = ["approval", "a", "1"];

describe("keys from one secret", () => {
  it("are the same wherever the secret is: one verifies and opens what another signed and sealed", () => {
    const [here, there] = [keysFromSecret(NEW), keysFromSecret(` ${NEW}\n`)];
    expect(parseVerifyingKey(there.signing.publicKey).verify("text", here.signing.sign("text"))).toBe(true);
    expect(there.sealing.open(here.sealing.seal("text", PLACE), PLACE)).toBe("text");
    expect(there.mask).toEqual(here.mask);
    expect(there.fingerprints).toEqual(here.fingerprints);
  });

  it("are others for another secret: nothing of one is taken by the other", () => {
    const [here, there] = [keysFromSecret(OLD), keysFromSecret(NEW)];
    expect(parseVerifyingKey(there.signing.publicKey).verify("text", here.signing.sign("text"))).toBe(false);
    expect(() => there.sealing.open(here.sealing.seal("text", PLACE), PLACE)).toThrow(/sealed with the key/);
    expect(there.mask).not.toEqual(here.mask);
    expect(there.fingerprints).not.toEqual(here.fingerprints);
  });

  it("of a new secret behind the old one still verify and open what the old one made, and make nothing with it", () => {
    const [old, both, next] = [keysFromSecret(OLD), keysFromSecret(`${OLD} ${NEW}`), keysFromSecret(NEW)];
    expect(both.trusted).toEqual([old.signing.publicKey]);
    expect(both.signing.publicKey).toBe(next.signing.publicKey);
    expect(both.sealing.open(old.sealing.seal("text", PLACE), PLACE)).toBe("text");
    expect(next.sealing.open(both.sealing.seal("text", PLACE), PLACE)).toBe("text");
    expect(both.fingerprints).toEqual([...old.fingerprints, ...next.fingerprints]);
  });

  it("give the secret away nowhere", () => {
    const { signing, trusted, fingerprints } = keysFromSecret(`${OLD},${NEW}`);
    const shown = JSON.stringify([signing, trusted, fingerprints]);
    for (const secret of [OLD, NEW]) expect(shown).not.toContain(secret);
  });

  it.each(["", "   ", "short", `${NEW} short`])("are not made from %j", (secret) => {
    expect(() => keysFromSecret(secret)).toThrow(/at least 32 random characters/);
  });
});
