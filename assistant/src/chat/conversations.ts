import type { Memory } from "../agents/agent.js";
import type { Household } from "../household/household.js";

/** What each conversation remembers. A conversation belongs to one person of one workspace, whatever id others guess. */
export class Conversations {
  readonly #household: Household;

  constructor(household: Household) {
    this.#household = household;
  }

  recall(workspaceId: string, userId: string, id: string): Memory {
    const sql = "SELECT context FROM conversation WHERE workspace_id = ? AND user_id = ? AND id = ?";
    const row = this.#household.get<{ context: string }>(sql, workspaceId, userId, id);
    return row === undefined ? {} : (JSON.parse(row.context) as Memory);
  }

  remember(workspaceId: string, userId: string, id: string, memory: Memory): void {
    this.#household.run(
      "INSERT OR REPLACE INTO conversation VALUES (?, ?, ?, ?, ?)",
      ...[id, workspaceId, userId, JSON.stringify(memory), this.#household.now()],
    );
  }
}
