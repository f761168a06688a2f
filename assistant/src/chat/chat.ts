import type { Caller, Gate, JsonObject, Locale, Person } from "countersign";
import type { Awaiting, Domain, Memory, Plan, Turn } from "../agents/agent.js";
import { planMessage } from "../agents/router.js";
import type { Apps } from "../apps/apps.js";
import { newId } from "../household/household.js";
import { asksWhatWaits } from "../language/about-assistant.js";
import { plainReply } from "../language/reply-words.js";
import { isChinese } from "../language/text.js";
import { wordsIn } from "../words/words.js";
import { amended } from "./amend.js";
import { cancelCalls, confirm, newsOf } from "./confirm.js";
import type { Conversations } from "./conversations.js";
import type { ChatEvent, ToolCallbacks } from "./events.js";
import type { HeldCall, HeldCalls } from "./held-calls.js";
import { type Performed, perform, type Stage } from "./perform.js";
import { ChatError, type ChatRequest, type ChatResponse, chatRequest, domainOf } from "./request.js";

export interface ChatParts {
  readonly gate: Gate;
  readonly apps: Apps;
  readonly conversations: Conversations;
  readonly held: HeldCalls;
  readonly callbacks: ToolCallbacks;
  readonly now: () => number;
  readonly agentId: string;
  readonly locale: Locale;
  readonly timezone: string;
  readonly notice: Stage["notice"];
}

/** A reply, and for streams what waits behind it. */
export interface Reply {
  readonly response: ChatResponse;
  readonly stage: Stage;
  readonly waiting: readonly NonNullable<Performed["pending"]>[];
}

/**
 * One message of one person: an answer to what waits, a change of it, or something new. Only a token with `confirmed: true` and
 * nothing but a yes runs a held call, and only in the conversation it was asked in.
 */
export async function respond(
  parts: ChatParts,
  input: unknown,
  person: Person,
  emit: (event: ChatEvent) => void,
): Promise<Reply> {
  const request = parsed(input);
  const named = request.confirmationToken === undefined ? undefined : heldBy(parts, request, person);
  const conversationId = request.conversationId ?? named?.conversationId ?? newId("conv");
  const stage = stageFor(parts, request, person, conversationId, emit);
  const steps = named === undefined ? await handle(parts, stage, request) : await answer(parts, stage, request, named);
  return reply(stage, steps);
}

function parsed(input: unknown): ChatRequest {
  const { success, data, error } = chatRequest.safeParse(input);
  if (success) return data;
  const [issue] = error.issues;
  throw new ChatError(
    "invalid_request",
    `${issue?.path.join(".") || "The request"}: ${issue?.message ?? "is not valid"}`,
  );
}

/** The held call of a token. Every reason why it is none looks the same from outside. */
function heldBy({ held, notice }: ChatParts, request: ChatRequest, person: Person): HeldCall {
  const { confirmationToken = "", conversationId } = request;
  const call = held.byToken(confirmationToken);
  const reason =
    call === undefined
      ? "not_found"
      : call.workspaceId !== person.workspaceId
        ? "family_mismatch"
        : call.userId !== person.userId
          ? "user_mismatch"
          : conversationId !== undefined && conversationId !== call.conversationId
            ? "conversation_mismatch"
            : undefined;
  if (call !== undefined && reason === undefined) return call;
  notice("chat.confirmation_refused", { code: reason ?? "not_found", user: person.userId });
  throw new ChatError("invalid_confirmation", reason ?? "not_found");
}

function stageFor(
  parts: ChatParts,
  request: ChatRequest,
  person: Person,
  conversationId: string,
  emit: Stage["emit"],
): Stage {
  const { gate, held, callbacks, notice, agentId } = parts;
  const { userId, workspaceId } = person;
  const caller: Caller = { userId, workspaceId, sessionId: conversationId, agentId, surface: "chat" };
  const locale = request.locale ?? (isChinese(request.message ?? "") ? "zh" : parts.locale);
  const timezone = request.timezone ?? parts.timezone;
  return { gate, held, callbacks, notice, emit, person, caller, requestId: newId("req"), locale, timezone };
}

/** A request that carries a token. More than a yes is never a yes: its message is handled like any other. */
async function answer(parts: ChatParts, stage: Stage, request: ChatRequest, call: HeldCall): Promise<Steps> {
  const { message = "", confirmed } = request;
  const said = message.trim() === "" ? undefined : plainReply(message);
  const inTheirWords = { ...stage, locale: request.locale ?? call.locale };
  if (confirmed === false || said === "no") return { performed: [await cancelled(inTheirWords, [call])] };
  if (confirmed === true && (said === "yes" || message.trim() === "")) {
    return remembered(parts, stage, { performed: [await confirm(inTheirWords, call)] });
  }
  if (message.trim() === "") return { performed: [waitingText(inTheirWords, [call])] };
  const steps = await handle(parts, stage, request);
  const note = { domain: call.domain, text: wordsIn(stage.locale).notPlainYes };
  return confirmed === true ? { ...steps, performed: [note, ...steps.performed] } : steps;
}

