import { CountersignError } from "../../core/errors.js";
import { authorise, roleOf } from "./authority.js";
import { type Context, change, notFound } from "./context.js";
import type { PersonPrincipal } from "./principal.js";

/** Written into policies and audiences: lower case, so that it is spelled one way. */
const GROUP_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Named groups of a workspace (finance, on-call), to which a policy can route. */
export class Groups {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async create(actor: PersonPrincipal, name: string): Promise<void> {
    if (!GROUP_NAME.test(name)) {
      throw new CountersignError(
        "invalid_request",
        "A group's name is 1 to 63 lower-case letters, digits, - and _, starting with a letter or digit.",
        { path: "name" },
      );
    }
    await change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"] });
      const made = await queries.run(
        "INSERT INTO identity_group (workspace_id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING name",
        actor.workspaceId,
        name,
        this.#context.clock.now(),
      );
      if (made.length === 0) throw new CountersignError("already_exists", `There is already a group "${name}".`);
      await this.#context.events.add(queries, actor.workspaceId, "group.created", actor.userId, { group: name });
    });
  }

  async remove(actor: PersonPrincipal, name: string): Promise<void> {
    await change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"] });
      const gone = await queries.run(
        "DELETE FROM identity_group WHERE workspace_id = ? AND name = ? RETURNING name",
        actor.workspaceId,
        name,
      );
      if (gone.length === 0) throw notFound("group");
      await this.#context.events.add(queries, actor.workspaceId, "group.removed", actor.userId, { group: name });
    });
  }

  /** Who is in a group may answer what is routed to it, so that adding somebody is a weakening. */
  async add(actor: PersonPrincipal, name: string, userId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"], act: "group.member_added" });
      if ((await roleOf(queries, actor.workspaceId, userId)) === undefined) throw notFound("member");
      const added = await queries.run(
        `INSERT INTO identity_group_member (workspace_id, group_name, user_id)
         SELECT workspace_id, name, ? FROM identity_group WHERE workspace_id = ? AND name = ?
         ON CONFLICT DO NOTHING RETURNING user_id`,
        userId,
        actor.workspaceId,
        name,
      );
      if (added.length === 0) throw notFound("group, or the person is in it already, so there is nothing to add");
      const content = { group: name, userId };
      await this.#context.events.add(queries, actor.workspaceId, "group.member_added", actor.userId, content);
    });
  }

  async take(actor: PersonPrincipal, name: string, userId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, { roles: ["owner"] });
      const gone = await queries.run(
        "DELETE FROM identity_group_member WHERE workspace_id = ? AND group_name = ? AND user_id = ? RETURNING user_id",
        actor.workspaceId,
        name,
        userId,
      );
      if (gone.length === 0) throw notFound("member of the group");
      const content = { group: name, userId };
      await this.#context.events.add(queries, actor.workspaceId, "group.member_removed", actor.userId, content);
    });
  }

  async list(
    actor: PersonPrincipal,
  ): Promise<readonly { readonly name: string; readonly members: readonly string[] }[]> {
    const rows = await this.#context.database.all<{ name: string; user_id: string | null }>(
      `SELECT g.name, x.user_id FROM identity_group g
       LEFT JOIN identity_group_member x ON x.workspace_id = g.workspace_id AND x.group_name = g.name
       WHERE g.workspace_id = ? ORDER BY g.name, x.user_id`,
      actor.workspaceId,
    );
    const groups = new Map<string, string[]>();
    for (const { name, user_id } of rows) {
      const members = groups.get(name) ?? [];
      if (user_id !== null) members.push(user_id);
      groups.set(name, members);
    }
    return [...groups].map(([name, members]) => ({ name, members }));
  }
}
