import { CountersignError } from "../../core/errors.js";
import { authorise, roleOf } from "./authority.js";
import { type Context, change, checkName, notFound } from "./context.js";
import type { Queries } from "./database.js";
import { type Link, spendLink } from "./links.js";
import { join } from "./members.js";
import { createUser } from "./people.js";
import { type PersonPrincipal, ROLES, type Role, type Session } from "./principal.js";
import { hashSecret, newPrefixedId, newSecret } from "./secrets.js";
import { type StartedSession, startSession } from "./sessions.js";

const INVITATION_LIVES = 7 * 24 * 3_600_000;

export interface Joined {
  readonly workspaceId: string;
  readonly userId: string;
  /** What the person may be from now on; `wantedRole` waits for an owner's word. */
  readonly role: Role;
  readonly wantedRole: Role | null;
}

/** A one-time link into one workspace with one role, bound to no address. */
export class Invitations {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async create(actor: PersonPrincipal, role: Role): Promise<Link & { readonly invitationId: string }> {
    if (!ROLES.includes(role)) {
      throw new CountersignError("invalid_request", `A role is one of: ${ROLES.join(", ")}.`, { path: "role" });
    }
    const { clock, events } = this.#context;
    return change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"] });
      const token = newSecret("csi");
      const invitationId = newPrefixedId("inv");
      const expiresAt = clock.now() + INVITATION_LIVES;
      await queries.run(
        `INSERT INTO identity_link (token_hash, id, purpose, workspace_id, role, created_by, created_at, expires_at)
         VALUES (?, ?, 'invitation', ?, ?, ?, ?, ?)`,
        hashSecret(token),
        invitationId,
        actor.workspaceId,
        role,
        actor.userId,
        clock.now(),
        expiresAt,
      );
      await events.add(queries, actor.workspaceId, "invitation.created", actor.userId, { invitationId, role });
      return { token, expiresAt, invitationId };
    });
  }

  async revoke(actor: PersonPrincipal, invitationId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"] });
      const revoked = await queries.run(
        `UPDATE identity_link SET revoked_at = ?
         WHERE id = ? AND workspace_id = ? AND used_at IS NULL AND revoked_at IS NULL RETURNING id`,
        this.#context.clock.now(),
        invitationId,
        actor.workspaceId,
      );
      if (revoked.length === 0) throw notFound("open invitation");
      const content = { invitationId };
      await this.#context.events.add(queries, actor.workspaceId, "invitation.revoked", actor.userId, content);
    });
  }

  /** Somebody new accepts: a person, a membership and a session. */
  async acceptAsNew(
    token: unknown,
    profile: { readonly name: string; readonly email?: string },
  ): Promise<StartedSession & Joined> {
    checkName(profile.name, "name");
    return change(this.#context, async (queries) => {
      const userId = await createUser(queries, profile, this.#context.clock.now());
      const joined = await this.#accept(queries, token, userId);
      const started = await startSession(this.#context, queries, userId, { kind: "web", amr: "link" });
      return { ...started, ...joined };
    });
  }

  /** Somebody who is signed in already joins one more workspace; their others are not touched. */
  async accept(token: unknown, session: Session): Promise<Joined> {
    return change(this.#context, (queries) => this.#accept(queries, token, session.userId));
  }

  async #accept(queries: Queries, token: unknown, userId: string): Promise<Joined> {
    const now = this.#context.clock.now();
    const link = await spendLink(queries, "invitation", token, now);
    const workspaceId = link.workspace_id ?? "";
    // An owner who has left cannot let anyone in any more.
    if ((await roleOf(queries, workspaceId, link.created_by)) !== "owner") {
      throw new CountersignError("link_refused", "Who sent this invitation is no longer an owner of the workspace.");
    }
    const named = link.role as Role;
    // Whoever holds the link is who comes: nobody answers or reads everything before an owner has seen them.
    const wantedRole = named === "member" ? null : named;
    await join(queries, workspaceId, userId, { role: "member", wantedRole, now });
    const content = { userId, role: "member", wantedRole, invitationId: link.id };
    await this.#context.events.add(queries, workspaceId, "member.joined", userId, content);
    return { workspaceId, userId, role: "member", wantedRole };
  }
}
