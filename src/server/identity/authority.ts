import { CountersignError } from "../../core/errors.js";
import type { Context } from "./context.js";
import type { Queries } from "./database.js";
import type { PersonPrincipal, Role, Session } from "./principal.js";

/** For how long a shown passkey counts as fresh. */
const FRESH_FOR = 5 * 60_000;

/** Acts after which less is asked, or more may answer. Taking a right away is none of them. */
export type Weakening =
  | "grant.created"
  | "policy.changed"
  | "member.raised"
  | "group.member_added"
  | "person.recovered"
  | "passkey.added"
  | "passkey.last_removed"
  | "agent.widened"
  | "key.automation"
  | "devices.none"
  | "device.approved"
  | "settings.changed"
  | "scope.set"
  | "replies.changed"
  | "account.linked"
  | "workspace.resumed";

/**
 * Refuses a weakening by a session that has not shown a passkey just now. Who has no passkey yet passes from a browser, since
 * there is nothing stronger to ask for; a terminal never weakens, because a program can drive it.
 */
export async function requireFresh(queries: Queries, session: Session, act: Weakening, now: number): Promise<void> {
  if (session.kind !== "web") {
    throw new CountersignError("fresh_passkey_required", `"${act}" is done in the browser, not from a terminal.`, {
      path: act,
    });
  }
  const enrolled = await queries.get(
    "SELECT id FROM identity_passkey WHERE user_id = ? AND revoked_at IS NULL LIMIT 1",
    session.userId,
  );
  if (enrolled === undefined) return;
  // Read again: a session may have been revoked since it was looked up.
  const current = await queries.get<{ strong_auth_at: number | null }>(
    "SELECT strong_auth_at FROM identity_session WHERE id = ? AND user_id = ? AND revoked_at IS NULL",
    session.sessionId,
    session.userId,
  );
  const shownAt = current?.strong_auth_at ?? null;
  if (shownAt === null || shownAt > now || now - shownAt > FRESH_FOR) {
    throw new CountersignError("fresh_passkey_required", `"${act}" needs your passkey again.`, { path: act });
  }
}

/** Refuses unless the actor has one of the roles at this moment; what the request knew a moment ago does not count. */
async function requireRole(queries: Queries, actor: PersonPrincipal, ...roles: readonly Role[]): Promise<void> {
  const role = actor?.kind === "person" ? await roleOf(queries, actor.workspaceId, actor.userId) : undefined;
  if (role === undefined || !roles.includes(role)) {
    throw new CountersignError("not_permitted", `This needs the role ${roles.join(" or ")}.`);
  }
}

/** The live role of a person who is not disabled; undefined for everyone else. */
export async function roleOf(queries: Queries, workspaceId: string, userId: string): Promise<Role | undefined> {
  const [row] = await queries.recall<{ role: Role }>(
    `SELECT m.role FROM identity_membership m JOIN identity_user u ON u.id = m.user_id
     WHERE m.workspace_id = ? AND m.user_id = ? AND m.revoked_at IS NULL AND u.disabled_at IS NULL`,
    workspaceId,
    userId,
  );
  return row?.role;
}

/** The same with the groups the person is in, in one read: every answer of a person asks for both. */
export async function membershipOf(
  queries: Queries,
  workspaceId: string,
  userId: string,
): Promise<{ readonly role: Role; readonly groups: readonly string[] } | undefined> {
  const rows = await queries.recall<{ role: Role; group_name: string | null }>(
    `SELECT m.role, g.group_name FROM identity_membership m JOIN identity_user u ON u.id = m.user_id
     LEFT JOIN identity_group_member g ON g.workspace_id = m.workspace_id AND g.user_id = m.user_id
     WHERE m.workspace_id = ? AND m.user_id = ? AND m.revoked_at IS NULL AND u.disabled_at IS NULL ORDER BY g.group_name`,
    workspaceId,
    userId,
  );
  const [first] = rows;
  return (
    first && { role: first.role, groups: rows.flatMap(({ group_name }) => (group_name === null ? [] : [group_name])) }
  );
}

/** A change by somebody who must hold one of the roles, and show a passkey where the act weakens. */
export interface Terms {
  readonly roles: readonly Role[];
  readonly act?: Weakening | undefined;
}

export async function authorise(
  context: Context,
  queries: Queries,
  actor: PersonPrincipal,
  { roles, act }: Terms,
): Promise<void> {
  await requireRole(queries, actor, ...roles);
  if (act !== undefined) await requireFresh(queries, actor.session, act, context.clock.now());
}
