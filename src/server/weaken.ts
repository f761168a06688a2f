import { CountersignError } from "../core/errors.js";
import type { Weaken } from "../core/judging/standing.js";
import type { Identity } from "./identity/index.js";

/**
 * What makes the gate ask less needs the person's browser and, once they have one, a passkey shown just now. Somebody who
 * answers through a chat has no session here, and so cannot.
 */
export function weakenBySession(identity: Identity): Weaken {
  return async ({ userId, sessionId }, act) => {
    const session = sessionId === undefined ? undefined : await identity.sessions.live(sessionId);
    if (session?.userId !== userId) {
      throw new CountersignError("fresh_passkey_required", `"${act}" is done in the browser.`, { path: act });
    }
    await identity.requireFresh(session, act);
  };
}
