import { randomBytes } from "node:crypto";
import type { PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import type { Person } from "../../core/approval.js";
import { CountersignError } from "../../core/errors.js";
import { noteUse, verifyAssertion } from "./assertion.js";
import { CEREMONY_LIVES, openCeremony, spendCeremony } from "./ceremonies.js";
import { type Context, change } from "./context.js";
import { jwkOf } from "./cose.js";
import { type DecisionBinding, decisionChallenge, type StepUpEvidence, verifyStepUpEvidence } from "./evidence.js";
import { credentialsOf } from "./passkeys.js";
import { type PersonPrincipal, personOf } from "./principal.js";
import { type Assertion, challengeOf, passkeyRefused, webauthn } from "./webauthn.js";

/** The answer a passkey is asked to sign. */
export type Question = Pick<DecisionBinding, "approvalId" | "toolCallHash" | "decision">;

export interface SteppedUp {
  /** The person as the gate knows one, with the strongest assurance there is. */
  readonly person: Person;
  readonly evidence: StepUpEvidence;
}

/** A decision as a passkey assertion over the call's hash. Takes persons only; an agent has neither session nor passkey. */
export class StepUp {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Whether this person can be asked for it at all. */
  async isEnrolled(userId: string): Promise<boolean> {
    // A count is a row also where it is none, so that it can be recalled: every yes asks for it.
    const [row] = await this.#context.database.recall<{ passkeys: number }>(
      "SELECT count(*) AS passkeys FROM identity_passkey WHERE user_id = ? AND revoked_at IS NULL",
      userId,
    );
    return row?.passkeys !== 0;
  }

  async begin(principal: PersonPrincipal, question: Question): Promise<PublicKeyCredentialRequestOptionsJSON> {
    personOf(principal);
    checkQuestion(question);
    const { userId, workspaceId, session } = principal;
    const allowCredentials = await credentialsOf(this.#context.database, userId);
    if (allowCredentials.length === 0) {
      throw new CountersignError("passkey_refused", "There is no passkey yet. Add one before deciding with it.");
    }
    const binding = { ...pick(question), workspaceId, userId, nonce: randomBytes(32).toString("base64url") };
    const challenge = decisionChallenge(binding);
    await openCeremony(this.#context, {
      challenge,
      kind: "decide",
      userId,
      sessionId: session.sessionId,
      decision: binding,
    });
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID: this.#context.relyingParty.id,
      challenge: Uint8Array.from(Buffer.from(challenge, "base64url")),
      timeout: CEREMONY_LIVES,
      userVerification: "required",
      allowCredentials,
    });
  }

  /** The question is the one about to be decided: an answer that was signed for another call, or another word, is refused. */
  async finish(principal: PersonPrincipal, question: Question, response: Assertion): Promise<SteppedUp> {
    const { userId, workspaceId, session } = principal;
    const { sessionId } = session;
    const challenge = challengeOf(response);
    const { decision: opened } = await spendCeremony(this.#context, { challenge, kind: "decide", userId, sessionId });
    if (opened === undefined) throw passkeyRefused("ceremony");
    const binding: DecisionBinding = { ...pick(question), workspaceId, userId, nonce: opened.nonce };
    if (decisionChallenge(binding) !== challenge) {
      await this.#tellRefusal(principal, question);
      throw passkeyRefused("another decision");
    }
    const shown = await verifyAssertion(this.#context, response, challenge, userId).catch(async (error: unknown) => {
      await this.#tellRefusal(principal, question);
      throw error;
    });
    const { clientDataJSON, authenticatorData, signature } = response.response;
    const evidence: StepUpEvidence = {
      version: 1,
      ...binding,
      rpId: this.#context.relyingParty.id,
      origin: shown.origin,
      credentialId: shown.passkey.credential_id,
      publicKey: await jwkOf(shown.passkey.public_key),
      clientDataJSON,
      authenticatorData,
      signature,
    };
    // What cannot be proven later is not accepted now.
    if (!verifyStepUpEvidence(evidence).ok) throw passkeyRefused("evidence");
    await change(this.#context, (queries) => noteUse(queries, shown, this.#context.clock.now()));
    return { person: { ...personOf(principal), assurance: "passkey_over_hash" }, evidence };
  }

  async #tellRefusal({ workspaceId, userId }: PersonPrincipal, { approvalId }: Question): Promise<void> {
    await change(this.#context, (queries) =>
      this.#context.events.add(queries, workspaceId, "passkey.refused", userId, { approvalId: String(approvalId) }),
    );
  }
}

function pick({ approvalId, toolCallHash, decision }: Question): Question {
  return { approvalId, toolCallHash, decision };
}

function checkQuestion({ approvalId, toolCallHash, decision }: Question): void {
  const good =
    typeof approvalId === "string" &&
    approvalId !== "" &&
    /^[0-9a-f]{64}$/.test(toolCallHash) &&
    (decision === "approve" || decision === "deny");
  if (!good) {
    throw new CountersignError(
      "invalid_decision",
      'A decision names an approvalId, the toolCallHash that was shown (64 hex digits), and "approve" or "deny".',
    );
  }
}
