import { CountersignError } from "../../core/errors.js";
import type { RiskTier } from "../../core/risk.js";
import { type AgentRow, manageableAgent, ownAgent } from "./agent-rights.js";
import { type IssuedKey, issueKey, keyExpiry } from "./api-keys.js";
import { authorise, requireFresh } from "./authority.js";
import { type Context, change, checkName } from "./context.js";
import type { PersonPrincipal } from "./principal.js";
import { checkScopes } from "./scopes.js";
import { newPrefixedId } from "./secrets.js";

export interface NewAgent {
  readonly name: string;
  /** Without scopes it can do nothing. */
  readonly scopes: readonly string[];
  /** `automation` runs without asking up to its ceiling: R2 unless said, R3 at most. */
  readonly kind?: "agent" | "automation";
  readonly ceiling?: RiskTier;
  /** `none` lets the key work from anywhere, for curl and plain HTTP clients. */
  readonly devices?: "approved" | "none";
  /** For how long its first key lives, in milliseconds. */
  readonly keyLives?: number;
}

export interface AgentView {
  readonly agentId: string;
  readonly name: string;
  readonly ownerId: string;
  readonly kind: "agent" | "automation";
  readonly ceiling: RiskTier | null;
  readonly scopes: readonly string[];
  readonly devices: "approved" | "none";
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

const CEILINGS: readonly RiskTier[] = ["R0", "R1", "R2", "R3"];

/** Agents hold the scopes, the kind and the devices; their keys are only secrets, so that rotating one changes nothing else. */
export class Agents {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** How a live agent is gated; undefined when there is none of that name in the workspace. */
  async rights(
    workspaceId: string,
    agentId: string,
  ): Promise<Pick<AgentView, "kind" | "ceiling" | "ownerId"> | undefined> {
    const [row] = await this.#context.database.recall<Pick<AgentRow, "kind" | "ceiling" | "owner_id">>(
      "SELECT kind, ceiling, owner_id FROM identity_agent WHERE id = ? AND workspace_id = ? AND revoked_at IS NULL",
      agentId,
      workspaceId,
    );
    return row && { kind: row.kind, ceiling: row.ceiling, ownerId: row.owner_id };
  }

  /** An agent that works for the actor, with its first key. */
  async create(actor: PersonPrincipal, wanted: NewAgent): Promise<IssuedKey> {
    const { kind = "agent", devices = "approved" } = wanted;
    const name = checkName(wanted.name, "name");
    const scopes = checkScopes(wanted.scopes);
    const ceiling = checkKind(kind, devices, wanted.ceiling);
    const { clock, events } = this.#context;
    const expiresAt = keyExpiry(clock.now(), wanted.keyLives);
    return change(this.#context, async (queries) => {
      await authorise(this.#context, queries, actor, {
        roles: ["owner", "approver", "member"],
        act: kind === "automation" ? "key.automation" : undefined,
      });
      if (devices === "none") await requireFresh(queries, actor.session, "devices.none", clock.now());
      const agentId = newPrefixedId("agt");
      await queries.run(
        `INSERT INTO identity_agent (id, workspace_id, owner_id, name, kind, ceiling, scopes, devices, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        agentId,
        actor.workspaceId,
        actor.userId,
        name,
        kind,
        ceiling,
        JSON.stringify(scopes),
        devices,
        clock.now(),
      );
      const content = { agentId, name, kind, ceiling, scopes: [...scopes], devices };
      await events.add(queries, actor.workspaceId, "agent.created", actor.userId, content);
      return issueKey(this.#context, queries, { agentId, actor, expiresAt, type: "key.created" });
    });
  }

  /** Replaces the scopes. Giving an automation more to run unasked is a weakening. */
  async setScopes(actor: PersonPrincipal, agentId: string, wanted: readonly string[]): Promise<void> {
    const scopes = checkScopes(wanted);
    const { clock, events } = this.#context;
    await change(this.#context, async (queries) => {
      const agent = await ownAgent(queries, actor, agentId);
      const before = JSON.parse(agent.scopes) as string[];
      if (agent.kind === "automation" && scopes.some((scope) => !before.includes(scope))) {
        await requireFresh(queries, actor.session, "agent.widened", clock.now());
      }
      await queries.run("UPDATE identity_agent SET scopes = ? WHERE id = ?", JSON.stringify(scopes), agentId);
      const content = { agentId, from: before, to: [...scopes] };
      await events.add(queries, actor.workspaceId, "agent.scopes_changed", actor.userId, content);
    });
  }

  /** Ends the agent with all its keys, devices and tokens, at once. By its owner or an owner of the workspace. */
  async revoke(actor: PersonPrincipal, agentId: string): Promise<void> {
    const { clock, events } = this.#context;
    await change(this.#context, async (queries) => {
      await manageableAgent(queries, actor, agentId);
      await queries.run("UPDATE identity_agent SET revoked_at = ? WHERE id = ?", clock.now(), agentId);
      await events.add(queries, actor.workspaceId, "agent.revoked", actor.userId, { agentId });
    });
  }

  /** One's own agents; an owner of the workspace sees all. Revoked ones stay in the list. */
  async list(actor: PersonPrincipal): Promise<readonly AgentView[]> {
    const rows = await this.#context.database.all<AgentRow>(
      "SELECT * FROM identity_agent WHERE workspace_id = ? AND (owner_id = ? OR ? = 'owner') ORDER BY created_at, id",
      actor.workspaceId,
      actor.userId,
      actor.role,
    );
    return rows.map((row) => ({
      agentId: row.id,
      name: row.name,
      ownerId: row.owner_id,
      kind: row.kind,
      ceiling: row.ceiling,
      scopes: JSON.parse(row.scopes) as string[],
      devices: row.devices,
      createdAt: row.created_at,
      revokedAt: row.revoked_at,
    }));
  }
}

function checkKind(kind: string, devices: string, ceiling: RiskTier | undefined): RiskTier | null {
  const wrong = (path: string, text: string) => new CountersignError("invalid_request", text, { path });
  if (devices !== "approved" && devices !== "none") throw wrong("devices", 'devices is "approved" or "none".');
  if (kind === "agent") {
    if (ceiling !== undefined) throw wrong("ceiling", "Only an automation key has a ceiling; an agent always asks.");
    return null;
  }
  if (kind !== "automation") throw wrong("kind", 'A key\'s kind is "agent" or "automation".');
  const chosen = ceiling ?? "R2";
  if (!CEILINGS.includes(chosen)) throw wrong("ceiling", "An automation key's ceiling is R3 at most.");
  return chosen;
}