interface Steps {
  readonly performed: readonly Performed[];
  readonly payload?: JsonObject;
  readonly awaiting?: Awaiting;
}

async function handle(parts: ChatParts, stage: Stage, request: ChatRequest): Promise<Steps> {
  const { userId, workspaceId, sessionId } = stage.caller;
  const news = await newsOf(stage, parts.held.of(workspaceId, userId, sessionId));
  const waiting = parts.held.of(workspaceId, userId, sessionId);
  const message = request.message ?? "";
  const said = plainReply(message);
  if (said === "no") return { performed: [...news, await cancelled(stage, waiting)] };
  if (said === "yes" || asksWhatWaits(message)) return { performed: [...news, waitingText(stage, waiting)] };
  const steps = await carryOut(parts, stage, request, waiting);
  return remembered(parts, stage, { ...steps, performed: [...news, ...steps.performed] });
}

async function carryOut(
  parts: ChatParts,
  stage: Stage,
  request: ChatRequest,
  waiting: readonly HeldCall[],
): Promise<Steps> {
  const { userId, workspaceId, sessionId } = stage.caller;
  const text = request.message ?? "";
  const moment = { now: parts.now(), timezone: stage.timezone };
  const change = amended(text, waiting, moment);
  if (change !== undefined) {
    await cancelCalls(stage, [change.call]);
    const { tool, domain, approvalId } = change.call;
    return {
      performed: [await perform(stage, { tool, domain, args: change.args, confidence: 0.65, supersedes: approvalId })],
    };
  }
  const memory = parts.conversations.recall(workspaceId, userId, sessionId);
  const members = await parts.apps.members(workspaceId);
  const turn: Turn = { text, locale: stage.locale, moment, workspaceId, userId, memory, members };
  const plans = planMessage(turn, parts.apps, domainOf(request.domainHint));
  const performed: Performed[] = [];
  // One after the other, each on its own: what one of them comes to takes nothing from the others.
  for (const plan of plans) performed.push(await follow(stage, plan, waiting));
  const spoken = plans.find((plan) => plan.type === "say");
  return {
    performed,
    ...(spoken?.payload === undefined ? {} : { payload: spoken.payload }),
    ...(spoken?.awaiting === undefined ? {} : { awaiting: spoken.awaiting }),
  };
}

async function follow(stage: Stage, plan: Plan, waiting: readonly HeldCall[]): Promise<Performed> {
  switch (plan.type) {
    case "call":
      return perform(stage, plan);
    case "say":
      return { domain: plan.domain, text: plan.text };
    case "refuse":
      if (waiting.length > 0) return cancelled(stage, waiting);
      return { domain: plan.domain, text: wordsIn(stage.locale).refused };
    default:
      return plan satisfies never;
  }
}

async function cancelled(stage: Stage, calls: readonly HeldCall[]): Promise<Performed> {
  const words = wordsIn(stage.locale);
  const gone = await cancelCalls(stage, calls);
  return {
    domain: calls[0]?.domain ?? "unknown",
    text: gone.length === 0 ? words.nothingWaits : words.cancelled(gone),
  };
}

function waitingText(stage: Stage, calls: readonly HeldCall[]): Performed {
  const words = wordsIn(stage.locale);
  const text = calls.length === 0 ? words.nothingWaits : words.waiting(calls.map(({ description }) => description));
  return { domain: calls[0]?.domain ?? "unknown", text };
}

/** Keeps what the next turn may refer to: the task that was last spoken of, and what was asked back. */
function remembered({ conversations }: ChatParts, stage: Stage, steps: Steps): Steps {
  const { workspaceId, userId, sessionId } = stage.caller;
  const before = conversations.recall(workspaceId, userId, sessionId);
  const data = steps.performed.map(
    ({ action }) => action?.result.data as { readonly task?: { readonly id?: string } } | undefined,
  );
  const taskId = data.findLast((each) => each?.task?.id !== undefined)?.task?.id ?? before.taskId;
  const memory: Memory = {
    ...(taskId === undefined ? {} : { taskId }),
    ...(steps.awaiting === undefined ? {} : { awaiting: steps.awaiting }),
  };
  conversations.remember(workspaceId, userId, sessionId, memory);
  return steps;
}

function reply(stage: Stage, { performed, payload }: Steps): Reply {
  const waiting = performed.flatMap(({ pending }) => pending ?? []);
  const infos = waiting.map(({ info }) => info);
  const [first] = infos;
  const domain: Domain = performed.find((step) => step.domain !== "unknown")?.domain ?? "unknown";
  const all = { ...payload, ...(infos.length < 2 ? {} : { pendingActions: infos as unknown as JsonObject[] }) };
  const response: ChatResponse = {
    text: performed.map(({ text }) => text).join("\n\n"),
    actions: performed.flatMap(({ action }) => action ?? []),
    ...(Object.keys(all).length === 0 ? {} : { payload: all }),
    domain,
    conversationId: stage.caller.sessionId,
    requestId: stage.requestId,
    ...(first === undefined ? {} : { requiresConfirmation: true, pendingAction: first }),
  };
  return { response, stage, waiting };
}
