import { describe, expect, it } from "vitest";
import { generateSigningKey, parseSigningKey, parseVerifyingKey } from "./key.js";

/** The example key, text and signature that the note package of the Go project publishes. */
const PUBLISHED = {
  secret: "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz",
  public: "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
  text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
  signature: "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=",
};

describe("signing keys", () => {
  it("read and sign what other tools for signed notes read and sign", () => {
    const key = parseSigningKey(PUBLISHED.secret);
    expect(key.publicKey).toBe(PUBLISHED.public);
    const signature = Buffer.concat([Buffer.from(key.keyId, "hex"), key.sign(PUBLISHED.text)]);
    expect(signature.toString("base64")).toBe(PUBLISHED.signature);
    expect(parseVerifyingKey(PUBLISHED.public).verify(PUBLISHED.text, signature.subarray(4))).toBe(true);
  });

  it("are new each time and verify only their own signatures", () => {
    const [a, b] = [generateSigningKey("ops.example"), generateSigningKey("ops.example")].map(parseSigningKey);
    if (!a || !b) throw new Error("two keys were made");
    expect(a.publicKey).not.toBe(b.publicKey);
    expect(parseVerifyingKey(a.publicKey).verify("text", a.sign("text"))).toBe(true);
    expect(parseVerifyingKey(b.publicKey).verify("text", a.sign("text"))).toBe(false);
    expect(parseVerifyingKey(a.publicKey).verify("texts", a.sign("text"))).toBe(false);
  });

  it.each([
    ["another name", PUBLISHED.public.replace("Peter", "Petra")],
    ["another key hash", PUBLISHED.public.replace("c74f20a3", "c74f20a4")],
    ["another kind of key", PUBLISHED.public.replace("+ARpc", "+AhpC")],
    ["a lenient base64", PUBLISHED.public.replace("10TW", "10TX=")],
    ["a private key where a public one belongs", PUBLISHED.secret],
    ["nothing", ""],
  ])("refuse %s (attack G7)", (_, text) => {
    expect(() => parseVerifyingKey(text)).toThrow("not a key");
  });

  it("never put a private key into a message", () => {
    const secret = generateSigningKey("ops.example");
    const broken = `${secret}x`;
    expect(() => parseSigningKey(broken)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secret.slice(-20)) }),
    );
    expect(() => generateSigningKey("two words")).toThrow("without blanks");
  });
});
