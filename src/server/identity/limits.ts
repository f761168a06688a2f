import { CountersignError } from "../../core/errors.js";
import type { Context } from "./context.js";
import type { Queries } from "./database.js";
import type { Principal } from "./principal.js";
import { hashSecret } from "./secrets.js";

/** A write about to happen. Provider and action come from the registered tool; the model is what the caller says it is. */
export interface WriteAct {
  readonly tool: string;
  /** What kind of write: send, pay, delete … */
  readonly action?: string;
  readonly provider?: string;
  readonly model?: string;
}

/** At most `max` writes in a window, for each caller, or for each tool, provider or model a caller uses. */
export interface WriteLimit {
  readonly per: "caller" | "tool" | "provider" | "model";
  /** Only for this tool, provider or model. */
  readonly only?: string;
  /** Only for this kind of write. */
  readonly action?: string;
  readonly max: number;
  /** In milliseconds. */
  readonly window: number;
}

const DEFAULT_WRITE_LIMITS: readonly WriteLimit[] = [{ per: "caller", max: 10, window: 60_000 }];

export type LimitVerdict =
  | { readonly ok: true; readonly limit: number; readonly remaining: number; readonly resetAt: number }
  | { readonly ok: false; readonly limit: number; readonly resetAt: number; readonly reason: string };

/**
 * Counters in the database, one for all instances. A window starts with its first write and then counts; each count is one
 * conditional write, so that the limit holds exactly under any number at once. Keyed by agent or person, never by anything a
 * request says of itself; a rotated key goes on with its agent's count.
 */
export class Limits {
  readonly #context: Context;
  readonly #limits: readonly WriteLimit[];

  constructor(context: Context, limits: readonly WriteLimit[] = DEFAULT_WRITE_LIMITS) {
    for (const { max, window } of limits) {
      if (!Number.isSafeInteger(max) || max < 0 || !Number.isSafeInteger(window) || window <= 0) {
        throw new CountersignError("invalid_request", "A write limit has a whole max and a window in milliseconds.");
      }
    }
    this.#context = context;
    this.#limits = limits;
  }

  /** Counts the write under every limit that speaks of it, or under none: a refused write uses nothing up. */
  async countWrite(principal: Principal, act: WriteAct): Promise<LimitVerdict> {
    const subject = principal.kind === "agent" ? `agent/${principal.agentId}` : `person/${principal.userId}`;
    const now = this.#context.clock.now();
    const buckets = this.#limits.flatMap((limit, index) => {
      const value = valueOf(limit, act);
      if (value === undefined) return [];
      return [{ limit, id: bucketId(["write", principal.workspaceId, subject, String(index), value]) }];
    });
    return this.#failClosed(async (queries) => {
      let tightest: LimitVerdict = { ok: true, limit: Infinity, remaining: Infinity, resetAt: now };
      for (const { limit, id } of buckets) {
        const verdict = await count(queries, id, limit.max, limit.window, now);
        if (!verdict.ok) throw new Refused({ ...verdict, reason: reasonOf(limit) });
        if (verdict.remaining < tightest.remaining) tightest = verdict;
      }
      return tightest;
    });
  }

  /** A counter for anything else that must not be tried without end: codes, sign-ins, routes. */
  async countAttempt(bucket: readonly string[], max: number, window: number): Promise<LimitVerdict> {
    const now = this.#context.clock.now();
    return this.#failClosed((queries) => count(queries, bucketId(["attempt", ...bucket]), max, window, now));
  }

  /** When the counter cannot be read, nobody knows how many there were: then there were too many. */
  async #failClosed(counting: (queries: Queries) => Promise<LimitVerdict>): Promise<LimitVerdict> {
    try {
      // A power failure may forget the last counts; no window outlives it by much, and a flush per write would cost more.
      return await this.#context.database.transaction(counting, "relaxed");
    } catch (error) {
      if (error instanceof Refused) return error.verdict;
      throw new CountersignError("store_failed", "The limit could not be read, so the write is refused. Try again.", {
        cause: error,
      });
    }
  }
}

/** Rolls the counts of the same write back. */
class Refused extends Error {
  readonly verdict: LimitVerdict;

  constructor(verdict: LimitVerdict) {
    super("limit reached");
    this.verdict = verdict;
  }
}

function valueOf({ per, only, action }: WriteLimit, act: WriteAct): string | undefined {
  if (action !== undefined && action !== act.action) return undefined;
  const value = per === "caller" ? "" : act[per];
  return only === undefined || only === value ? value : undefined;
}

function reasonOf({ per, action, max, window }: WriteLimit): string {
  const what = action === undefined ? "writes" : `${action} writes`;
  const where = per === "caller" ? "" : ` for one ${per}`;
  return `At most ${max} ${what}${where} in ${Math.round(window / 1_000)} s.`;
}

/** Hashed as a list, so that no part, some of which callers choose, can run into the next or grow a row. */
function bucketId(parts: readonly string[]): string {
  return hashSecret(JSON.stringify(parts));
}

async function count(queries: Queries, id: string, max: number, window: number, now: number): Promise<LimitVerdict> {
  if (max > 0) {
    const [row] = await queries.run<{ value: number; ends_at: number }>(
      `INSERT INTO identity_counter (id, value, ends_at) VALUES (?, 1, ?)
       ON CONFLICT (id) DO UPDATE SET
         value = CASE WHEN identity_counter.ends_at <= ? THEN 1 ELSE identity_counter.value + 1 END,
         ends_at = CASE WHEN identity_counter.ends_at <= ? THEN excluded.ends_at ELSE identity_counter.ends_at END
       WHERE identity_counter.ends_at <= ? OR identity_counter.value < ?
       RETURNING value, ends_at`,
      id,
      now + window,
      now,
      now,
      now,
      max,
    );
    if (row !== undefined) return { ok: true, limit: max, remaining: max - row.value, resetAt: row.ends_at };
  }
  const full = await queries.get<{ ends_at: number }>("SELECT ends_at FROM identity_counter WHERE id = ?", id);
  return { ok: false, limit: max, resetAt: full?.ends_at ?? now + window, reason: "Too many attempts." };
}
