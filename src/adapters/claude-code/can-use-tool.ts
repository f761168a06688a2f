import type { GateLike } from "../gate-like.js";
import { type ClaudeOptions, permissionFor, reasonOf } from "./permission.js";

/** What the Agent SDK hands to `canUseTool` and is read here. */
export interface CanUseToolContext {
  readonly signal: AbortSignal;
  /** Marks a subagent. */
  readonly agentID?: string;
}

export type PermissionResult =
  | { behavior: "allow"; updatedInput: Record<string, unknown> }
  | { behavior: "deny"; message: string };

/**
 * For the Claude Agent SDK: `query({ options: { permissionMode: "default", canUseTool: canUseTool(gate) } })`. Waits for a
 * person; a gate that does not answer denies. It gives no lasting permissions away: those are grants of the gate.
 */
export function canUseTool(
  gate: GateLike,
  options: ClaudeOptions & { readonly sessionId?: string; readonly cwd?: string } = {},
): (tool: string, input: Record<string, unknown>, context: CanUseToolContext) => Promise<PermissionResult> {
  const { sessionId, cwd } = options;
  return async (tool, input, { signal, agentID }) => {
    const context = {
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(agentID === undefined ? {} : { agentId: agentID }),
      ...(cwd === undefined ? {} : { cwd }),
    };
    const permission = await permissionFor(gate, { tool, input, context, signal }, options);
    return permission.allowed
      ? { behavior: "allow", updatedInput: permission.input }
      : { behavior: "deny", message: reasonOf(permission.told) };
  };
}
