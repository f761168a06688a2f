import type { Context } from "./context.js";

/** A tool as the agent that runs it has described it. */
export interface DeclaredTool {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly name: string;
  /** JSON text of the wire form. */
  readonly definition: string;
  /** Grows with every declaration of anybody, so that readers ask only for what is new. */
  readonly sequence: number;
}

interface ToolRow {
  readonly workspace_id: string;
  readonly agent_id: string;
  readonly name: string;
  readonly definition: string;
  readonly sequence: number;
}

/** What agents have said of the tools they run themselves, kept so that a card can be drawn after any restart. */
export class DeclaredTools {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async declare(
    by: { readonly workspaceId: string; readonly agentId: string },
    tools: readonly { readonly name: string; readonly definition: string }[],
  ): Promise<void> {
    await this.#context.database.transaction(async (queries) => {
      for (const { name, definition } of tools) {
        await queries.run(
          `INSERT INTO identity_tool (workspace_id, agent_id, name, definition, sequence)
           VALUES (?, ?, ?, ?, (SELECT COALESCE(MAX(sequence), 0) + 1 FROM identity_tool))
           ON CONFLICT (workspace_id, agent_id, name) DO UPDATE
           SET definition = excluded.definition, sequence = excluded.sequence
           WHERE identity_tool.definition <> excluded.definition`,
          by.workspaceId,
          by.agentId,
          name,
          definition,
        );
      }
    });
  }

  /** Everything that was declared after the given sequence number, oldest first. */
  async after(sequence: number, limit: number): Promise<readonly DeclaredTool[]> {
    const rows = await this.#context.database.all<ToolRow>(
      `SELECT workspace_id, agent_id, name, definition, sequence FROM identity_tool
       WHERE sequence > ? ORDER BY sequence LIMIT ?`,
      sequence,
      limit,
    );
    return rows.map((row) => ({
      workspaceId: row.workspace_id,
      agentId: row.agent_id,
      name: row.name,
      definition: row.definition,
      sequence: row.sequence,
    }));
  }
}
