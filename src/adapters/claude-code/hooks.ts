import { canonicalize } from "../../core/json.js";
import type { GateLike } from "../gate-like.js";
import { tellError } from "../told.js";
import { type Asked, type ClaudeOptions, type Permission, permissionFor, reasonOf } from "./permission.js";

export interface HookOptions extends ClaudeOptions {
  readonly signal?: AbortSignal;
  /** What to say when the gate does not take the call: no, or ask the person at the terminal. Never yes. */
  readonly whenDown?: "deny" | "ask";
}

/** What a hook prints for Claude Code to read. */
export type HookAnswer = Readonly<Record<string, unknown>>;

/**
 * Answers a hook of Claude Code from the JSON on its standard input: `PreToolUse` as the hard gate before every tool,
 * `PermissionRequest` where Claude Code would ask by itself. Other events get no opinion. Input that cannot be read is denied;
 * this never rejects.
 */
export async function answerHook(json: unknown, gate: GateLike, options: HookOptions = {}): Promise<HookAnswer> {
  const event = readEvent(json);
  if (event === undefined) return preToolUse(DENIED_UNREAD);
  if (event.name !== "PreToolUse" && event.name !== "PermissionRequest") return {};
  if (event.asked === undefined) return answer(event.name, DENIED_UNREAD, undefined);
  const { signal } = options;
  const asked = { ...event.asked, ...(signal === undefined ? {} : { signal }) };
  const permission = await permissionFor(gate, asked, options);
  const down = !permission.allowed && permission.told.countersign.outcome === "refused";
  if (down && options.whenDown === "ask") return event.name === "PreToolUse" ? askAtTerminal(permission) : {};
  return answer(event.name, permission, asked);
}

/** The answer to a hook whose gate could not even be asked: no, and why. Events that decide nothing get no opinion. */
export function refuseHook(json: unknown, error: unknown): HookAnswer {
  const { name } = readEvent(json) ?? { name: "PreToolUse" };
  const refused: Permission = { allowed: false, told: tellError(error) };
  return name === "PreToolUse" || name === "PermissionRequest" ? answer(name, refused, undefined) : {};
}

interface HookEvent {
  readonly name: string;
  readonly asked?: Asked;
}

function readEvent(json: unknown): HookEvent | undefined {
  if (json === null || typeof json !== "object") return undefined;
  const { hook_event_name: name, tool_name: tool, tool_input: input, ...rest } = json as Record<string, unknown>;
  if (typeof name !== "string") return undefined;
  if (typeof tool !== "string" || input === null || typeof input !== "object") return { name };
  const text = (key: string) => (typeof rest[key] === "string" ? rest[key] : undefined);
  const [sessionId, agentId, cwd] = [text("session_id"), text("agent_id"), text("cwd")];
  const context = {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(cwd === undefined ? {} : { cwd }),
  };
  return { name, asked: { tool, input, context, callId: text("tool_use_id") } };
}

const DENIED_UNREAD: Permission = {
  allowed: false,
  told: {
    countersign: {
      outcome: "refused",
      code: "invalid_call",
      message: "Not run: what the hook was given is not a tool call.",
      retry: false,
    },
  },
};

function answer(event: string, permission: Permission, asked: Asked | undefined): HookAnswer {
  return event === "PreToolUse" ? preToolUse(permission, asked) : permissionRequest(permission);
}

function preToolUse(permission: Permission, asked?: Asked): HookAnswer {
  const event = { hookEventName: "PreToolUse" };
  if (!permission.allowed) {
    const permissionDecisionReason = reasonOf(permission.told);
    return { hookSpecificOutput: { ...event, permissionDecision: "deny", permissionDecisionReason } };
  }
  const { input, message } = permission;
  const same = canonicalize(input) === canonicalize(asked?.input ?? {});
  return {
    hookSpecificOutput: {
      ...event,
      permissionDecision: "allow",
      permissionDecisionReason: message ?? "Allowed by Countersign.",
      ...(same ? {} : { updatedInput: input }),
      // Otherwise the model would go on as if its own arguments had been used.
      ...(message === undefined ? {} : { additionalContext: message }),
    },
  };
}

function permissionRequest(permission: Permission): HookAnswer {
  const decision = permission.allowed
    ? { behavior: "allow", updatedInput: permission.input }
    : { behavior: "deny", message: reasonOf(permission.told) };
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}

function askAtTerminal(permission: Permission): HookAnswer {
  const permissionDecisionReason = permission.allowed ? "" : reasonOf(permission.told);
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask", permissionDecisionReason } };
}
