import type { Context } from "./context.js";
import type { Queries } from "./database.js";
import { type Assertion, passkeyRefused, webauthn } from "./webauthn.js";

interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: string;
  readonly public_key: string;
  readonly counter: number;
  readonly rp_id: string;
  readonly transports: string;
  readonly webauthn_handle: string;
}

/** A passkey that was shown just now, with what the authenticator signed. */
export interface Shown {
  readonly passkey: PasskeyRow;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly origin: string;
}

/**
 * Verifies an assertion over this challenge by a live passkey of ours: user verified, our origin, our relying party and the
 * one the passkey was made for. `userId` binds it to one person; without it the credential says who it is.
 */
export async function verifyAssertion(
  { database, relyingParty }: Context,
  response: Assertion,
  challenge: string,
  userId?: string,
): Promise<Shown> {
  const passkey = await database.get<PasskeyRow>(
    `SELECT p.id, p.user_id, p.credential_id, p.public_key, p.counter, p.rp_id, p.transports, u.webauthn_handle
     FROM identity_passkey p JOIN identity_user u ON u.id = p.user_id
     WHERE p.credential_id = ? AND p.revoked_at IS NULL AND u.disabled_at IS NULL`,
    String(response?.id),
  );
  if (passkey === undefined || passkey.rp_id !== relyingParty.id) throw passkeyRefused("no such passkey");
  if (userId !== undefined && passkey.user_id !== userId) throw passkeyRefused("another person's passkey");
  // The library leaves this to us: a discoverable credential names its user, and it must be the one it was made for.
  const handle = response.response.userHandle;
  if (handle === undefined ? userId === undefined : handle !== passkey.webauthn_handle) {
    throw passkeyRefused("user handle");
  }
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...relyingParty.origins],
      expectedRPID: relyingParty.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: Uint8Array.from(Buffer.from(passkey.public_key, "base64url")),
        counter: passkey.counter,
      },
    });
    if (!verified) throw new Error("signature");
    const { newCounter, credentialBackedUp, origin } = authenticationInfo;
    return { passkey, counter: newCounter, backedUp: credentialBackedUp, origin };
  } catch (cause) {
    throw passkeyRefused(cause);
  }
}

/**
 * Notes the use. A counter that does not rise means a copy, or a second answer racing this one; synced passkeys stay at zero
 * and prove nothing by it.
 */
export async function noteUse(queries: Queries, { passkey, counter, backedUp }: Shown, now: number): Promise<void> {
  const used = await queries.run(
    `UPDATE identity_passkey SET counter = ?, backed_up = ?, last_used_at = ?
     WHERE id = ? AND revoked_at IS NULL AND (counter < ? OR (counter = 0 AND ? = 0)) RETURNING id`,
    counter,
    backedUp ? 1 : 0,
    now,
    passkey.id,
    counter,
    counter,
  );
  if (used.length === 0) throw passkeyRefused("counter");
}
