import { CountersignError } from "./errors.js";
import { sha256Hex } from "./ids.js";
import { canonicalWithin, checkSize, type Json, type JsonObject, toPlainJson } from "./json.js";
import type { Scope } from "./judging/scope.js";
import { checkSecrets } from "./mask.js";
import { isStorable } from "./storable.js";
import type { AnyTool } from "./tool.js";

/** What an agent wants to do now. */
export interface ToolCall {
  readonly tool: string;
  readonly args?: unknown;
  /** 0 to 1, how sure the caller is of having understood. It can add a question, never remove one. */
  readonly confidence?: number;
  /** Makes a repeated call return the first outcome. The same key with another call is an error. */
  readonly idempotencyKey?: string;
  /** Joins an open question about the same call although it has a key of its own, as calls without a key do. */
  readonly join?: true;
  readonly runId?: string;
  readonly model?: string;
  /** The agent's own words. Shown last, marked as the agent's, never instead of the call. */
  readonly summary?: string;
  readonly alternatives?: readonly { readonly tool: string; readonly args?: unknown }[];
  /** The approval whose plan this call changes; the card shows the difference. */
  readonly supersedes?: string;
  /** Conditions the caller adds of its own accord. They can only tighten. */
  readonly stricter?: {
    /** Ask a person even where the rules would not. */
    readonly confirm?: true;
    /** Fewer milliseconds to decide than the rules give. */
    readonly ttl?: number;
    /** Fewer open questions of this person than the gate allows. */
    readonly pendingPerUser?: number;
  };
  /** Whatever else the call depends on (working directory, environment): bound into the hash. */
  readonly context?: unknown;
}

/** Who calls, and for whom. */
export interface Caller {
  readonly userId: string;
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly agentId: string;
  /** When set, only this device may claim. */
  readonly deviceId?: string;
  /** The agents above this one, outermost first. */
  readonly lineage?: readonly string[];
  /** The door it came through: library, rest, mcp … */
  readonly surface?: string;
  /** Where its session works, as the host knows it (from the caller's key); never taken from what an agent sends. */
  readonly scope?: Scope;
}

/** A gate without a server has one user, so it may leave the caller out. */
export const LOCAL_CALLER: Caller = { userId: "local", workspaceId: "local", sessionId: "local", agentId: "local" };

/** The one value that is hashed, shown and handed to the tool. */
export interface CanonicalCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** The parts of the binding that are needed again. */
  readonly bound: Binding;
  /** RFC 8785 text of the whole binding. */
  readonly canonical: string;
  /** SHA-256 of that text, in hex. */
  readonly hash: string;
}

/** Frozen, so that a tool cannot change what it was handed. */
export interface Binding {
  readonly args: JsonObject;
  readonly fingerprint: string;
  readonly context?: Json | undefined;
}

/** Everything an approval is bound to. A difference in any of it is another call. */
export function bindCall(tool: AnyTool, args: JsonObject, caller: Caller, context?: Json): CanonicalCall {
  checkSecrets(args, tool.sensitive);
  const text = (value: Json) => canonicalWithin(1, value);
  // Its keys are the same for every call: written in their order, nobody has to sort them.
  const before = `"agent":${text(caller.agentId)},"args":${text(args)},"binding":"countersign/call/v1",`;
  const between = context === undefined ? "" : `"context":${text(context)},`;
  const after = `"fingerprint":${text(tool.fingerprint)},"requester":${text(caller.userId)},"session":${text(caller.sessionId)}`;
  const last = `"tool":${text(tool.name)},"workspace":${text(caller.workspaceId)}`;
  const canonical = checkSize(`{${before}${between}${after},${last}}`);
  const bound = { args, fingerprint: tool.fingerprint, context };
  return { tool: tool.name, args, bound, canonical, hash: sha256Hex(canonical) };
}

/** The call as the agent states it, checked for form. Types are not enough: calls come from models and wires. */
export function checkCall(call: ToolCall): void {
  const wrong = (path: string, expected: string) =>
    new CountersignError("invalid_call", `The call's ${path} must be ${expected}.`, { path });
  if (call === null || typeof call !== "object")
    throw new CountersignError("invalid_call", "A call is an object with a tool and args.");
  if (typeof call.tool !== "string" || call.tool === "") throw wrong("tool", "the name of a tool");
  const { confidence } = call;
  if (confidence !== undefined && !(typeof confidence === "number" && confidence >= 0 && confidence <= 1)) {
    throw wrong("confidence", "a number from 0 to 1");
  }
  for (const key of ["idempotencyKey", "runId", "model", "summary", "supersedes"] as const) {
    const value = call[key];
    if (value !== undefined && (typeof value !== "string" || value === ""))
      throw wrong(key, "a text that is not empty");
  }
  if (call.join !== undefined && call.join !== true) throw wrong("join", "true, or absent");
  const { confirm, ttl, pendingPerUser } = call.stricter ?? {};
  if (confirm !== undefined && confirm !== true) throw wrong("stricter.confirm", "true, or absent");
  for (const [key, value] of Object.entries({ ttl, pendingPerUser })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw wrong(`stricter.${key}`, "a positive whole number");
  }
  if ((call.idempotencyKey?.length ?? 0) > 255) throw wrong("idempotencyKey", "at most 255 characters");
  const { alternatives } = call;
  if (alternatives !== undefined && !(Array.isArray(alternatives) && alternatives.every(namesTool)))
    throw wrong("alternatives", "a list of calls, each with a tool");
}

function namesTool(alternative: unknown): boolean {
  return typeof (alternative as ToolCall | null)?.tool === "string";
}

export function checkCaller(caller: Caller): void {
  for (const key of ["userId", "workspaceId", "sessionId", "agentId"] as const) {
    // A name that a store would spoil could become another person's.
    if (caller?.[key] === "" || !isStorable(caller?.[key])) {
      throw new CountersignError("invalid_call", `The caller needs a ${key}; a call without its context is refused.`, {
        path: key,
      });
    }
  }
}

export function contextOf(call: ToolCall): Json | undefined {
  return call.context === undefined ? undefined : toPlainJson(call.context);
}
