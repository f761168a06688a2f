import type { GateLike } from "../gate-like.js";
import { type ClaudeOptions, permissionFor, reasonOf } from "./permission.js";

/** What the Agent SDK hands to `canUseTool` and is read here. */
export interface CanUseToolContext {
  readonly signal: AbortSignal;
  readonly toolUseID?: string;
  /** The same one is delivered again after a break. */
  readonly requestId?: string;
  /** Marks a subagent. */
  readonly agentID?: string;
}

export type PermissionResult =
  | { behavior: "allow"; updatedInput: Record<string, unknown> }
  | { behavior: "deny"; message: string };

/** More than a session has open at once; older ones are not delivered again. */
const MAX_ANSWERS = 1_000;

/**
 * For the Claude Agent SDK: `query({ options: { permissionMode: "default", canUseTool: canUseTool(gate) } })`. Waits for a
 * person; a gate that does not answer denies. A request that is delivered twice gets one answer. It gives no lasting permissions
 * away: those are grants of the gate.
 */
export function canUseTool(
  gate: GateLike,
  options: ClaudeOptions & { readonly sessionId?: string; readonly cwd?: string } = {},
): (tool: string, input: Record<string, unknown>, context: CanUseToolContext) => Promise<PermissionResult> {
  const { sessionId, cwd } = options;
  const answers = new Map<string, Promise<PermissionResult>>();
  return (tool, input, { signal, toolUseID, requestId, agentID }) => {
    const known = requestId === undefined ? undefined : answers.get(requestId);
    if (known !== undefined) return known;
    const context = {
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(agentID === undefined ? {} : { agentId: agentID }),
      ...(cwd === undefined ? {} : { cwd }),
    };
    const asked = { tool, input, context, callId: toolUseID, signal };
    const answer = permissionFor(gate, asked, options).then(
      (permission): PermissionResult =>
        permission.allowed
          ? { behavior: "allow", updatedInput: permission.input }
          : { behavior: "deny", message: reasonOf(permission.told) },
    );
    if (requestId !== undefined) answers.set(requestId, answer);
    const [oldest] = answers.keys();
    if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
