import { CountersignError } from "../../core/errors.js";
import { membershipOf } from "./authority.js";
import { type Context, change, notFound } from "./context.js";
import type { Queries } from "./database.js";
import type { PersonPrincipal, Session } from "./principal.js";
import { hashSecret, isPlausible, newPrefixedId, newSecret } from "./secrets.js";
import type { Usage } from "./usage.js";

const IDLE = 8 * 3_600_000;
const ABSOLUTE = 7 * 24 * 3_600_000;

/** A session with its token, which is shown this once. */
export interface StartedSession {
  readonly token: string;
  readonly session: Session;
}

export interface SessionView extends Session {
  readonly lastSeenAt: number;
  readonly current: boolean;
}

interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly kind: Session["kind"];
  readonly amr: Session["amr"];
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly idle_expires_at: number;
  readonly expires_at: number;
  readonly strong_auth_at: number | null;
}

const COLUMNS =
  "s.id, s.user_id, s.kind, s.amr, s.created_at, s.last_seen_at, s.idle_expires_at, s.expires_at, s.strong_auth_at";
const OF_PERSON = "identity_session s JOIN identity_user u ON u.id = s.user_id AND u.disabled_at IS NULL";

export class Sessions {
  readonly #context: Context;
  readonly #usage: Usage;

  constructor(context: Context, usage: Usage) {
    this.#context = context;
    this.#usage = usage;
  }

  /** Who this token belongs to now. Unknown, expired, revoked and disabled are all undefined. */
  async find(token: unknown): Promise<Session | undefined> {
    if (!isPlausible(token)) return undefined;
    const { database, clock } = this.#context;
    const sql = `SELECT ${COLUMNS} FROM ${OF_PERSON} WHERE s.token_hash = ? AND s.revoked_at IS NULL`;
    const hash = hashSecret(token);
    const now = clock.now();
    const [recalled] = await database.recall<SessionRow>(sql, hash);
    // A use that was noted since may have prolonged it.
    const row = recalled && !isLive(recalled, now) ? await database.get<SessionRow>(sql, hash) : recalled;
    if (row === undefined || !isLive(row, now)) return undefined;
    this.#usage.seen(row.id, row.last_seen_at, { at: now, idleUntil: now + IDLE });
    return toSession(row);
  }

  /** A live session by its id, for what a person does in it by way of somebody else's rules. */
  async live(sessionId: string): Promise<Session | undefined> {
    const row = await this.#context.database.get<SessionRow>(
      `SELECT ${COLUMNS} FROM ${OF_PERSON} WHERE s.id = ? AND s.revoked_at IS NULL`,
      sessionId,
    );
    return row && isLive(row, this.#context.clock.now()) ? toSession(row) : undefined;
  }

  /** The person in that workspace; undefined when they do not belong to it, whatever other workspaces they are in. */
  async enter(session: Session, workspaceId: string): Promise<PersonPrincipal | undefined> {
    const membership = await membershipOf(this.#context.database, workspaceId, session.userId);
    return membership && { kind: "person", userId: session.userId, workspaceId, ...membership, session };
  }

  async list(session: Session): Promise<readonly SessionView[]> {
    const rows = await this.#context.database.all<SessionRow>(
      `SELECT ${COLUMNS} FROM ${OF_PERSON} WHERE s.user_id = ? AND s.revoked_at IS NULL ORDER BY s.created_at, s.id`,
      session.userId,
    );
    const now = this.#context.clock.now();
    const live = rows.filter((row) => isLive(row, now));
    return live.map((row) => ({
      ...toSession(row),
      lastSeenAt: row.last_seen_at,
      current: row.id === session.sessionId,
    }));
  }

  /** Ends one of the person's own sessions, at once and everywhere. */
  async revoke(session: Session, sessionId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      const revoked = await queries.run(
        "UPDATE identity_session SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL RETURNING id",
        this.#context.clock.now(),
        sessionId,
        session.userId,
      );
      if (revoked.length === 0) throw notFound("session");
      await this.#context.events.addForPerson(queries, session.userId, "session.revoked", session.userId, {
        sessionId,
      });
    });
  }
}

export async function startSession(
  { clock, events }: Context,
  queries: Queries,
  userId: string,
  { kind, amr }: Pick<Session, "kind" | "amr">,
): Promise<StartedSession> {
  const now = clock.now();
  const token = newSecret("css");
  const sessionId = newPrefixedId("ses");
  const strongAuthAt = amr === "passkey" ? now : null;
  const [row] = await queries.run<SessionRow>(
    `INSERT INTO identity_session
       (id, token_hash, user_id, kind, amr, created_at, last_seen_at, idle_expires_at, expires_at, strong_auth_at)
     SELECT ?, ?, id, ?, ?, ?, ?, ?, ?, ? FROM identity_user WHERE id = ? AND disabled_at IS NULL RETURNING *`,
    sessionId,
    hashSecret(token),
    kind,
    amr,
    now,
    now,
    now + IDLE,
    now + ABSOLUTE,
    strongAuthAt,
    userId,
  );
  if (row === undefined) throw notSignedIn();
  await events.addForPerson(queries, userId, "session.started", userId, { sessionId, kind, amr });
  return { token, session: toSession(row) };
}

/** After a shown passkey: the session goes on under a new token, and the old one, which may have been seen, is dead. */
export async function elevateSession(
  { clock, events }: Context,
  queries: Queries,
  session: Session,
): Promise<StartedSession> {
  const now = clock.now();
  const token = newSecret("css");
  const [row] = await queries.run<SessionRow>(
    `UPDATE identity_session SET token_hash = ?, amr = 'passkey', strong_auth_at = ?
     WHERE id = ? AND user_id = ? AND revoked_at IS NULL AND expires_at > ? AND idle_expires_at > ? RETURNING *`,
    hashSecret(token),
    now,
    session.sessionId,
    session.userId,
    now,
    now,
  );
  if (row === undefined) throw notSignedIn();
  await events.addForPerson(queries, session.userId, "session.elevated", session.userId, {
    sessionId: session.sessionId,
  });
  return { token, session: toSession(row) };
}

/** Ends all sessions of a person, as part of a larger change that says why. */
export async function revokeSessions(queries: Queries, userId: string, now: number): Promise<void> {
  await queries.run("UPDATE identity_session SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", now, userId);
}

/** One answer for every reason: what is wrong with a credential is told to its owner's audit log alone. */
export function notSignedIn(): CountersignError {
  return new CountersignError("not_signed_in", "Sign in to go on.");
}

function isLive({ idle_expires_at, expires_at }: SessionRow, now: number): boolean {
  return idle_expires_at > now && expires_at > now;
}

function toSession(row: SessionRow): Session {
  return {
    sessionId: row.id,
    userId: row.user_id,
    kind: row.kind,
    amr: row.amr,
    strongAuthAt: row.strong_auth_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
