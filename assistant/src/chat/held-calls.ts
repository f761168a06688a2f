import { createHash } from "node:crypto";
import type { JsonObject, Locale } from "countersign";
import type { Domain } from "../agents/agent.js";
import type { Household } from "../household/household.js";

/** A call of this conversation that waits for a person. Tokens are kept as hashes alone. */
export interface HeldCall {
  readonly approvalId: string;
  readonly conversationId: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly toolCallHash: string;
  readonly description: string;
  readonly domain: Domain;
  readonly locale: Locale;
}

interface Row {
  readonly approval_id: string;
  readonly conversation_id: string;
  readonly workspace_id: string;
  readonly user_id: string;
  readonly tool: string;
  readonly args: string;
  readonly tool_call_hash: string;
  readonly description: string;
  readonly domain: Domain;
  readonly locale: Locale;
}

const DAY = 86_400_000;

export class HeldCalls {
  readonly #household: Household;

  constructor(household: Household) {
    this.#household = household;
  }

  add(token: string, call: HeldCall): void {
    // No question stays open for so long; what is older belongs to conversations nobody came back to.
    this.#household.run("DELETE FROM held_call WHERE created_at < ?", this.#household.ago(DAY));
    this.#household.run(
      "INSERT OR REPLACE INTO held_call VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[hashOf(token), call.approvalId, call.conversationId, call.workspaceId, call.userId, call.tool],
      ...[
        JSON.stringify(call.args),
        call.toolCallHash,
        call.description,
        call.domain,
        call.locale,
        this.#household.now(),
      ],
    );
  }

  byToken(token: string): HeldCall | undefined {
    const row = this.#household.get<Row>("SELECT * FROM held_call WHERE token_hash = ?", hashOf(token));
    return row && callOf(row);
  }

  /** What waits in one person's conversation, oldest first. */
  of(workspaceId: string, userId: string, conversationId: string): HeldCall[] {
    const sql =
      "SELECT * FROM held_call WHERE workspace_id = ? AND user_id = ? AND conversation_id = ? ORDER BY created_at, rowid";
    return this.#household.all<Row>(sql, workspaceId, userId, conversationId).map(callOf);
  }

  remove(approvalId: string): void {
    this.#household.run("DELETE FROM held_call WHERE approval_id = ?", approvalId);
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function callOf(row: Row): HeldCall {
  return {
    approvalId: row.approval_id,
    conversationId: row.conversation_id,
    workspaceId: row.workspace_id,
    userId: row.user_id,
    tool: row.tool,
    args: JSON.parse(row.args) as JsonObject,
    toolCallHash: row.tool_call_hash,
    description: row.description,
    domain: row.domain,
    locale: row.locale,
  };
}
