import { CountersignError } from "../../core/errors.js";
import { manageableAgent, ownAgent } from "./agent-rights.js";
import { type Context, change, notFound } from "./context.js";
import type { Queries } from "./database.js";
import { keyHint, newApiKey } from "./key-format.js";
import type { PersonPrincipal } from "./principal.js";
import { hashSecret, newPrefixedId } from "./secrets.js";

const DAY = 24 * 3_600_000;
const DEFAULT_LIFE = 90 * DAY;
const LONGEST_LIFE = 366 * DAY;
const DEFAULT_OVERLAP = DAY;
const LONGEST_OVERLAP = 30 * DAY;

/** A key with its secret, which is shown this once. */
export interface IssuedKey {
  readonly agentId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly expiresAt: number;
}

export interface KeyView {
  readonly keyId: string;
  readonly hint: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly supersededBy: string | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly useCount: number;
}

interface KeyRow {
  readonly id: string;
  readonly agent_id: string;
  readonly hint: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly superseded_by: string | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  readonly use_count: number;
}

export class ApiKeys {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** A new secret for the same agent. The old key goes on for the overlap, then stops; it is rotated once only. */
  async rotate(
    actor: PersonPrincipal,
    keyId: string,
    { overlap = DEFAULT_OVERLAP, keyLives }: { overlap?: number; keyLives?: number } = {},
  ): Promise<IssuedKey> {
    if (!Number.isSafeInteger(overlap) || overlap < 0 || overlap > LONGEST_OVERLAP) {
      throw new CountersignError("invalid_request", "The overlap is at most 30 days.", { path: "overlap" });
    }
    const now = this.#context.clock.now();
    const expiresAt = keyExpiry(now, keyLives);
    return change(this.#context, async (queries) => {
      const { agent_id } = await keyOf(queries, keyId);
      await ownAgent(queries, actor, agent_id);
      const type = "key.rotated";
      const issued = await issueKey(this.#context, queries, {
        agentId: agent_id,
        actor,
        expiresAt,
        type,
        replaces: keyId,
      });
      const retired = await queries.run(
        `UPDATE identity_key SET superseded_by = ?, expires_at = CASE WHEN expires_at < ? THEN expires_at ELSE ? END
         WHERE id = ? AND superseded_by IS NULL AND revoked_at IS NULL AND expires_at > ? RETURNING id`,
        issued.keyId,
        now + overlap,
        now + overlap,
        keyId,
        now,
      );
      if (retired.length === 0) {
        throw new CountersignError(
          "invalid_request",
          "This key was rotated, revoked or has expired; rotate a live one.",
        );
      }
      return issued;
    });
  }

  /** From this moment the key, and every token made from it, is refused on every instance. */
  async revoke(actor: PersonPrincipal, keyId: string): Promise<void> {
    await change(this.#context, async (queries) => {
      const { agent_id } = await keyOf(queries, keyId);
      await manageableAgent(queries, actor, agent_id);
      const revoked = await queries.run(
        "UPDATE identity_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING id",
        this.#context.clock.now(),
        keyId,
      );
      if (revoked.length === 0) throw notFound("live key");
      const content = { keyId, agentId: agent_id };
      await this.#context.events.add(queries, actor.workspaceId, "key.revoked", actor.userId, content);
    });
  }

  /** The keys of an agent and their use, ended ones included; without secrets, which are not kept. */
  async list(actor: PersonPrincipal, agentId: string): Promise<readonly KeyView[]> {
    const rows = await this.#context.database.all<KeyRow>(
      `SELECT k.id, k.agent_id, k.hint, k.created_at, k.expires_at, k.superseded_by, k.revoked_at, k.last_used_at, k.use_count
       FROM identity_key k JOIN identity_agent a ON a.id = k.agent_id
       WHERE a.id = ? AND a.workspace_id = ? AND (a.owner_id = ? OR ? = 'owner') ORDER BY k.created_at, k.id`,
      agentId,
      actor.workspaceId,
      actor.userId,
      actor.role,
    );
    return rows.map((row) => ({
      keyId: row.id,
      hint: row.hint,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      supersededBy: row.superseded_by,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
      useCount: row.use_count,
    }));
  }
}

async function keyOf(queries: Queries, keyId: string): Promise<{ readonly agent_id: string }> {
  const row = await queries.get<{ agent_id: string }>("SELECT agent_id FROM identity_key WHERE id = ?", keyId);
  if (row === undefined) throw notFound("key");
  return row;
}

export function keyExpiry(now: number, lives = DEFAULT_LIFE): number {
  if (!Number.isSafeInteger(lives) || lives <= 0 || lives > LONGEST_LIFE) {
    throw new CountersignError("invalid_request", "A key lives at least a moment and at most 366 days.", {
      path: "keyLives",
    });
  }
  return now + lives;
}

export async function issueKey(
  { clock, events }: Context,
  queries: Queries,
  options: {
    readonly agentId: string;
    readonly actor: PersonPrincipal;
    readonly expiresAt: number;
    readonly type: "key.created" | "key.rotated";
    readonly replaces?: string;
  },
): Promise<IssuedKey> {
  const { agentId, actor, expiresAt, type, replaces } = options;
  const apiKey = newApiKey();
  const keyId = newPrefixedId("key");
  await queries.run(
    `INSERT INTO identity_key (id, agent_id, hint, secret_hash, created_at, expires_at, use_count)
     VALUES (?, ?, ?, ?, ?, ?, 0)`,
    keyId,
    agentId,
    keyHint(apiKey),
    hashSecret(apiKey),
    clock.now(),
    expiresAt,
  );
  await events.add(queries, actor.workspaceId, type, actor.userId, { keyId, agentId, expiresAt, replaces });
  return { agentId, keyId, apiKey, expiresAt };
}
