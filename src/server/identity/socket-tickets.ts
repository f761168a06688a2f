import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "./context.js";
import { hashSecret, isPlausible } from "./secrets.js";

/** From the page's request to the first message on its socket. */
const LIVES = 30_000;
const TICKET = /^cst_([0-9a-z]{1,10})_([\w-]{22})_([\w-]{43})$/;

/**
 * What a browser's socket has to say first. A cookie comes along with whatever any page opens; a ticket is only read by a page that
 * may read our answers. It is made from the session's own token, so that it fits that session alone, on every instance, and dies
 * with it; and it is good once.
 */
export class SocketTickets {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  issue(sessionToken: string): { readonly ticket: string; readonly expiresAt: number } {
    const expiresAt = this.#context.clock.now() + LIVES;
    const [until, nonce] = [expiresAt.toString(36), randomBytes(16).toString("base64url")];
    return { ticket: `cst_${until}_${nonce}_${macOf(sessionToken, until, nonce)}`, expiresAt };
  }

  /** True once for a ticket of this session that is still good; of two that spend it at once, for one. */
  async spend(ticket: unknown, sessionToken: string): Promise<boolean> {
    if (!isPlausible(ticket)) return false;
    const [, until = "", nonce = "", mac = ""] = TICKET.exec(ticket) ?? [];
    const wanted = macOf(sessionToken, until, nonce);
    if (mac.length !== wanted.length || !timingSafeEqual(Buffer.from(mac), Buffer.from(wanted))) return false;
    const expiresAt = Number.parseInt(until, 36);
    if (this.#context.clock.now() >= expiresAt) return false;
    const first = await this.#context.database.run(
      "INSERT INTO identity_seen_proof (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING RETURNING id",
      hashSecret(ticket),
      expiresAt,
    );
    return first.length === 1;
  }
}

function macOf(sessionToken: string, until: string, nonce: string): string {
  const said = JSON.stringify(["countersign.socket.v1", until, nonce]);
  return createHmac("sha256", sessionToken).update(said).digest("base64url");
}
