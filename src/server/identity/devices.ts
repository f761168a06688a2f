import { CountersignError } from "../../core/errors.js";
import type { AgentAccess } from "./agent-access.js";
import { manageableAgent, ownAgent } from "./agent-rights.js";
import { requireFresh } from "./authority.js";
import { type Context, change, checkName, notFound } from "./context.js";
import type { Queries } from "./database.js";
import { PROOF_REMEMBERED, verifyDeviceProof } from "./device-proof.js";
import type { AgentPrincipal, PersonPrincipal } from "./principal.js";
import { hashSecret, newPrefixedId, newSecret } from "./secrets.js";
import { notSignedIn } from "./sessions.js";

const BOUND_TOKEN_LIVES = 10 * 60_000;
/** How long a device waits for its answer. */
export const DEVICE_WAITS = 24 * 3_600_000;
const MAX_PENDING = 5;

type DeviceStatus = "pending" | "approved" | "denied" | "revoked";

/** A proof becomes a token, or a question to the key's owner. */
export type Exchanged =
  | { readonly type: "bound"; readonly token: string; readonly expiresAt: number }
  | { readonly type: "pending"; readonly deviceId: string; readonly fingerprint: string };

export interface DeviceView {
  readonly deviceId: string;
  readonly agentId: string;
  readonly label: string;
  /** Shown by the device too, so that the person approves the one in front of them. */
  readonly fingerprint: string;
  readonly status: DeviceStatus;
  readonly requestedAt: number;
  readonly lastUsedAt: number | null;
}

interface DeviceRow {
  readonly id: string;
  readonly agent_id: string;
  readonly thumbprint: string;
  readonly label: string;
  readonly status: DeviceStatus;
  readonly requested_at: number;
  readonly last_used_at: number | null;
}

/*
 * A device is a key pair that never leaves it. States: pending → approved → revoked, pending → denied. A pending one that
 * nobody answered in a day may ask again; denied and revoked are for ever.
 */
export class Devices {
  readonly #context: Context;
  readonly #access: AgentAccess;

  constructor(context: Context, access: AgentAccess) {
    this.#context = context;
    this.#access = access;
  }

  /** Once per token, not per request: the device proves itself and gets a token for ten minutes. */
  async exchange(
    apiKey: string,
    proof: unknown,
    request: { readonly method: string; readonly url: string; readonly label?: string },
  ): Promise<Exchanged> {
    const live = await this.#access.key(apiKey);
    if (live === undefined) throw notSignedIn();
    const label = checkName(request.label ?? "Unnamed device", "label");
    const now = this.#context.clock.now();
    const proven = verifyDeviceProof(proof, { ...request, apiKey, now });
    if (proven === undefined || !(await this.#isNew(`${proven.thumbprint}.${proven.proofId}`, now))) {
      throw new CountersignError("device_refused", "The device proof was not accepted. Make a new one.");
    }
    const { thumbprint } = proven;
    return change(this.#context, async (queries) => {
      const device = await queries.get<DeviceRow>(
        "SELECT * FROM identity_device WHERE agent_id = ? AND thumbprint = ?",
        live.principal.agentId,
        thumbprint,
      );
      if (device?.status === "approved") return this.#bind(queries, live.principal, device.id);
      if (device !== undefined && device.status !== "pending") {
        throw new CountersignError("device_refused", "The key's owner has refused this device.");
      }
      return this.#ask(queries, live.principal, { device, thumbprint, label });
    });
  }

