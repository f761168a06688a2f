import { type Context, change } from "./context.js";
import type { Queries } from "./database.js";

/** How often the same refusal of the same key is told to the owner's audit log. */
const TELL_EVERY = 60_000;

/** A session is marked as seen at most this often. */
const MARK_EVERY = 60_000;

/** When a session was used, and until when that lets it idle. */
interface Mark {
  readonly at: number;
  readonly idleUntil: number;
}

interface Refused {
  readonly workspaceId: string;
  readonly agentId: string;
  readonly keyId: string;
  readonly reason: string;
  times: number;
}

/**
 * What keys and sessions did since the last flush, kept in memory: a lookup stays a read. A crash loses at most a second of
 * counts and marks, and a session without its mark ends the earlier.
 */
export class Usage {
  readonly #context: Context;
  readonly #used = new Map<string, { times: number; at: number; workspaceId: string; agentId: string }>();
  readonly #refused = new Map<string, Refused>();
  readonly #toldAt = new Map<string, number>();
  readonly #seen = new Map<string, Mark>();
  readonly #markedAt = new Map<string, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  used(keyId: string, agentId: string, workspaceId: string, at: number): void {
    const known = this.#used.get(keyId);
    if (known === undefined) this.#used.set(keyId, { times: 1, at, workspaceId, agentId });
    else {
      known.times++;
      known.at = at;
    }
  }

  /** Whoever asks may know the last mark only as it was a while ago. */
  seen(sessionId: string, lastMark: number, mark: Mark): void {
    const markedAt = Math.max(lastMark, this.#markedAt.get(sessionId) ?? 0);
    if (mark.at - markedAt < MARK_EVERY) return;
    this.#seen.set(sessionId, mark);
    this.#markedAt.set(sessionId, mark.at);
  }

  /** Somebody tried a key that exists and does not work any more. Why is told to its owner only. */
  refused(refusal: Omit<Refused, "times">): void {
    const id = `${refusal.keyId} ${refusal.reason}`;
    const known = this.#refused.get(id);
    if (known === undefined) this.#refused.set(id, { ...refusal, times: 1 });
    else known.times++;
  }

  async flush(): Promise<void> {
    const now = this.#context.clock.now();
    const used = [...this.#used];
    const refused = [...this.#refused].filter(([id]) => now - (this.#toldAt.get(id) ?? -TELL_EVERY) >= TELL_EVERY);
    const seen = [...this.#seen];
    for (const [sessionId, at] of this.#markedAt) if (now - at >= MARK_EVERY) this.#markedAt.delete(sessionId);
    if (used.length === 0 && refused.length === 0 && seen.length === 0) return;
    this.#used.clear();
    this.#seen.clear();
    for (const [id] of refused) {
      this.#refused.delete(id);
      this.#toldAt.set(id, now);
    }
    const note = async (queries: Queries) => {
      for (const [keyId, { times, at, workspaceId, agentId }] of used) {
        const [row] = await queries.run<{ use_count: number }>(
          "UPDATE identity_key SET use_count = use_count + ?, last_used_at = ? WHERE id = ? RETURNING use_count",
          times,
          at,
          keyId,
        );
        if (row?.use_count === times) {
          await this.#context.events.add(queries, workspaceId, "key.first_used", agentId, { keyId, agentId });
        }
      }
      for (const [, { workspaceId, agentId, keyId, reason, times }] of refused) {
        const content = { keyId, agentId, reason, times };
        await this.#context.events.add(queries, workspaceId, "key.refused", agentId, content);
      }
      for (const [sessionId, mark] of seen) await markSession(queries, sessionId, mark);
    };
    await change(this.#context, note, "noted");
  }
}

async function markSession(queries: Queries, sessionId: string, { at, idleUntil }: Mark): Promise<void> {
  await queries.run(
    "UPDATE identity_session SET last_seen_at = ?, idle_expires_at = ? WHERE id = ? AND revoked_at IS NULL AND last_seen_at < ?",
    at,
    idleUntil,
    sessionId,
    at,
  );
}
