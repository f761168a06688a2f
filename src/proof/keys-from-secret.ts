import { hkdfSync } from "node:crypto";
import { CountersignError } from "../core/errors.js";
import { parseSigningKey, type SigningKey, signingKeyOf } from "./key.js";
import { createKeyRing, type KeyRing } from "./seal.js";

/** Everything an instance signs, seals and masks with. */
export interface InstanceKeys {
  readonly signing: SigningKey;
  /** Public keys of secrets that came before, whose checkpoints still count. */
  readonly trusted: readonly string[];
  readonly sealing: KeyRing;
  /** For the fingerprints of hidden values. */
  readonly mask: Uint8Array;
  /** For the hashes that stay of erased calls. */
  readonly kept: string;
  /** One for each secret, oldest first. Tells secrets apart and gives nothing of them away. */
  readonly fingerprints: readonly string[];
}

/** As many characters as 24 random bytes have in base64: what people can remember is shorter. */
const SHORTEST = 32;

/**
 * All keys from one secret, so that equal instances on one store need to share nothing else: what one of them signed or sealed,
 * every other verifies and opens. The secret is random text of at least 32 characters. To change it, put the new one behind
 * the old one with a blank between them: the last one signs and seals, all of them verify and open.
 */
export function keysFromSecret(secret: string, name = "countersign"): InstanceKeys {
  const secrets = secret.split(/[\s,]+/).filter((text) => text !== "");
  const newest = secrets.at(-1);
  if (newest === undefined || secrets.some((text) => text.length < SHORTEST)) {
    throw new CountersignError(
      "invalid_call",
      `A secret for keys is at least ${SHORTEST} random characters, for example from: openssl rand -base64 32`,
    );
  }
  const signing = secrets.map((text) => parseSigningKey(signingKeyOf(name, derived(text, "signing"))));
  return {
    signing: signing.at(-1) as SigningKey,
    trusted: signing.slice(0, -1).map(({ publicKey }) => publicKey),
    sealing: createKeyRing(secrets.map((text) => derived(text, "sealing").toString("base64"))),
    mask: derived(newest, "mask"),
    // The oldest: a hash that was kept has to be found again under every later secret.
    kept: derived(secrets[0] as string, "kept").toString("base64url"),
    fingerprints: secrets.map((text) => derived(text, "fingerprint").toString("hex").slice(0, 32)),
  };
}

/** Each purpose has a key of its own: whoever learns one of them learns nothing of the others. */
function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `countersign/${purpose}/v1`, 32));
}
