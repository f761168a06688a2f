import type { RiskTier } from "../../core/risk.js";
import { roleOf } from "./authority.js";
import { notFound } from "./context.js";
import type { Queries } from "./database.js";
import type { PersonPrincipal } from "./principal.js";

export interface AgentRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly kind: "agent" | "automation";
  readonly ceiling: RiskTier | null;
  readonly scopes: string;
  readonly devices: "approved" | "none";
  readonly created_at: number;
  readonly revoked_at: number | null;
}

/** A live agent of the actor's own, in this workspace; anyone else's does not exist. */
export async function ownAgent(queries: Queries, actor: PersonPrincipal, agentId: string): Promise<AgentRow> {
  const agent = await liveAgent(queries, actor, agentId);
  const role = await roleOf(queries, actor.workspaceId, actor.userId);
  if (agent?.owner_id !== actor.userId || role === undefined || role === "auditor") throw notFound("agent");
  return agent;
}

/** The same for taking something away, which an owner of the workspace may do too. */
export async function manageableAgent(queries: Queries, actor: PersonPrincipal, agentId: string): Promise<AgentRow> {
  const agent = await liveAgent(queries, actor, agentId);
  const role = await roleOf(queries, actor.workspaceId, actor.userId);
  if (agent === undefined || role === undefined || (agent.owner_id !== actor.userId && role !== "owner")) {
    throw notFound("agent");
  }
  return agent;
}

async function liveAgent(queries: Queries, actor: PersonPrincipal, agentId: string): Promise<AgentRow | undefined> {
  if (actor?.kind !== "person") return undefined;
  return queries.get<AgentRow>(
    "SELECT * FROM identity_agent WHERE id = ? AND workspace_id = ? AND revoked_at IS NULL",
    agentId,
    actor.workspaceId,
  );
}
