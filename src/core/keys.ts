import { shortHash } from "./audit.js";
import { sha256Base64 } from "./ids.js";

/** Held while a call is open: identical calls of a session join it. The hash binds workspace, agent, session and arguments. */
export function joinKeyOf(toolCallHash: string): string {
  return `j/${shortHash(toolCallHash).slice(0, 22)}`;
}

/** Hashed, because it comes from callers, may be long, and is nobody's business in an index. */
export function idempotencyKeyOf(workspaceId: string, agentId: string, key: string): string {
  return `i/${sha256Base64(JSON.stringify([workspaceId, agentId, key])).slice(0, 22)}`;
}
