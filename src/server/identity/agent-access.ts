import { CountersignError } from "../../core/errors.js";
import type { RiskTier } from "../../core/risk.js";
import type { Context } from "./context.js";
import { isApiKey } from "./key-format.js";
import type { AgentPrincipal, Role } from "./principal.js";
import { hashSecret, isPlausible } from "./secrets.js";
import type { Usage } from "./usage.js";

interface AccessRow {
  readonly key_id: string;
  readonly key_expires_at: number;
  readonly key_revoked_at: number | null;
  readonly superseded_by: string | null;
  readonly agent_id: string;
  readonly workspace_id: string;
  readonly owner_id: string;
  readonly kind: "agent" | "automation";
  readonly ceiling: RiskTier | null;
  readonly scopes: string;
  readonly devices: "approved" | "none";
  readonly agent_revoked_at: number | null;
  readonly owner_role: Role | null;
  readonly owner_disabled_at: number | null;
}

const COLUMNS = `k.id AS key_id, k.expires_at AS key_expires_at, k.revoked_at AS key_revoked_at, k.superseded_by,
  a.id AS agent_id, a.workspace_id, a.owner_id, a.kind, a.ceiling, a.scopes, a.devices, a.revoked_at AS agent_revoked_at,
  m.role AS owner_role, u.disabled_at AS owner_disabled_at`;
const AGENT_OF_KEY = `JOIN identity_agent a ON a.id = k.agent_id JOIN identity_user u ON u.id = a.owner_id
  LEFT JOIN identity_membership m ON m.workspace_id = a.workspace_id AND m.user_id = a.owner_id AND m.revoked_at IS NULL`;

/** A key that may be used now, before its device is asked for. */
export interface LiveKey {
  readonly principal: AgentPrincipal;
  readonly devices: "approved" | "none";
}

/**
 * From what an agent presents to who it is, asked each time: a key, agent, device or owner that was revoked a moment ago on any
 * instance is refused now. Every reason gives the same undefined.
 */
export class AgentAccess {
  readonly #context: Context;
  readonly #usage: Usage;

  constructor(context: Context, usage: Usage) {
    this.#context = context;
    this.#usage = usage;
  }

  /** An API key, or the short-lived token a device got for one. A key bound to devices does not work by itself. */
  async find(credential: unknown): Promise<AgentPrincipal | undefined> {
    if (!isPlausible(credential)) return undefined;
    if (credential.startsWith("csd_")) return this.#byBoundToken(credential);
    const live = await this.key(credential);
    if (live?.devices === "approved") {
      throw new CountersignError(
        "device_refused",
        "This key works from approved devices only. Exchange a device proof for a token first.",
      );
    }
    return live?.principal;
  }

  /** The checksum first: what is not a key of ours costs no read. */
  async key(apiKey: unknown): Promise<LiveKey | undefined> {
    if (!isApiKey(apiKey)) return undefined;
    const [row] = await this.#context.database.recall<AccessRow>(
      `SELECT ${COLUMNS} FROM identity_key k ${AGENT_OF_KEY} WHERE k.secret_hash = ?`,
      hashSecret(apiKey),
    );
    const principal = row && this.#admit(row);
    return principal && row && { principal, devices: row.devices };
  }

  async #byBoundToken(token: string): Promise<AgentPrincipal | undefined> {
    const row = await this.#context.database.get<AccessRow & { device_id: string }>(
      `SELECT ${COLUMNS}, d.id AS device_id FROM identity_bound_token t
       JOIN identity_device d ON d.id = t.device_id AND d.status = 'approved'
       JOIN identity_key k ON k.id = t.key_id ${AGENT_OF_KEY}
       WHERE t.token_hash = ? AND t.expires_at > ?`,
      hashSecret(token),
      this.#context.clock.now(),
    );
    const principal = row && this.#admit(row);
    return principal && row && { ...principal, deviceId: row.device_id };
  }

  #admit(row: AccessRow): AgentPrincipal | undefined {
    const now = this.#context.clock.now();
    const { key_id: keyId, agent_id: agentId, workspace_id: workspaceId } = row;
    const reason = problemOf(row, now);
    if (reason !== undefined) {
      this.#usage.refused({ keyId, agentId, workspaceId, reason });
      return undefined;
    }
    this.#usage.used(keyId, agentId, workspaceId, now);
    return {
      kind: "agent",
      agentId,
      keyId,
      workspaceId,
      ownerId: row.owner_id,
      keyKind: row.kind,
      scopes: JSON.parse(row.scopes) as string[],
      ...(row.ceiling === null ? {} : { ceiling: row.ceiling }),
      ...(row.superseded_by === null ? {} : { retiresAt: row.key_expires_at }),
    };
  }
}

function problemOf(row: AccessRow, now: number): string | undefined {
  if (row.key_revoked_at !== null) return "key revoked";
  if (row.agent_revoked_at !== null) return "agent revoked";
  if (row.key_expires_at <= now) return "key expired";
  if (row.owner_disabled_at !== null) return "owner disabled";
  // An auditor has no agents: who became one left theirs behind.
  return row.owner_role === null || row.owner_role === "auditor" ? "owner left" : undefined;
}
