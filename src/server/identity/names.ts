import { Recent } from "../../core/recent.js";
import type { IdentityDatabase } from "./database.js";

/** Names are given once and never changed, so that what was read stays true; the oldest make room. */
const MOST = 10_000;

/** What persons and agents are called in a workspace, also after they have left it: records still speak of them. */
export class Names {
  readonly #database: IdentityDatabase;
  readonly #known = new Recent<string>(MOST);

  constructor(database: IdentityDatabase) {
    this.#database = database;
  }

  /** Undefined for an id that never belonged to the workspace: its name is nobody's business there (I11). */
  async nameOf(workspaceId: string, id: string): Promise<string | undefined> {
    const key = JSON.stringify([workspaceId, id]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const row = await this.#database.get<{ name: string }>(
      `SELECT name FROM identity_agent WHERE id = ? AND workspace_id = ?
       UNION ALL
       SELECT u.name FROM identity_user u JOIN identity_membership m ON m.user_id = u.id
       WHERE u.id = ? AND m.workspace_id = ?`,
      id,
      workspaceId,
      id,
      workspaceId,
    );
    if (row === undefined) return undefined;
    this.#known.put(key, row.name);
    return row.name;
  }
}
