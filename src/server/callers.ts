import type { Caller } from "../core/call.js";
import { CountersignError } from "../core/errors.js";
import type { Gate } from "../core/gate.js";
import { callerOf, covers, type Principal } from "./identity/index.js";

/** The agent's own name for its run, the agents above it, and the door it came through. */
export interface CallerDetails {
  readonly sessionId?: string | undefined;
  readonly lineage?: readonly string[] | undefined;
  readonly surface?: string;
}

/** Who calls, as the gate knows it. A person who calls does so for themselves, from their session. */
export function callerFor(by: Principal, { sessionId, lineage, surface = "rest" }: CallerDetails = {}): Caller {
  const more = lineage === undefined ? {} : { lineage };
  if (by.kind === "agent") return { ...callerOf(by, sessionId, surface), ...more };
  const { userId, workspaceId, session } = by;
  return {
    userId,
    workspaceId,
    sessionId: sessionId ?? session.sessionId,
    agentId: `person:${userId}`,
    surface,
    ...more,
  };
}

/**
 * A key asks for what its scopes cover; everything else is the same to it as a tool that is not there. The app of a tool counts
 * where the gate itself says it, not where the agent does.
 */
export function checkScope({ registry }: Pick<Gate, "registry">, by: Principal, name: string): void {
  if (by.kind !== "agent") return;
  const tool = registry.find(name) ?? { name: registry.find(name, by)?.name ?? name };
  if (covers(by.scopes, tool)) return;
  throw new CountersignError("not_permitted", `This key's scopes do not cover "${name}".`, { path: "tool" });
}
