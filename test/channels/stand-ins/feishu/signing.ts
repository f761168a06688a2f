import { createCipheriv, createHash, randomBytes } from "node:crypto";

export interface SignedRequest {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** A callback as the platform posts it: encrypted, then signed over the very bytes that are sent. */
export function signedRequest(event: unknown, encryptKey: string, seconds: number): SignedRequest {
  return signBytes(encryptedBody(event, encryptKey), encryptKey, seconds);
}

export function encryptedBody(event: unknown, encryptKey: string): Buffer {
  const vector = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(encryptKey, "utf8").digest(), vector);
  const sealed = cipher.update(JSON.stringify(event), "utf8", "base64") + cipher.final("base64");
  const encrypt = Buffer.concat([vector, Buffer.from(sealed, "base64")]).toString("base64");
  // Spaces that a verifier of a rewritten body would trip over.
  return Buffer.from(`{ "encrypt": ${JSON.stringify(encrypt)} }`);
}

export function signBytes(body: Buffer, encryptKey: string, seconds: number): SignedRequest {
  const nonce = randomBytes(8).toString("hex");
  const signed = Buffer.concat([Buffer.from(`${seconds}${nonce}${encryptKey}`), body]);
  return {
    body,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "x-lark-request-timestamp": String(seconds),
      "x-lark-request-nonce": nonce,
      "x-lark-signature": createHash("sha256").update(signed).digest("hex"),
    },
  };
}
