import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isConfirmationToken } from "../../core/token.js";

/** What a device was shown: one call of one approval, in one session. */
interface Shown {
  readonly sessionId: string;
  readonly approvalId: string;
  readonly toolCallHash: string;
}

/**
 * The `confirmation_token` of a socket message. It tells which call was on the screen, and works for that call in that session
 * alone; who answers is the session's matter. Nothing is stored: after a restart everything is shown again, with new ones.
 */
export class SkillTokens {
  readonly #key = randomBytes(32);

  issue({ sessionId, approvalId, toolCallHash }: Shown): string {
    const shown = JSON.stringify(["countersign.shown.v1", sessionId, approvalId, toolCallHash]);
    return `pa_${createHmac("sha256", this.#key).update(shown).digest("hex").slice(0, 32)}`;
  }

  fits(token: unknown, shown: Shown): boolean {
    return isConfirmationToken(token) && timingSafeEqual(Buffer.from(token), Buffer.from(this.issue(shown)));
  }
}
