import { randomBytes } from "node:crypto";
import { CountersignError } from "../../core/errors.js";
import { authorise } from "./authority.js";
import { type Context, change, checkName, notFound } from "./context.js";
import type { Queries } from "./database.js";
import { HOST } from "./events.js";
import { createSignInLink, type Link } from "./links.js";
import { join, keepAnOwner } from "./members.js";
import type { PersonPrincipal, Role, Session } from "./principal.js";
import { newPrefixedId } from "./secrets.js";
import { revokeSessions } from "./sessions.js";

export interface FirstOwner {
  readonly userId: string;
  readonly workspaceId: string;
  readonly link: Link;
}

export interface WorkspaceView {
  readonly workspaceId: string;
  readonly name: string;
  readonly role: Role;
}

/** The persons themselves: the first one, their workspaces, and what ends or restores an account. */
export class Persons {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * On an empty database: an owner, a workspace and the link that signs the owner in. Undefined when somebody is there already;
   * of two processes that start at once, one makes them. Ids are given when a gate in this process already uses them.
   */
  async createFirstOwner(
    options: { name?: string; workspaceName?: string; userId?: string; workspaceId?: string } = {},
  ): Promise<FirstOwner | undefined> {
    const { name = "Owner", workspaceName = "Home", workspaceId = newPrefixedId("wsp") } = options;
    return change(this.#context, async (queries) => {
      if ((await queries.get("SELECT id FROM identity_user LIMIT 1")) !== undefined) return undefined;
      const userId = await createUser(queries, { name }, this.#context.clock.now(), options.userId);
      await this.#found(queries, workspaceId, workspaceName, userId, HOST);
      return { userId, workspaceId, link: await createSignInLink(this.#context, queries, userId, HOST) };
    });
  }

  /** A further workspace, owned by who makes it. Its people, keys and devices have nothing to do with any other's. */
  async createWorkspace(session: Session, name: string): Promise<string> {
    const workspaceId = newPrefixedId("wsp");
    await change(this.#context, (queries) => this.#found(queries, workspaceId, name, session.userId, session.userId));
    return workspaceId;
  }

  async workspaces(session: Session): Promise<readonly WorkspaceView[]> {
    const rows = await this.#context.database.recall<{ id: string; name: string; role: Role }>(
      `SELECT w.id, w.name, m.role FROM identity_membership m JOIN identity_workspace w ON w.id = m.workspace_id
       WHERE m.user_id = ? AND m.revoked_at IS NULL ORDER BY w.created_at, w.id`,
      session.userId,
    );
    return rows.map(({ id, name, role }) => ({ workspaceId: id, name, role }));
  }

  /** Every workspace there is, for the host's own work. */
  async allWorkspaces(): Promise<readonly string[]> {
    const rows = await this.#context.database.all<{ id: string }>("SELECT id FROM identity_workspace ORDER BY id");
    return rows.map(({ id }) => id);
  }

  /** How the person is called; for people to read, never to decide by. */
  async profile({ userId }: Session): Promise<{ readonly name: string; readonly email: string | null }> {
    const row = await this.#context.database.get<{ name: string; email: string | null }>(
      "SELECT name, email FROM identity_user WHERE id = ?",
      userId,
    );
    if (row === undefined) throw notFound("person");
    return row;
  }

  /** Ends the account everywhere: sessions and keys stop at once. Only for who owns every workspace the person is in. */
  async disable(actor: PersonPrincipal, userId: string): Promise<void> {
    const now = this.#context.clock.now();
    await change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"] });
      const workspaces = await this.#ownedByActor(queries, actor, userId);
      for (const workspaceId of workspaces) await keepAnOwner(queries, workspaceId, userId);
      await queries.run("UPDATE identity_user SET disabled_at = ? WHERE id = ? AND disabled_at IS NULL", now, userId);
      await revokeSessions(queries, userId, now);
      await this.#context.events.addForPerson(queries, userId, "person.disabled", actor.userId, {});
    });
  }

  /**
   * For who lost every passkey: all passkeys and sessions end, and a link signs the person in once. Whoever holds that link is
   * the person in every workspace they are in, so that only an owner of all of these may make it.
   */
  async recover(actor: PersonPrincipal, userId: string): Promise<Link> {
    return change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"], act: "person.recovered" });
      if (actor.userId === userId) {
        throw new CountersignError("not_permitted", "Another owner, or the host's command line, recovers an owner.");
      }
      await this.#ownedByActor(queries, actor, userId);
      return this.#restart(queries, userId, actor.userId);
    });
  }

  /** The same for the host's command line, the last resort. Never behind a route. */
  async recoverFromHost(userId: string): Promise<Link> {
    return change(this.#context, (queries) => this.#restart(queries, userId, HOST));
  }

  async #restart(queries: Queries, userId: string, by: string): Promise<Link> {
    const now = this.#context.clock.now();
    const passkeys = await queries.run(
      "UPDATE identity_passkey SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL RETURNING id",
      now,
      userId,
    );
    await revokeSessions(queries, userId, now);
    const content = { passkeysRemoved: passkeys.length };
    await this.#context.events.addForPerson(queries, userId, "person.recovered", by, content);
    return createSignInLink(this.#context, queries, userId, by);
  }

  async #found(queries: Queries, workspaceId: string, name: string, userId: string, by: string): Promise<void> {
    const now = this.#context.clock.now();
    await queries.run(
      "INSERT INTO identity_workspace (id, name, created_at) VALUES (?, ?, ?)",
      workspaceId,
      checkName(name, "workspace name"),
      now,
    );
    await join(queries, workspaceId, userId, { role: "owner", now });
    await this.#context.events.add(queries, workspaceId, "workspace.created", by, { ownerId: userId });
  }

  /** The person's workspaces, all of which the actor must own: power in one must not reach into another (I11). */
  async #ownedByActor(queries: Queries, actor: PersonPrincipal, userId: string): Promise<readonly string[]> {
    const rows = await queries.all<{ workspace_id: string; actor_role: Role | null }>(
      `SELECT m.workspace_id, a.role AS actor_role FROM identity_membership m
       LEFT JOIN identity_membership a
         ON a.workspace_id = m.workspace_id AND a.user_id = ? AND a.revoked_at IS NULL
       WHERE m.user_id = ? AND m.revoked_at IS NULL`,
      actor.userId,
      userId,
    );
    if (!rows.some((row) => row.workspace_id === actor.workspaceId)) throw notFound("member");
    if (rows.some((row) => row.actor_role !== "owner")) {
      throw new CountersignError(
        "not_permitted",
        "This person also belongs to workspaces you do not own. Remove them from yours instead.",
      );
    }
    return rows.map((row) => row.workspace_id);
  }
}

export async function createUser(
  queries: Queries,
  { name, email }: { readonly name: string; readonly email?: string },
  now: number,
  userId = newPrefixedId("usr"),
): Promise<string> {
  await queries.run(
    "INSERT INTO identity_user (id, name, email, webauthn_handle, created_at) VALUES (?, ?, ?, ?, ?)",
    userId,
    checkName(name, "name"),
    email === undefined ? null : checkName(email, "email"),
    // Random, so that an authenticator that shows it says nothing about the person.
    randomBytes(32).toString("base64url"),
    now,
  );
  return userId;
}
