import { randomInt } from "node:crypto";
import { CountersignError } from "../../core/errors.js";
import { type Context, change, checkName } from "./context.js";
import type { Limits } from "./limits.js";
import type { Session } from "./principal.js";
import { hashSecret, isPlausible, newPrefixedId, newSecret } from "./secrets.js";
import { type StartedSession, startSession } from "./sessions.js";

/** Consonants: codes spell no words, and nothing in them is taken for something else. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LIVES = 10 * 60_000;
/** A person looks at the terminal meanwhile. */
const POLL_EVERY = 2_000;
/** By how much longer whoever polls sooner than told has to wait each time. */
const SLOW_DOWN = 5_000;
/** Looking at a code and deciding are two tries. */
const MAX_TRIES = 10;

export interface CliSignInStarted {
  /** For the terminal to poll with. */
  readonly deviceCode: string;
  /** For the person to type in the browser. Never filled in for them: who sent the code could be somebody else. */
  readonly userCode: string;
  readonly expiresAt: number;
  readonly interval: number;
}

export type Polled =
  | ({ readonly type: "signed_in" } & StartedSession)
  | { readonly type: "authorization_pending" | "access_denied" | "expired_token" }
  | { readonly type: "slow_down"; readonly interval: number };

interface CliRow {
  readonly id: string;
  readonly client: string;
  readonly status: "pending" | "approved" | "denied" | "redeemed";
  readonly user_id: string | null;
  readonly interval_ms: number;
  readonly next_poll_at: number;
  readonly expires_at: number;
}

/*
 * A terminal signs in by a code that its person approves in the browser (RFC 8628):
 * pending → approved → redeemed, pending → denied; past its time it is neither.
 */
export class CliSignIns {
  readonly #context: Context;
  readonly #limits: Limits;

  constructor(context: Context, limits: Limits) {
    this.#context = context;
    this.#limits = limits;
  }

  async begin(client: string): Promise<CliSignInStarted> {
    const { database, clock } = this.#context;
    const name = checkName(client, "client");
    const deviceCode = newSecret("csc");
    const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
    const expiresAt = clock.now() + CODE_LIVES;
    await database.run(
      `INSERT INTO identity_cli_sign_in
         (id, device_code_hash, user_code_hash, client, status, interval_ms, next_poll_at, expires_at)
       VALUES (?, ?, ?, ?, 'pending', ?, ?, ?)`,
      newPrefixedId("cli"),
      hashSecret(deviceCode),
      hashSecret(letters),
      name,
      POLL_EVERY,
      clock.now() + POLL_EVERY,
      expiresAt,
    );
    return { deviceCode, userCode: `${letters.slice(0, 4)}-${letters.slice(4)}`, expiresAt, interval: POLL_EVERY };
  }

  /** What a code would sign in, for the person to read before they say yes. Changes nothing but the count of tries. */
  async look(session: Session, userCode: string): Promise<{ readonly client: string; readonly expiresAt: number }> {
    await this.#countTry(session);
    const row = await this.#context.database.get<CliRow>(
      "SELECT * FROM identity_cli_sign_in WHERE user_code_hash = ? AND status = 'pending' AND expires_at > ?",
      hashCode(userCode),
      this.#context.clock.now(),
    );
    if (row === undefined) throw codeRefused();
    return { client: row.client, expiresAt: row.expires_at };
  }

  /** The person's word, from the browser and once. */
  async decide(session: Session, userCode: string, decision: "approve" | "deny"): Promise<void> {
    const { clock, events } = this.#context;
    if (session.kind !== "web" || (decision !== "approve" && decision !== "deny")) {
      throw new CountersignError("not_permitted", "A terminal's sign-in is approved or denied in the browser.");
    }
    await this.#countTry(session);
    await change(this.#context, async (queries) => {
      const [row] = await queries.run<CliRow>(
        `UPDATE identity_cli_sign_in SET status = ?, user_id = ?
         WHERE user_code_hash = ? AND status = 'pending' AND expires_at > ? RETURNING *`,
        decision === "approve" ? "approved" : "denied",
        session.userId,
        hashCode(userCode),
        clock.now(),
      );
      if (row === undefined) throw codeRefused();
      const type = decision === "approve" ? "cli.approved" : "cli.denied";
      await events.addForPerson(queries, session.userId, type, session.userId, { client: row.client });
    });
  }

  /** The terminal asks; who asks too soon is told to slow down and has to. The session is handed out once. */
  async poll(deviceCode: unknown): Promise<Polled> {
    const now = this.#context.clock.now();
    if (!isPlausible(deviceCode)) return { type: "expired_token" };
    return change(this.#context, async (queries): Promise<Polled> => {
      const row = await queries.get<CliRow>(
        "SELECT * FROM identity_cli_sign_in WHERE device_code_hash = ? AND expires_at > ?",
        hashSecret(deviceCode),
        now,
      );
      if (row === undefined || row.status === "redeemed") return { type: "expired_token" };
      const early = now < row.next_poll_at;
      const interval = early ? row.interval_ms + SLOW_DOWN : row.interval_ms;
      await queries.run(
        "UPDATE identity_cli_sign_in SET interval_ms = ?, next_poll_at = ? WHERE id = ?",
        interval,
        now + interval,
        row.id,
      );
      if (early) return { type: "slow_down", interval };
      if (row.status === "denied") return { type: "access_denied" };
      if (row.status === "pending" || row.user_id === null) return { type: "authorization_pending" };
      const [redeemed] = await queries.run<{ user_id: string }>(
        "UPDATE identity_cli_sign_in SET status = 'redeemed' WHERE id = ? AND status = 'approved' RETURNING user_id",
        row.id,
      );
      if (redeemed === undefined) return { type: "expired_token" };
      const started = await startSession(this.#context, queries, redeemed.user_id, { kind: "cli", amr: "device" });
      return { type: "signed_in", ...started };
    });
  }

  /** By person, not by code: a guesser runs out of tries, and nobody can use up another's. */
  async #countTry({ userId }: Session): Promise<void> {
    const verdict = await this.#limits.countAttempt(["cli-code", userId], MAX_TRIES, CODE_LIVES);
    if (!verdict.ok) throw new CountersignError("not_permitted", "Too many codes were tried. Wait ten minutes.");
  }
}

function hashCode(userCode: unknown): string {
  return hashSecret(
    String(userCode)
      .slice(0, 32)
      .toUpperCase()
      .replace(/[^A-Z]/g, ""),
  );
}

function codeRefused(): CountersignError {
  return new CountersignError("link_refused", "This code is not known, was used already or has expired.");
}
