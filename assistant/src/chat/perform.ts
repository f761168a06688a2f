import {
  type Caller,
  type Card,
  CountersignError,
  type Gate,
  inputPreview,
  type JsonObject,
  type Locale,
  type Outcome,
  type Person,
} from "countersign";
import type { Domain } from "../agents/agent.js";
import { newId } from "../household/household.js";
import { wordsIn } from "../words/words.js";
import { describeCard, describeOutcome } from "./describe.js";
import type { ChatEvent, ToolCallbacks } from "./events.js";
import type { HeldCalls } from "./held-calls.js";
import { metadataFor } from "./metadata.js";
import type { AgentAction, PendingActionInfo } from "./request.js";

/** Everything a call needs on its way to the gate and back. */
export interface Stage {
  readonly gate: Gate;
  readonly held: HeldCalls;
  readonly callbacks: ToolCallbacks;
  readonly emit: (event: ChatEvent) => void;
  readonly person: Person;
  readonly caller: Caller;
  readonly requestId: string;
  readonly locale: Locale;
  readonly timezone: string;
  /** For logs: what is not told outside. */
  readonly notice: (event: string, fields: JsonObject) => void;
}

export interface Wanted {
  readonly domain: Domain;
  readonly tool: string;
  readonly args: JsonObject;
  readonly confidence: number;
  readonly supersedes?: string;
  /** Ask whatever the rules say: a person is in the middle of deciding it. */
  readonly ask?: true;
}

/** What one call came to, for the reply. */
export interface Performed {
  readonly domain: Domain;
  readonly text: string;
  readonly action?: AgentAction;
  readonly pending?: Pending;
}

interface Pending {
  readonly callId: string;
  readonly approvalId: string;
  readonly info: PendingActionInfo;
}

/** Puts one call through the gate: done, refused, or held with its token. What goes wrong ends here, as words. */
export async function perform(stage: Stage, wanted: Wanted): Promise<Performed> {
  const callId = newId("call");
  const { gate, caller, emit, callbacks, requestId } = stage;
  const { tool, args, domain, confidence } = wanted;
  emit({ type: "tool_start", callId, name: tool, args });
  callbacks.onToolStart?.(tool, args);
  const started = performance.now();
  try {
    // The request is part of the call: saying it twice is two questions, each with its own token.
    const context = { request: requestId, call: callId };
    const supersedes = wanted.supersedes === undefined ? {} : { supersedes: wanted.supersedes };
    const stricter = wanted.ask === true ? { stricter: { confirm: true as const } } : {};
    const call = { tool, args, confidence, context, ...supersedes, ...stricter };
    const outcome = await gate.submit(call, caller, { personAsked: true });
    if (outcome.type === "pending") return await hold(stage, wanted, outcome, callId);
    const latencyMs = performance.now() - started;
    return ended(stage, { tool: nameOf(stage, tool), args, domain, callId, description: tool }, outcome, latencyMs);
  } catch (error) {
    return problem(stage, wanted, callId, error);
  }
}

async function hold(
  stage: Stage,
  { tool, args, domain }: Wanted,
  outcome: Extract<Outcome, { type: "pending" }>,
  callId: string,
): Promise<Performed> {
  const { gate, held, person, locale, caller, emit } = stage;
  const card: Card = (await gate.card(outcome.approvalId, person, locale)) ?? outcome.card;
  const token = outcome.confirmationToken;
  if (token === undefined) throw new Error("The gate joined this call to another one.");
  const description = describeCard(card);
  const info = {
    token,
    description,
    toolName: nameOf(stage, tool),
    inputPreview: inputPreview(card),
    expiresAt: outcome.expiresAt,
    // What a tool does not declare its arguments may still say: DELETE in a tool for any SQL.
    isDestructive: card.isDestructive || card.riskTier === "R4",
  };
  const { approvalId } = outcome;
  held.add(token, {
    approvalId,
    conversationId: caller.sessionId,
    workspaceId: caller.workspaceId,
    userId: caller.userId,
    tool: info.toolName,
    args,
    toolCallHash: card.toolCallHash,
    description,
    domain,
    locale,
  });
  emit({ type: "approval_required", callId, card });
  return { domain, text: `${description}\n\n${wordsIn(locale).howToConfirm}`, pending: { callId, approvalId, info } };
}

/** Tells everybody how a call ended and gives what the reply says of it. */
export function ended(
  stage: Stage,
  call: {
    readonly tool: string;
    readonly args: JsonObject;
    readonly domain: Domain;
    readonly callId: string;
    readonly description: string;
  },
  outcome: Outcome,
  latencyMs: number,
): Performed {
  const { tool, args, domain, callId } = call;
  const metadata = metadataFor(stage.gate, tool, args);
  const result = resultOf(outcome);
  const rounded = Math.round(latencyMs);
  stage.emit({
    type: "tool_end",
    callId,
    name: tool,
    result,
    latencyMs: rounded,
    ...(metadata === undefined ? {} : { metadata }),
  });
  stage.callbacks.onToolEnd?.(tool, result, rounded, metadata);
  const text = describeOutcome({ ...call, locale: stage.locale, timezone: stage.timezone }, outcome);
  const ran = outcome.type === "succeeded" || outcome.type === "failed" || outcome.type === "unknown";
  return { domain, text, ...(ran ? { action: { tool, input: args, result } } : {}) };
}

/** A command's own result says success itself; its data is not wrapped twice. */
function resultOf(outcome: Outcome): AgentAction["result"] {
  if (outcome.type !== "succeeded")
    return { success: false, error: outcome.type === "failed" ? outcome.error : outcome.message };
  const result = outcome.result as { readonly success?: unknown; readonly data?: unknown } | null;
  return result !== null && typeof result === "object" && result.success === true && "data" in result
    ? { ...result, success: true }
    : { success: true, data: outcome.result };
}

/** Specific inside, generic outside: messages may hold what only this process should know. */
function problem(stage: Stage, { tool, domain }: Wanted, callId: string, error: unknown): Performed {
  const code = error instanceof CountersignError ? error.code : "internal";
  stage.notice("chat.call_refused", { tool, code, why: error instanceof Error ? error.message : String(error) });
  const words = wordsIn(stage.locale);
  const text =
    code === "invalid_args"
      ? words.notUnderstoodArgs
      : code === "too_many_pending"
        ? words.tooManyPending
        : words.wentWrong;
  stage.emit({ type: "error", message: text });
  const metadata = metadataFor(stage.gate, tool, {});
  const result = { success: false, error: text };
  stage.emit({
    type: "tool_end",
    callId,
    name: tool,
    result,
    latencyMs: 0,
    ...(metadata === undefined ? {} : { metadata }),
  });
  return { domain, text };
}

/** The name a tool has here, whichever spelling it was called by. */
function nameOf({ gate }: Stage, tool: string): string {
  return gate.registry.find(tool)?.name ?? tool;
}
