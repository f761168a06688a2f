import { newId } from "../../core/ids.js";
import type { Json, JsonObject } from "../../core/json.js";
import type { Clock, Notice } from "../../core/ports.js";
import type { IdentityDatabase, Queries } from "./database.js";

/** Everything that changes who may do what. True: it takes something away, so that open judgements must be made again. */
const TIGHTENS = {
  "workspace.created": false,
  "member.joined": false,
  "member.confirmed": false,
  "member.role_changed": true,
  "member.removed": true,
  "group.created": false,
  "group.removed": true,
  "group.member_added": false,
  "group.member_removed": true,
  "invitation.created": false,
  "invitation.revoked": true,
  "person.disabled": true,
  "person.recovered": true,
  "link.created": false,
  "session.started": false,
  "session.elevated": false,
  "session.revoked": true,
  "passkey.added": false,
  "passkey.removed": true,
  "passkey.refused": false,
  "agent.created": false,
  "agent.scopes_changed": true,
  "agent.revoked": true,
  "key.created": false,
  "key.rotated": false,
  "key.revoked": true,
  "key.first_used": false,
  "key.refused": false,
  "device.requested": false,
  "device.approved": false,
  "device.denied": true,
  "device.revoked": true,
  "cli.approved": false,
  "cli.denied": false,
  "account.linked": false,
  "account.unlinked": true,
} as const satisfies Record<string, boolean>;
export type IdentityEventType = keyof typeof TIGHTENS;

export interface IdentityEvent {
  /** Unique for ever. An event may be handed over twice after a crash; the same id tells it. */
  readonly eventId: string;
  readonly workspaceId: string;
  readonly time: number;
  readonly type: IdentityEventType;
  /** The person, the agent, or `host` for who runs the server. */
  readonly by: string;
  /** Ids, names and roles; never a secret. */
  readonly content: JsonObject;
  readonly tightens: boolean;
}

/** Takes an event into the workspace's chain. Must not wait for a change of identity: events follow each other. */
export type Audit = (event: IdentityEvent) => void | Promise<void>;

/** The acting side when nobody is signed in: the process itself, or whoever holds its command line. */
export const HOST = "host";

interface EventRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly at: number;
  readonly type: IdentityEventType;
  readonly by_id: string;
  readonly content: string;
}

const BATCH = 100;

/**
 * Events are written with the change they speak of, in the same transaction, and handed over after it: no change without its
 * event, even when the process dies in between. What could not be handed over stays and is tried again.
 */
export class Events {
  readonly #database: IdentityDatabase;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #notice: Notice;
  #delivering = false;

  constructor(database: IdentityDatabase, clock: Clock, audit: Audit, notice: Notice) {
    this.#database = database;
    this.#clock = clock;
    this.#audit = audit;
    this.#notice = notice;
  }

  async add(
    queries: Queries,
    workspaceId: string,
    type: IdentityEventType,
    by: string,
    content: { readonly [key: string]: Json | undefined },
  ): Promise<void> {
    await queries.run(
      "INSERT INTO identity_event (id, workspace_id, at, type, by_id, content) VALUES (?, ?, ?, ?, ?, ?)",
      newId(),
      workspaceId,
      this.#clock.now(),
      type,
      by,
      JSON.stringify(content),
    );
  }

  /** What concerns a person is told in each workspace the person belongs to. */
  async addForPerson(
    queries: Queries,
    userId: string,
    type: IdentityEventType,
    by: string,
    content: { readonly [key: string]: Json | undefined },
  ): Promise<void> {
    const memberships = await queries.all<{ workspace_id: string }>(
      "SELECT workspace_id FROM identity_membership WHERE user_id = ? AND revoked_at IS NULL ORDER BY workspace_id",
      userId,
    );
    for (const { workspace_id } of memberships) {
      await this.add(queries, workspace_id, type, by, { userId, ...content });
    }
  }

  /** Hands over what waits, oldest first. While somebody is at it, theirs will take ours along. */
  async deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (;;) {
        const rows = await this.#database.all<EventRow>(
          `SELECT id, workspace_id, at, type, by_id, content FROM identity_event ORDER BY id LIMIT ${BATCH}`,
        );
        if (rows.length === 0) return;
        await this.#handOver(rows);
      }
    } catch (error) {
      this.#notice("identity.audit_failed", { why: (error as Error).message });
    } finally {
      this.#delivering = false;
    }
  }

  /** What was handed over is removed in one write for all; what a failure leaves behind is told again, and known by its id. */
  async #handOver(rows: readonly EventRow[]): Promise<void> {
    const told: string[] = [];
    try {
      for (const row of rows) {
        await this.#audit(toEvent(row));
        told.push(row.id);
      }
    } finally {
      if (told.length > 0) {
        await this.#database.transaction(async (queries) => {
          for (const id of told) await queries.run("DELETE FROM identity_event WHERE id = ?", id);
        });
      }
    }
  }
}

function toEvent({ id, workspace_id, at, type, by_id, content }: EventRow): IdentityEvent {
  return {
    eventId: id,
    workspaceId: workspace_id,
    time: at,
    type,
    by: by_id,
    content: JSON.parse(content) as JsonObject,
    tightens: TIGHTENS[type],
  };
}
