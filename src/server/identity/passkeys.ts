import type {
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import { CountersignError } from "../../core/errors.js";
import { noteUse, verifyAssertion } from "./assertion.js";
import { requireFresh } from "./authority.js";
import { CEREMONY_LIVES, openCeremony, randomChallenge, spendCeremony } from "./ceremonies.js";
import { type Context, change, checkName, notFound } from "./context.js";
import type { Queries } from "./database.js";
import type { Session } from "./principal.js";
import { newPrefixedId } from "./secrets.js";
import { elevateSession, notSignedIn, type StartedSession, startSession } from "./sessions.js";
import { ALGORITHMS, type Assertion, challengeOf, passkeyRefused, type Registration, webauthn } from "./webauthn.js";

/** The browser says these without proof: known words are kept as hints for later ceremonies, all else is dropped. */
const TRANSPORTS: readonly AuthenticatorTransport[] = ["ble", "hybrid", "internal", "nfc", "usb"];

export interface PasskeyView {
  readonly passkeyId: string;
  readonly label: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** Whether it is synced to other devices of the person. */
  readonly backedUp: boolean;
}

/** Enrolling passkeys, and showing one: to sign in, or to make a session fresh. */
export class Passkeys {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** The first passkey is trusted as it comes and told everywhere; a further one needs one that is there. */
  async beginRegistration(session: Session): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { database, clock, relyingParty } = this.#context;
    await requireFresh(database, session, "passkey.added", clock.now());
    const user = await database.get<{ name: string; webauthn_handle: string }>(
      "SELECT name, webauthn_handle FROM identity_user WHERE id = ? AND disabled_at IS NULL",
      session.userId,
    );
    if (user === undefined) throw notSignedIn();
    const challenge = randomChallenge();
    await openCeremony(this.#context, {
      challenge,
      kind: "register",
      userId: session.userId,
      sessionId: session.sessionId,
    });
    const { generateRegistrationOptions } = await webauthn();
    return generateRegistrationOptions({
      rpName: relyingParty.name,
      rpID: relyingParty.id,
      userName: user.name,
      userDisplayName: user.name,
      userID: bytes(user.webauthn_handle),
      // Bytes: the library would encode a text once more.
      challenge: bytes(challenge),
      timeout: CEREMONY_LIVES,
      attestationType: "none",
      excludeCredentials: await credentialsOf(database, session.userId),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  /** Enrols the passkey and elevates the session: its token is replaced by the one returned. */
  async finishRegistration(session: Session, response: Registration, label = "Passkey"): Promise<StartedSession> {
    const { clock, events, relyingParty } = this.#context;
    checkName(label, "label");
    const challenge = challengeOf(response);
    const { userId, sessionId } = session;
    await spendCeremony(this.#context, { challenge, kind: "register", userId, sessionId });
    const { credential, aaguid, credentialBackedUp } = await verifyRegistration(this.#context, response, challenge);
    return change(this.#context, async (queries) => {
      // Again, for a first passkey may have been enrolled while this ceremony was open.
      await requireFresh(queries, session, "passkey.added", clock.now());
      const first = (await credentialsOf(queries, userId)).length === 0;
      const passkeyId = newPrefixedId("psk");
      const added = await queries.run(
        `INSERT INTO identity_passkey (id, user_id, credential_id, public_key, counter, rp_id, aaguid, transports, backed_up, label,
           created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (credential_id) DO NOTHING RETURNING id`,
        passkeyId,
        userId,
        credential.id,
        Buffer.from(credential.publicKey).toString("base64url"),
        credential.counter,
        relyingParty.id,
        aaguid,
        JSON.stringify(TRANSPORTS.filter((transport) => credential.transports?.includes(transport))),
        credentialBackedUp ? 1 : 0,
        label,
        clock.now(),
      );
      if (added.length === 0) throw passkeyRefused("credential id is taken");
      await events.addForPerson(queries, userId, "passkey.added", userId, { passkeyId, first });
      return elevateSession(this.#context, queries, session);
    });
  }

  /** Signing in names nobody: the authenticator knows whose passkeys it holds. */
  async beginSignIn(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const challenge = randomChallenge();
    await openCeremony(this.#context, { challenge, kind: "sign_in" });
    return this.#ask(challenge);
  }

  async finishSignIn(response: Assertion): Promise<StartedSession> {
    const challenge = challengeOf(response);
    await spendCeremony(this.#context, { challenge, kind: "sign_in" });
    const shown = await verifyAssertion(this.#context, response, challenge);
    return change(this.#context, async (queries) => {
      await noteUse(queries, shown, this.#context.clock.now());
      return startSession(this.#context, queries, shown.passkey.user_id, { kind: "web", amr: "passkey" });
    });
  }

  /** Shows a passkey again, so that the session is fresh for a weakening. */
  async beginElevation(session: Session): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { userId, sessionId } = session;
    if (session.kind !== "web") throw new CountersignError("not_permitted", "A passkey is shown in the browser.");
    const challenge = randomChallenge();
    await openCeremony(this.#context, { challenge, kind: "elevate", userId, sessionId });
    return this.#ask(challenge, await credentialsOf(this.#context.database, userId));
  }

  async finishElevation(session: Session, response: Assertion): Promise<StartedSession> {
    const { userId, sessionId } = session;
    const challenge = challengeOf(response);
    await spendCeremony(this.#context, { challenge, kind: "elevate", userId, sessionId });
    const shown = await verifyAssertion(this.#context, response, challenge, userId);
    return change(this.#context, async (queries) => {
      await noteUse(queries, shown, this.#context.clock.now());
      return elevateSession(this.#context, queries, session);
    });
  }

  async list(session: Session): Promise<readonly PasskeyView[]> {
    const rows = await this.#context.database.all<{
      id: string;
      label: string;
      created_at: number;
      last_used_at: number | null;
      backed_up: number;
    }>(
      `SELECT id, label, created_at, last_used_at, backed_up FROM identity_passkey
       WHERE user_id = ? AND revoked_at IS NULL ORDER BY created_at, id`,
      session.userId,
    );
    return rows.map(({ id, label, created_at, last_used_at, backed_up }) => ({
      passkeyId: id,
      label,
      createdAt: created_at,
      lastUsedAt: last_used_at,
      backedUp: backed_up === 1,
    }));
  }

  /** Removing the last one turns the stronger proof off, and so needs it one more time. */
  async remove(session: Session, passkeyId: string): Promise<void> {
    const { clock, events } = this.#context;
    await change(this.#context, async (queries) => {
      const last = (await credentialsOf(queries, session.userId)).length === 1;
      if (last) await requireFresh(queries, session, "passkey.last_removed", clock.now());
      const removed = await queries.run(
        "UPDATE identity_passkey SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL RETURNING id",
        clock.now(),
        passkeyId,
        session.userId,
      );
      if (removed.length === 0) throw notFound("passkey");
      await events.addForPerson(queries, session.userId, "passkey.removed", session.userId, { passkeyId, last });
    });
  }

  async #ask(
    challenge: string,
    allowCredentials?: Awaited<ReturnType<typeof credentialsOf>>,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID: this.#context.relyingParty.id,
      challenge: bytes(challenge),
      timeout: CEREMONY_LIVES,
      userVerification: "required",
      ...(allowCredentials === undefined ? {} : { allowCredentials }),
    });
  }
}

async function verifyRegistration({ relyingParty }: Context, response: Registration, challenge: string) {
  const { verifyRegistrationResponse } = await webauthn();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...relyingParty.origins],
      expectedRPID: relyingParty.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Error("attestation");
    return registrationInfo;
  } catch (cause) {
    throw passkeyRefused(cause);
  }
}

/** The live passkeys of a person, as ceremonies name them. */
export async function credentialsOf(
  queries: Queries,
  userId: string,
): Promise<{ id: string; transports: AuthenticatorTransport[] }[]> {
  const rows = await queries.all<{ credential_id: string; transports: string }>(
    "SELECT credential_id, transports FROM identity_passkey WHERE user_id = ? AND revoked_at IS NULL ORDER BY id",
    userId,
  );
  return rows.map(({ credential_id, transports }) => ({
    id: credential_id,
    transports: JSON.parse(transports) as AuthenticatorTransport[],
  }));
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(base64url, "base64url"));
}