  async list(actor: PersonPrincipal): Promise<readonly DeviceView[]> {
    const rows = await this.#context.database.all<DeviceRow>(
      `SELECT d.id, d.agent_id, d.thumbprint, d.label, d.status, d.requested_at, d.last_used_at FROM identity_device d
       JOIN identity_agent a ON a.id = d.agent_id
       WHERE a.workspace_id = ? AND (a.owner_id = ? OR ? = 'owner') ORDER BY d.requested_at, d.id`,
      actor.workspaceId,
      actor.userId,
      actor.role,
    );
    const since = this.#context.clock.now() - DEVICE_WAITS;
    return rows
      .filter(({ status, requested_at }) => status !== "pending" || requested_at > since)
      .map((row) => ({
        deviceId: row.id,
        agentId: row.agent_id,
        label: row.label,
        fingerprint: fingerprintOf(row.thumbprint),
        status: row.status,
        requestedAt: row.requested_at,
        lastUsedAt: row.last_used_at,
      }));
  }

  /** By the key's owner alone, whose name the agent acts in. */
  async approve(actor: PersonPrincipal, deviceId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      await ownAgent(queries, actor, await agentOf(queries, deviceId));
      await requireFresh(queries, actor.session, "device.approved", this.#context.clock.now());
      await this.#decide(queries, actor, deviceId, "pending", "approved");
    });
  }

  async deny(actor: PersonPrincipal, deviceId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      await ownAgent(queries, actor, await agentOf(queries, deviceId));
      await this.#decide(queries, actor, deviceId, "pending", "denied");
    });
  }

  /** Its tokens stop at the same moment. An owner of the workspace may do it too. */
  async revoke(actor: PersonPrincipal, deviceId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      await manageableAgent(queries, actor, await agentOf(queries, deviceId));
      await this.#decide(queries, actor, deviceId, "approved", "revoked");
    });
  }

  /** Whether the proof is seen for the first time; of two at once, one is. */
  async #isNew(proofId: string, now: number): Promise<boolean> {
    const first = await this.#context.database.run(
      "INSERT INTO identity_seen_proof (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING RETURNING id",
      hashSecret(proofId),
      now + PROOF_REMEMBERED,
    );
    return first.length === 1;
  }

  async #bind(queries: Queries, { keyId }: AgentPrincipal, deviceId: string): Promise<Exchanged> {
    const now = this.#context.clock.now();
    const token = newSecret("csd");
    const expiresAt = now + BOUND_TOKEN_LIVES;
    await queries.run(
      "INSERT INTO identity_bound_token (token_hash, key_id, device_id, expires_at) VALUES (?, ?, ?, ?)",
      hashSecret(token),
      keyId,
      deviceId,
      expiresAt,
    );
    await queries.run("UPDATE identity_device SET last_used_at = ? WHERE id = ?", now, deviceId);
    return { type: "bound", token, expiresAt };
  }

  /** A question to the owner, unless it is open already. A few may be open: a stolen key must not flood anyone. */
  async #ask(
    queries: Queries,
    { agentId, workspaceId, ownerId }: AgentPrincipal,
    asked: { readonly device: DeviceRow | undefined; readonly thumbprint: string; readonly label: string },
  ): Promise<Exchanged> {
    const { device, thumbprint, label } = asked;
    const now = this.#context.clock.now();
    const fingerprint = fingerprintOf(thumbprint);
    if (device !== undefined && device.requested_at > now - DEVICE_WAITS) {
      return { type: "pending", deviceId: device.id, fingerprint };
    }
    const open = await queries.all(
      "SELECT id FROM identity_device WHERE agent_id = ? AND status = 'pending' AND requested_at > ?",
      agentId,
      now - DEVICE_WAITS,
    );
    if (open.length >= MAX_PENDING) {
      throw new CountersignError("device_refused", `${MAX_PENDING} devices of this key wait for its owner already.`);
    }
    const deviceId = device?.id ?? newPrefixedId("dev");
    await queries.run(
      `INSERT INTO identity_device (id, agent_id, thumbprint, label, status, requested_at) VALUES (?, ?, ?, ?, 'pending', ?)
       ON CONFLICT (agent_id, thumbprint) DO UPDATE SET label = excluded.label, requested_at = excluded.requested_at`,
      deviceId,
      agentId,
      thumbprint,
      label,
      now,
    );
    const content = { deviceId, agentId, ownerId, label, fingerprint };
    await this.#context.events.add(queries, workspaceId, "device.requested", agentId, content);
    return { type: "pending", deviceId, fingerprint };
  }

  async #decide(
    queries: Queries,
    actor: PersonPrincipal,
    deviceId: string,
    from: DeviceStatus,
    to: Exclude<DeviceStatus, "pending">,
  ): Promise<void> {
    const now = this.#context.clock.now();
    const decided = await queries.run(
      `UPDATE identity_device SET status = ?, decided_by = ?, decided_at = ?
       WHERE id = ? AND status = ? AND (status <> 'pending' OR requested_at > ?) RETURNING id`,
      to,
      actor.userId,
      now,
      deviceId,
      from,
      now - DEVICE_WAITS,
    );
    if (decided.length === 0) throw notFound(`${from} device`);
    await this.#context.events.add(queries, actor.workspaceId, `device.${to}`, actor.userId, { deviceId });
  }
}

async function agentOf(queries: Queries, deviceId: string): Promise<string> {
  const row = await queries.get<{ agent_id: string }>("SELECT agent_id FROM identity_device WHERE id = ?", deviceId);
  if (row === undefined) throw notFound("device");
  return row.agent_id;
}

/** Eight characters that device and card both show. It helps a person compare; it proves nothing. */
function fingerprintOf(thumbprint: string): string {
  const hex = Buffer.from(thumbprint, "base64url").toString("hex").slice(0, 8).toUpperCase();
  return `${hex.slice(0, 4)}-${hex.slice(4)}`;
}
