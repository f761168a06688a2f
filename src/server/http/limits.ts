import { CountersignError } from "../../core/errors.js";
import type { LimitVerdict } from "../identity/index.js";
import type { Service } from "../service.js";
import type { AnyRoute, By } from "./route.js";

const MINUTE = 60_000;

/** A refusal that knows when to come back. */
class RateLimited extends CountersignError {
  readonly retryAt: number;

  constructor(reason: string, retryAt: number) {
    super("rate_limited", reason);
    this.retryAt = retryAt;
  }
}

/**
 * Counts a request under its route, for the key, the person or, before sign-in, the socket's address: never for anything that a
 * header says. Reads of signed-in callers are not counted, so that watching costs nothing.
 */
export async function countRequest(
  { identity }: Service,
  route: AnyRoute,
  by: By,
  address: string,
): Promise<Record<string, string>> {
  const { perMinute } = route;
  if (perMinute === undefined) return {};
  const subject = subjectOf(by, address);
  return headersOf(passed(await identity.limits.countAttempt([route.method, route.path, subject], perMinute, MINUTE)));
}

function subjectOf(by: By, address: string): string {
  if (by === undefined) return `address/${address}`;
  return "agentId" in by ? `agent/${by.agentId}` : `person/${by.userId}`;
}

/** Throws for a full limit. */
export function passed(verdict: LimitVerdict): Extract<LimitVerdict, { ok: true }> {
  if (!verdict.ok) throw new RateLimited(verdict.reason, verdict.resetAt);
  return verdict;
}

export function headersOf(verdict: Extract<LimitVerdict, { ok: true }>): Record<string, string> {
  if (!Number.isFinite(verdict.limit)) return {};
  return {
    "ratelimit-limit": String(verdict.limit),
    "ratelimit-remaining": String(verdict.remaining),
    "ratelimit-reset": new Date(verdict.resetAt).toISOString(),
  };
}
