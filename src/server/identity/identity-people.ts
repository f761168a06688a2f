import type { AudienceQuery, Member, People } from "../../core/ports.js";
import { membershipOf, roleOf } from "./authority.js";
import type { IdentityDatabase } from "./database.js";
import type { Names } from "./names.js";
import type { Role } from "./principal.js";

interface Directory {
  readonly database: IdentityDatabase;
  readonly names: Names;
}

/** An agent ends by itself, or with the person it works for; who becomes an auditor leaves theirs behind. */
const ENDED = `SELECT 1 AS ended FROM identity_agent a JOIN identity_user u ON u.id = a.owner_id
  LEFT JOIN identity_membership m ON m.workspace_id = a.workspace_id AND m.user_id = a.owner_id AND m.revoked_at IS NULL
  WHERE a.id = ? AND a.workspace_id = ?
    AND (a.revoked_at IS NOT NULL OR u.disabled_at IS NOT NULL OR m.role IS NULL OR m.role = 'auditor')`;

/**
 * The gate's view of who is who: read at each question, so that a removed or disabled person counts no more from that moment
 * on. A role that waits for an owner's word is not there yet.
 */
export function identityPeople({ database, names }: Directory): People {
  return {
    async member(workspaceId, userId): Promise<Member | undefined> {
      const membership = await membershipOf(database, workspaceId, userId);
      if (membership === undefined) return undefined;
      const { role, groups } = membership;
      return { roles: [role], groups: role === "auditor" ? [] : groups };
    },

    async reachable(workspaceId, audience): Promise<boolean> {
      const wanted = Math.max(1, audience.quorum);
      // Those who are named are nearly always enough; then a large workspace is not read for each question.
      if ((await named(workspaceId, audience, wanted)) === wanted) return true;
      const members = await database.all<{ user_id: string; role: Role; group_name: string | null }>(
        `SELECT m.user_id, m.role, g.group_name FROM identity_membership m
         JOIN identity_user u ON u.id = m.user_id
         LEFT JOIN identity_group_member g ON g.workspace_id = m.workspace_id AND g.user_id = m.user_id
         WHERE m.workspace_id = ? AND m.revoked_at IS NULL AND u.disabled_at IS NULL AND m.role <> 'auditor'`,
        workspaceId,
      );
      const able = members.filter(({ user_id, role, group_name }) => belongs(audience, user_id, role, group_name));
      return new Set(able.map(({ user_id }) => user_id)).size >= wanted;
    },

    async mayAsk(workspaceId, agentId): Promise<boolean> {
      return (await database.get(ENDED, agentId, workspaceId)) === undefined;
    },

    nameOf: (workspaceId, id) => names.nameOf(workspaceId, id),
  };

  /** How many of the persons an audience names could answer, counted up to as many as are wanted. */
  async function named(workspaceId: string, { persons, barred }: AudienceQuery, wanted: number): Promise<number> {
    let able = 0;
    for (const userId of new Set(persons)) {
      if (able === wanted) break;
      const role = barred.includes(userId) ? undefined : await roleOf(database, workspaceId, userId);
      if (role !== undefined && role !== "auditor") able++;
    }
    return able;
  }
}

function belongs(
  { persons, roles, groups, barred }: AudienceQuery,
  userId: string,
  role: Role,
  group: string | null,
): boolean {
  if (barred.includes(userId)) return false;
  return persons.includes(userId) || roles.includes(role) || (group !== null && groups.includes(group));
}
