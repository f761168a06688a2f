import { CountersignError } from "../../core/errors.js";
import { type Context, change } from "./context.js";
import type { Queries } from "./database.js";
import { HOST } from "./events.js";
import { hashSecret, isPlausible, newPrefixedId, newSecret } from "./secrets.js";
import { type StartedSession, startSession } from "./sessions.js";

const SIGN_IN_LINK_LIVES = 10 * 60_000;

export interface Link {
  /** Shown once. It goes into the URL's fragment, which no server, log or preview ever sees. */
  readonly token: string;
  readonly expiresAt: number;
}

/** Where a link leads. The page there sends the token by POST: opening it, as previews do, spends nothing. */
export function linkUrl(origin: string, purpose: "sign_in" | "invitation", token: string): string {
  return `${origin}/${purpose === "sign_in" ? "start" : "join"}#t=${token}`;
}

/** Signing in by a one-time link: at the first run, and for recovery by whoever runs the server. */
export class SignInLinks {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** For the host alone, never behind a route: whoever holds the link is that person. Older links of theirs end. */
  async create(userId: string): Promise<Link> {
    return change(this.#context, (queries) => createSignInLink(this.#context, queries, userId, HOST));
  }

  /** Signs the person in. Of any number that redeem one link exactly one gets a session. */
  async redeem(token: unknown): Promise<StartedSession> {
    return change(this.#context, async (queries) => {
      const { user_id } = await spendLink(queries, "sign_in", token, this.#context.clock.now());
      return startSession(this.#context, queries, user_id ?? "", { kind: "web", amr: "link" });
    });
  }
}

export async function createSignInLink(
  { clock, events }: Context,
  queries: Queries,
  userId: string,
  by: string,
): Promise<Link> {
  const now = clock.now();
  const expiresAt = now + SIGN_IN_LINK_LIVES;
  await queries.run(
    "UPDATE identity_link SET revoked_at = ? WHERE user_id = ? AND purpose = 'sign_in' AND used_at IS NULL AND revoked_at IS NULL",
    now,
    userId,
  );
  const token = newSecret("csl");
  const made = await queries.run(
    `INSERT INTO identity_link (token_hash, id, purpose, user_id, created_by, created_at, expires_at)
     SELECT ?, ?, 'sign_in', id, ?, ?, ? FROM identity_user WHERE id = ? AND disabled_at IS NULL RETURNING id`,
    hashSecret(token),
    newPrefixedId("lnk"),
    by,
    now,
    expiresAt,
    userId,
  );
  if (made.length === 0) throw new CountersignError("not_found", "There is no such person, or they are disabled.");
  await events.addForPerson(queries, userId, "link.created", by, {});
  return { token, expiresAt };
}

interface SpentLink {
  readonly id: string;
  readonly user_id: string | null;
  readonly workspace_id: string | null;
  readonly role: string | null;
  readonly created_by: string;
}

/** One conditional write: the second of two at the same moment finds the link spent. */
export async function spendLink(
  queries: Queries,
  purpose: "sign_in" | "invitation",
  token: unknown,
  now: number,
): Promise<SpentLink> {
  const [link] = isPlausible(token)
    ? await queries.run<SpentLink>(
        `UPDATE identity_link SET used_at = ?
         WHERE token_hash = ? AND purpose = ? AND used_at IS NULL AND revoked_at IS NULL AND expires_at > ?
         RETURNING id, user_id, workspace_id, role, created_by`,
        now,
        hashSecret(token),
        purpose,
        now,
      )
    : [];
  if (link === undefined) {
    throw new CountersignError(
      "link_refused",
      "This link was used already, has expired or was replaced by a newer one.",
    );
  }
  return link;
}
