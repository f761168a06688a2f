import type { JsonWebKey } from "node:crypto";
import { passkeyRefused } from "./webauthn.js";

/** COSE's labels: common to all keys, then by key type. */
const KEY_TYPE = 1;
const CURVE_OR_MODULUS = -1;
const X_OR_EXPONENT = -2;
const Y = -3;

/** A passkey's public key in the form that `node:crypto`, and any other tool, reads without CBOR. */
export async function jwkOf(publicKey: string): Promise<JsonWebKey> {
  const { decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  const decoded = decodeCredentialPublicKey(Uint8Array.from(Buffer.from(publicKey, "base64url")));
  const cose = decoded as unknown as ReadonlyMap<number, unknown>;
  const part = (label: number) => Buffer.from(cose.get(label) as Uint8Array).toString("base64url");
  switch (cose.get(KEY_TYPE)) {
    case 1:
      return { kty: "OKP", crv: "Ed25519", x: part(X_OR_EXPONENT) };
    case 2:
      return { kty: "EC", crv: "P-256", x: part(X_OR_EXPONENT), y: part(Y) };
    case 3:
      return { kty: "RSA", n: part(CURVE_OR_MODULUS), e: part(X_OR_EXPONENT) };
    default:
      throw passkeyRefused("key type");
  }
}
