import type { Approval } from "./approval.js";
import type { Caller } from "./call.js";
import { type Json, type JsonObject, toPlainJson } from "./json.js";
import { type AnyTool, defineTool } from "./tool.js";

/** What a host wants a person to confirm before the host does it. */
export interface PendingActionInput {
  readonly userId: string;
  readonly familyId: string;
  readonly requestId: string;
  readonly conversationId: string;
  readonly toolCall: { readonly toolName: string; readonly input: Json };
  readonly description: string;
  readonly isDestructive: boolean;
  /** Milliseconds until it expires, five minutes unless told. */
  readonly ttlMs?: number;
}

export interface PendingAction extends Required<PendingActionInput> {
  /** `pa_` and 32 hex digits. Locates the action and nothing else. */
  readonly token: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** One agent and session for all, so that whoever holds a token needs no more than the user and the family. */
export const AGENT = "pending-actions";
export const MAX_TTL = 24 * 3_600_000;

/**
 * The host runs the action, so its tools need not be known here: the name of the tool is an argument, shown and hashed like the
 * others. Without `execute` the gate itself never runs it, also when it has a tool of that name.
 */
function actionTool(name: string, destructive: boolean): AnyTool {
  return defineTool({
    name,
    title: destructive ? "Confirm a destructive action" : "Confirm an action",
    effect: "write",
    destructive,
    confirm: true,
    confirmPrompt: { en: "Run {toolName}?", zh: "运行 {toolName}？" },
    ttl: MAX_TTL,
    offlineTtl: MAX_TTL,
  });
}

export const ORDINARY = actionTool("pendingAction", false);
export const DESTRUCTIVE = actionTool("pendingAction.destructive", true);

export function callerFor(userId: string, familyId: string): Caller {
  return { userId, workspaceId: familyId, agentId: AGENT, sessionId: AGENT, surface: "library" };
}

export function argsFor(input: PendingActionInput, ttlMs: number): JsonObject {
  const { requestId, conversationId, toolCall, description, isDestructive } = input;
  const { toolName, input: given } = toolCall;
  return toPlainJson({
    toolName,
    input: given,
    description,
    isDestructive,
    requestId,
    conversationId,
    ttlMs,
  }) as JsonObject;
}

/** What of an action is shown and hashed; the person and the family are bound by the call itself. */
type ActionArgs = PendingActionInput["toolCall"] &
  Pick<PendingAction, "requestId" | "conversationId" | "description" | "isDestructive" | "ttlMs">;

export function actionFrom(approval: Approval, args: JsonObject): Omit<PendingAction, "token"> {
  const { toolName, input, ...rest } = args as unknown as ActionArgs;
  return {
    userId: approval.requester.userId,
    familyId: approval.workspaceId,
    ...rest,
    toolCall: { toolName, input },
    createdAt: new Date(approval.requestedAt).toISOString(),
    expiresAt: new Date(approval.decideBy).toISOString(),
  };
}
