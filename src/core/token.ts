import { randomUUID, timingSafeEqual } from "node:crypto";
import { newEntry, shortHash } from "./audit.js";
import { randomHex, randomPooled, sha256, sha256Base64 } from "./ids.js";
import type { NewEntry } from "./ports.js";

const CONFIRMATION_TOKEN = /^pa_[0-9a-f]{32}$/;

/** Permission to run one call once. Minted only on approval; stored as a hash; spent by the claim. */
export interface ApprovalToken {
  readonly tokenId: string;
  readonly approvalId: string;
  readonly toolCallHash: string;
  readonly expiresAt: string;
  readonly singleUse: true;
  readonly scope?: { readonly kind: "once" };
  readonly issuedToClientDeviceId?: string;
}

/** Handle of a pending approval: 128 random bits with nothing inside. It locates; it never authorises. */
export function newConfirmationToken(): string {
  return `pa_${randomHex(32)}`;
}

export function isConfirmationToken(value: unknown): value is string {
  return typeof value === "string" && CONFIRMATION_TOKEN.test(value);
}

/** What the chain says of a token: for which call, and until when. */
export function mintedEntry(approvalId: string, toolCallHash: string, expiresAt: number): NewEntry {
  return newEntry("token.minted", approvalId, { hash: shortHash(toolCallHash), expiresAt });
}

export function newTokenId(): string {
  return randomUUID();
}

/** 132 bits of the hash: a token has 128 at most, so that more would prove nothing. */
export function hashToken(token: string): string {
  return sha256Base64(`countersign/token/v1\n${token}`).slice(0, 22);
}

/** In place of a token's hash where none was handed out: no token has it, so that none can be presented. */
export function hashOfNoToken(): string {
  return randomPooled(16).toString("base64url");
}

/** The index under which a confirmation token is found; what is found is compared in constant time. */
export function tokenIndex(tokenHash: string): string {
  return `t/${tokenHash}`;
}

/** Both sides are hashed first, so that length and content take the same time whatever is presented. */
export function sameSecret(presented: string, storedHash: string): boolean {
  return timingSafeEqual(sha256(hashToken(presented)), sha256(storedHash));
}
