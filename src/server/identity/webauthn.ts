import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { CountersignError } from "../../core/errors.js";

/** Loaded when the first ceremony needs it: it takes longer to load than all the rest of a start. */
export const webauthn = () => import("@simplewebauthn/server");

/** What the browser gives back. It is checked here and by the library, whatever type it claims to have. */
export type Registration = RegistrationResponseJSON;
export type Assertion = AuthenticationResponseJSON;

/** ES256, EdDSA, RS256: what authenticators use, and what `node:crypto` can verify again years later. */
export const ALGORITHMS = [-7, -8, -257];

/** One answer for every reason, so that a guesser learns nothing; the reason goes to the audit log. */
export function passkeyRefused(cause: unknown): CountersignError {
  return new CountersignError("passkey_refused", "The passkey was not accepted. Start again.", { cause });
}

/** The challenge an answer claims to be for: it only finds the row, the signature proves it. */
export function challengeOf(response: Registration | Assertion): string {
  const { challenge, crossOrigin } = clientDataOf(response?.response?.clientDataJSON);
  // The library lets an embedded page pass when the browser does not name the page around it.
  if (typeof challenge !== "string" || crossOrigin === true) throw passkeyRefused("client data");
  return challenge;
}

function clientDataOf(encoded: unknown): { challenge?: unknown; crossOrigin?: unknown } {
  try {
    const data: unknown = JSON.parse(Buffer.from(encoded as string, "base64url").toString("utf8"));
    if (typeof data === "object" && data !== null) return data;
  } catch (error) {
    throw passkeyRefused(error);
  }
  throw passkeyRefused("client data");
}
