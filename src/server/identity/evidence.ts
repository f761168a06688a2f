import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";

/** What a decision's challenge binds: exactly this answer to exactly this call, by this person, once. */
export interface DecisionBinding {
  readonly approvalId: string;
  readonly toolCallHash: string;
  readonly decision: "approve" | "deny";
  readonly workspaceId: string;
  readonly userId: string;
  /** 32 random bytes of the server in base64url: without it a challenge for the same call would come again. */
  readonly nonce: string;
}

/**
 * Proof that this person approved or denied exactly this call: it stands in the audit log and is verified again from itself
 * alone, years later, without this server. Bytes are base64url.
 */
export interface StepUpEvidence extends DecisionBinding {
  readonly version: 1;
  readonly rpId: string;
  readonly origin: string;
  readonly credentialId: string;
  /** The passkey's public key at that time. */
  readonly publicKey: JsonWebKey;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

const TAG = "countersign/decision/v1";
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;

/** SHA-256 over the parts, each after its length in four bytes, so that no part can run into the next. */
export function decisionChallenge(binding: DecisionBinding): string {
  const hash = createHash("sha256");
  const parts = [
    Buffer.from(TAG),
    Buffer.from(binding.approvalId),
    Buffer.from(binding.toolCallHash),
    Buffer.from(binding.decision),
    Buffer.from(binding.workspaceId),
    Buffer.from(binding.userId),
    Buffer.from(binding.nonce, "base64url"),
  ];
  for (const part of parts) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    hash.update(length).update(part);
  }
  return hash.digest("base64url");
}

export type EvidenceVerdict = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/**
 * Checks the proof with `node:crypto` alone. Who reads it must know from elsewhere that the public key is the person's
 * (the entry that says the passkey was added) and which relying party and origins to expect.
 */
export function verifyStepUpEvidence(evidence: StepUpEvidence): EvidenceVerdict {
  try {
    const problem = problemOf(evidence);
    return problem === undefined ? { ok: true } : { ok: false, problem };
  } catch (error) {
    return { ok: false, problem: `it cannot be read: ${(error as Error).message}` };
  }
}

function problemOf(evidence: StepUpEvidence): string | undefined {
  if (evidence.version !== 1) return "its version is unknown";
  const clientData = Buffer.from(evidence.clientDataJSON, "base64url");
  const authenticator = Buffer.from(evidence.authenticatorData, "base64url");
  const said = JSON.parse(clientData.toString("utf8")) as Record<string, unknown>;
  if (said["type"] !== "webauthn.get") return "it is not an assertion";
  if (said["challenge"] !== decisionChallenge(evidence)) return "what was signed is not this decision on this call";
  if (said["origin"] !== evidence.origin || said["crossOrigin"] === true) return "it was signed on another page";
  if (authenticator.length < 37) return "the authenticator's data is too short";
  if (!authenticator.subarray(0, 32).equals(createHash("sha256").update(evidence.rpId).digest())) {
    return "it was signed for another relying party";
  }
  const flags = authenticator[32] ?? 0;
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0) return "the person was not verified";
  const signed = Buffer.concat([authenticator, createHash("sha256").update(clientData).digest()]);
  return isSigned(evidence, signed) ? undefined : "the signature is not of this key";
}

function isSigned({ publicKey, signature }: StepUpEvidence, signed: Buffer): boolean {
  const key = createPublicKey({ key: publicKey, format: "jwk" });
  // Ed25519 hashes by itself; ES256 and RS256 are over SHA-256. Any other key is none that could have been enrolled.
  const digest = publicKey.kty === "OKP" ? null : "sha256";
  return verify(digest, signed, key, Buffer.from(signature, "base64url"));
}
