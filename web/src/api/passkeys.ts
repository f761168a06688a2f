import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { type Answer, ClientError, type DecidedView } from "countersign/client";
import { beginStepUp, decide } from "./approvals.js";
import { post } from "./http.js";

/** The person closed the dialog, or the device has no such key: nothing was decided. */
const refused = () => new ClientError({ code: "passkey_refused", detail: "", status: 0, retryable: false });

async function show(optionsJSON: PublicKeyCredentialRequestOptionsJSON) {
  return startAuthentication({ optionsJSON }).catch(() => {
    throw refused();
  });
}

export async function signInWithPasskey(): Promise<void> {
  const options = await post<PublicKeyCredentialRequestOptionsJSON>("/v1/auth/passkey/begin");
  await post("/v1/auth/passkey/finish", { response: await show(options) });
}

export async function addPasskey(label: string): Promise<void> {
  const optionsJSON = await post<PublicKeyCredentialCreationOptionsJSON>("/v1/me/passkeys/begin");
  const response = await startRegistration({ optionsJSON }).catch(() => {
    throw refused();
  });
  await post("/v1/me/passkeys/finish", { response, ...(label === "" ? {} : { label }) });
}

/** Shows the passkey again, so that the session may weaken something. */
async function elevate(): Promise<void> {
  const options = await post<PublicKeyCredentialRequestOptionsJSON>("/v1/auth/elevate/begin");
  await post("/v1/auth/elevate/finish", { response: await show(options) });
}

/** Does it, and where a fresh passkey is asked for, shows one and does it again. */
export async function withFreshPasskey<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== "fresh_passkey_required") throw error;
    await elevate();
    return act();
  }
}

/**
 * Sends an answer. Where the server wants the passkey over this very call, the challenge it gives is bound to the call's hash: an
 * assertion for another call, or another word, is refused there.
 */
export async function decideWithProof(
  approvalId: string,
  answer: Answer,
  { passkey, onPasskey }: { readonly passkey: boolean; readonly onPasskey: () => void },
): Promise<DecidedView> {
  const prove = async () => {
    onPasskey();
    const { decision, toolCallHash, args } = answer;
    const question = { decision, toolCallHash, ...(args === undefined ? {} : { args }) };
    const assertion = await show(await beginStepUp(approvalId, question));
    return withFreshPasskey(() => decide(approvalId, { ...answer, assertion }));
  };
  if (passkey) return prove();
  try {
    return await withFreshPasskey(() => decide(approvalId, answer));
  } catch (error) {
    if (error instanceof ClientError && error.code === "step_up_required" && answer.decision === "approve") {
      return prove().catch((second: unknown) => {
        // Without a passkey nothing can be shown: the first refusal says what to do.
        throw second instanceof ClientError && second.status !== 0 ? error : second;
      });
    }
    throw error;
  }
}
