import { CountersignError } from "../../core/errors.js";
import { authorise } from "./authority.js";
import { type Context, change, notFound } from "./context.js";
import type { Queries } from "./database.js";
import { type PersonPrincipal, ROLES, type Role } from "./principal.js";

export interface MemberView {
  readonly userId: string;
  readonly name: string;
  /** For display only: nothing is ever decided by an address. */
  readonly email: string | null;
  readonly role: Role;
  /** The role an invitation named, until an owner has confirmed who came. */
  readonly wantedRole: Role | null;
  readonly disabled: boolean;
}

/** How much each role may answer or change; a step up is a weakening of the workspace. */
const POWER: Readonly<Record<Role, number>> = { auditor: 0, member: 1, approver: 2, owner: 3 };

export class Members {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async list(actor: PersonPrincipal): Promise<readonly MemberView[]> {
    const rows = await this.#context.database.all<{
      id: string;
      name: string;
      email: string | null;
      role: Role;
      wanted_role: Role | null;
      disabled_at: number | null;
    }>(
      `SELECT u.id, u.name, u.email, m.role, m.wanted_role, u.disabled_at FROM identity_membership m
       JOIN identity_user u ON u.id = m.user_id WHERE m.workspace_id = ? AND m.revoked_at IS NULL ORDER BY m.created_at, u.id`,
      actor.workspaceId,
    );
    return rows.map(({ id, name, email, role, wanted_role, disabled_at }) => ({
      userId: id,
      name,
      email,
      role,
      wantedRole: wanted_role,
      disabled: disabled_at !== null,
    }));
  }

  /** Who belongs to a workspace now and may sign in. */
  async present(workspaceId: string): Promise<readonly { readonly userId: string; readonly name: string }[]> {
    const rows = await this.#context.database.all<{ id: string; name: string }>(
      `SELECT u.id, u.name FROM identity_membership m JOIN identity_user u ON u.id = m.user_id
       WHERE m.workspace_id = ? AND m.revoked_at IS NULL AND u.disabled_at IS NULL ORDER BY m.created_at, u.id`,
      workspaceId,
    );
    return rows.map(({ id, name }) => ({ userId: id, name }));
  }

  /** The ids of all who belong or ever belonged to a workspace: their calls stay in its history. */
  async everybody(workspaceId: string): Promise<readonly string[]> {
    const rows = await this.#context.database.all<{ user_id: string }>(
      "SELECT user_id FROM identity_membership WHERE workspace_id = ? ORDER BY user_id",
      workspaceId,
    );
    return rows.map((row) => row.user_id);
  }

  /** Makes the role an invitation named active, now that an owner has seen who accepted it. */
  async confirm(actor: PersonPrincipal, userId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"], act: "member.raised" });
      const [confirmed] = await queries.run<{ role: Role }>(
        `UPDATE identity_membership SET role = wanted_role, wanted_role = NULL
         WHERE workspace_id = ? AND user_id = ? AND wanted_role IS NOT NULL AND revoked_at IS NULL RETURNING role`,
        actor.workspaceId,
        userId,
      );
      if (confirmed === undefined) throw notFound("member who waits to be confirmed");
      const content = { userId, role: confirmed.role };
      await this.#context.events.add(queries, actor.workspaceId, "member.confirmed", actor.userId, content);
    });
  }

  async setRole(actor: PersonPrincipal, userId: string, role: Role): Promise<void> {
    if (!ROLES.includes(role)) {
      throw new CountersignError("invalid_request", `A role is one of: ${ROLES.join(", ")}.`, { path: "role" });
    }
    await change(this.#context, async (queries) => {
      const before = await memberRole(queries, actor.workspaceId, userId);
      const raised = before !== undefined && POWER[role] > POWER[before];
      await authorise(this.#context, queries, actor, { roles: ["owner"], act: raised ? "member.raised" : undefined });
      if (before === undefined) throw notFound("member");
      if (role !== "owner") await keepAnOwner(queries, actor.workspaceId, userId);
      await queries.run(
        "UPDATE identity_membership SET role = ?, wanted_role = NULL WHERE workspace_id = ? AND user_id = ?",
        role,
        actor.workspaceId,
        userId,
      );
      const content = { userId, from: before, to: role };
      await this.#context.events.add(queries, actor.workspaceId, "member.role_changed", actor.userId, content);
    });
  }

  /** An owner removes anyone, everyone may leave. Keys of who is gone stop working at the same moment. */
  async remove(actor: PersonPrincipal, userId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      const roles = actor.userId === userId ? ROLES : (["owner"] as const);
      await authorise(this.#context, queries, actor, { roles });
      if ((await memberRole(queries, actor.workspaceId, userId)) === undefined) throw notFound("member");
      await keepAnOwner(queries, actor.workspaceId, userId);
      await queries.run(
        "UPDATE identity_membership SET revoked_at = ?, wanted_role = NULL WHERE workspace_id = ? AND user_id = ?",
        this.#context.clock.now(),
        actor.workspaceId,
        userId,
      );
      await queries.run(
        "DELETE FROM identity_group_member WHERE workspace_id = ? AND user_id = ?",
        actor.workspaceId,
        userId,
      );
      await this.#context.events.add(queries, actor.workspaceId, "member.removed", actor.userId, { userId });
    });
  }
}

async function memberRole(queries: Queries, workspaceId: string, userId: string): Promise<Role | undefined> {
  const row = await queries.get<{ role: Role }>(
    "SELECT role FROM identity_membership WHERE workspace_id = ? AND user_id = ? AND revoked_at IS NULL",
    workspaceId,
    userId,
  );
  return row?.role;
}

/** Refuses to take the last owner who can sign in out of a workspace: nobody could bring one back. */
export async function keepAnOwner(queries: Queries, workspaceId: string, userId: string): Promise<void> {
  const owners = await queries.all<{ user_id: string }>(
    `SELECT m.user_id FROM identity_membership m JOIN identity_user u ON u.id = m.user_id
     WHERE m.workspace_id = ? AND m.role = 'owner' AND m.revoked_at IS NULL AND u.disabled_at IS NULL`,
    workspaceId,
  );
  if (owners.length === 1 && owners[0]?.user_id === userId) {
    throw new CountersignError(
      "last_owner",
      "A workspace keeps at least one owner. Make somebody else an owner first.",
    );
  }
}

/** Adds a person, or takes back one who had left. Answering rights wait for an owner's word. */
export async function join(
  queries: Queries,
  workspaceId: string,
  userId: string,
  { role, wantedRole = null, now }: { readonly role: Role; readonly wantedRole?: Role | null; readonly now: number },
): Promise<void> {
  const joined = await queries.run(
    `INSERT INTO identity_membership (workspace_id, user_id, role, wanted_role, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, user_id) DO UPDATE
       SET role = excluded.role, wanted_role = excluded.wanted_role, created_at = excluded.created_at, revoked_at = NULL
       WHERE identity_membership.revoked_at IS NOT NULL
     RETURNING user_id`,
    workspaceId,
    userId,
    role,
    wantedRole,
    now,
  );
  if (joined.length === 0) throw new CountersignError("already_exists", "This person is already a member.");
}
