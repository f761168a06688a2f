import { createPublicKey, verify } from "node:crypto";
import { sha256 } from "../../core/ids.js";
import { parseUrl } from "../../core/parse-url.js";

/** How far a device's clock may be off. */
const CLOCK_SKEW = 60_000;
/** A proof can be presented from `CLOCK_SKEW` before our time to as much after it, and its id is remembered for all of that. */
export const PROOF_REMEMBERED = 2 * CLOCK_SKEW;
const MAX_PROOF = 4_096;
const PART = /^[A-Za-z0-9_-]+$/;

export interface ProvenDevice {
  /** RFC 7638 thumbprint of the device's public key. */
  readonly thumbprint: string;
  readonly proofId: string;
}

/** What the proof must be for. The URL is the server's own, from its configuration, never from the request's headers. */
export interface ProofTarget {
  readonly method: string;
  readonly url: string;
  readonly apiKey: string;
  readonly now: number;
}

/**
 * Checks a DPoP-shaped proof (RFC 9449): a JWT signed by the device's Ed25519 key, over method, URL, time, a random id and the
 * hash of the API key. There is one algorithm; what the header says is compared with it, never followed. Undefined for every
 * reason. The caller remembers `proofId`, so that a proof counts once.
 */
export function verifyDeviceProof(proof: unknown, target: ProofTarget): ProvenDevice | undefined {
  if (typeof proof !== "string" || proof.length > MAX_PROOF) return undefined;
  const [header, payload, signature, ...more] = proof.split(".");
  if (!header || !payload || !signature || more.length > 0) return undefined;
  if (![header, payload, signature].every((part) => PART.test(part))) return undefined;
  const { typ, alg, jwk } = decode(header);
  const x = isRecord(jwk) && jwk["kty"] === "OKP" && jwk["crv"] === "Ed25519" ? jwk["x"] : undefined;
  if (typ !== "dpop+jwt" || alg !== "EdDSA" || typeof x !== "string" || !isCanonical(x, 32)) return undefined;
  if (!isCanonical(signature, 64)) return undefined;
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify(null, signed, key, Buffer.from(signature, "base64url"))) return undefined;
  const proofId = matches(decode(payload), target);
  if (proofId === undefined) return undefined;
  return { thumbprint: sha256(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).toString("base64url"), proofId };
}

function matches(claims: Record<string, unknown>, { method, url, apiKey, now }: ProofTarget): string | undefined {
  const { htm, htu, iat, jti, ath } = claims;
  if (htm !== method || typeof htu !== "string" || !sameUrl(htu, url)) return undefined;
  if (typeof iat !== "number" || !Number.isFinite(iat) || Math.abs(now - iat * 1_000) > CLOCK_SKEW) return undefined;
  if (ath !== sha256(apiKey).toString("base64url")) return undefined;
  return typeof jti === "string" && jti.length >= 16 && jti.length <= 128 ? jti : undefined;
}

/** Query and fragment are no part of a proof; everything else is. */
function sameUrl(claimed: string, own: string): boolean {
  const bare = ({ origin, pathname }: URL) => origin + pathname;
  const url = parseUrl(claimed);
  return url !== undefined && bare(url) === bare(new URL(own));
}

/** One spelling per value: other base64 texts of the same bytes would be other thumbprints or other proofs. */
function isCanonical(text: string, length: number): boolean {
  const bytes = Buffer.from(text, "base64url");
  return bytes.length === length && bytes.toString("base64url") === text;
}

function decode(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
