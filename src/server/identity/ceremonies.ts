import { randomBytes } from "node:crypto";
import type { Context } from "./context.js";
import { passkeyRefused } from "./webauthn.js";

/** Long enough to find a finger, too short to carry a challenge elsewhere. */
export const CEREMONY_LIVES = 90_000;

/*
 * A ceremony is one challenge: opened, then spent by the first answer that names it, right or wrong. Its kind, person and
 * session are fixed when it opens, so that an answer to one question is never an answer to another.
 */
export interface Ceremony {
  readonly challenge: string;
  readonly kind: "register" | "sign_in" | "elevate" | "decide";
  readonly userId?: string;
  readonly sessionId?: string;
  /** What a decision is about; only with `decide`. */
  readonly decision?: {
    readonly workspaceId: string;
    readonly approvalId: string;
    readonly toolCallHash: string;
    readonly decision: "approve" | "deny";
    readonly nonce: string;
  };
}

interface CeremonyRow {
  readonly rp_id: string;
  readonly workspace_id: string | null;
  readonly approval_id: string | null;
  readonly tool_call_hash: string | null;
  readonly decision: "approve" | "deny" | null;
  readonly nonce: string | null;
}

export function randomChallenge(): string {
  return randomBytes(32).toString("base64url");
}

export async function openCeremony({ database, clock, relyingParty }: Context, ceremony: Ceremony): Promise<void> {
  const now = clock.now();
  const about = ceremony.decision;
  await database.run(
    `INSERT INTO identity_ceremony (challenge, kind, user_id, session_id, workspace_id, approval_id, tool_call_hash, decision,
       nonce, rp_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ceremony.challenge,
    ceremony.kind,
    ceremony.userId ?? null,
    ceremony.sessionId ?? null,
    about?.workspaceId ?? null,
    about?.approvalId ?? null,
    about?.toolCallHash ?? null,
    about?.decision ?? null,
    about?.nonce ?? null,
    relyingParty.id,
    now,
    now + CEREMONY_LIVES,
  );
}

/**
 * Spends the challenge in a write of its own, before anything is verified: a failed answer leaves nothing to try again with.
 * Of any number of answers to one challenge, one gets past here.
 */
export async function spendCeremony(
  { database, clock, relyingParty }: Context,
  { challenge, kind, userId, sessionId }: Pick<Ceremony, "challenge" | "kind" | "userId" | "sessionId">,
): Promise<Ceremony> {
  const now = clock.now();
  const [row] = await database.run<CeremonyRow>(
    `UPDATE identity_ceremony SET used_at = ?
     WHERE challenge = ? AND kind = ? AND used_at IS NULL AND expires_at > ?
       AND COALESCE(user_id, '') = ? AND COALESCE(session_id, '') = ?
     RETURNING rp_id, workspace_id, approval_id, tool_call_hash, decision, nonce`,
    now,
    challenge,
    kind,
    now,
    userId ?? "",
    sessionId ?? "",
  );
  if (row === undefined || row.rp_id !== relyingParty.id) throw passkeyRefused("no such open ceremony");
  const { workspace_id, approval_id, tool_call_hash, decision, nonce } = row;
  const bound = { challenge, kind, ...(userId && { userId }), ...(sessionId && { sessionId }) };
  if (kind !== "decide") return bound;
  if (!workspace_id || !approval_id || !tool_call_hash || !decision || !nonce) throw passkeyRefused("ceremony");
  return {
    ...bound,
    decision: { workspaceId: workspace_id, approvalId: approval_id, toolCallHash: tool_call_hash, decision, nonce },
  };
}
