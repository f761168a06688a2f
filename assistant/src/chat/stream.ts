import type { Card, Outcome } from "countersign";
import type { Reply } from "./chat.js";
import { argsAsRun, latencyOf } from "./confirm.js";
import type { ApprovalOutcome, ChatEvent } from "./events.js";
import { ended } from "./perform.js";
import { ChatError } from "./request.js";

/**
 * The events of one message, told as they happen. The stream stays open while calls of it wait for a person, so that a yes given
 * anywhere is followed by what it came to. Whoever stops reading cancels nothing.
 */
export async function* streamed(
  start: (emit: (event: ChatEvent) => void) => Promise<Reply>,
  options: { readonly patience: number; readonly wentWrong: string },
): AsyncGenerator<ChatEvent, void, undefined> {
  const queue = new EventQueue();
  const work = run(start, queue, options).finally(() => queue.end());
  try {
    for (let event = await queue.next(); event !== undefined; event = await queue.next()) yield event;
  } finally {
    // A reader that went away must not leave a rejection behind; the work itself goes on.
    work.catch(() => undefined);
  }
}

async function run(
  start: (emit: (event: ChatEvent) => void) => Promise<Reply>,
  queue: EventQueue,
  { patience, wentWrong }: { readonly patience: number; readonly wentWrong: string },
): Promise<void> {
  const totals = { toolExecutions: 0, totalToolLatencyMs: 0 };
  const emit = (event: ChatEvent) => {
    if (event.type === "tool_end") {
      totals.toolExecutions += 1;
      totals.totalToolLatencyMs += event.latencyMs;
    }
    queue.push(event);
  };
  try {
    const reply = await start(emit);
    speak(reply.response.text, emit);
    await Promise.all(reply.waiting.map((waiting) => settle(reply, waiting, emit, patience)));
    const { requestId, conversationId } = reply.response;
    emit({ type: "done", requestId, conversationId, ...totals });
  } catch (error) {
    emit({ type: "error", message: error instanceof ChatError ? error.message : wentWrong });
  }
}

/** Word by word, as a model would say it. */
function speak(text: string, emit: (event: ChatEvent) => void): void {
  for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) emit({ type: "token", text: word });
}

async function settle(
  { stage }: Reply,
  { approvalId, callId }: Reply["waiting"][number],
  emit: (event: ChatEvent) => void,
  patience: number,
): Promise<void> {
  const { workspaceId, userId, sessionId } = stage.caller;
  const call = stage.held.of(workspaceId, userId, sessionId).find((held) => held.approvalId === approvalId);
  const { asked, outcome } = await answered(stage, approvalId, patience, (card) => {
    emit({ type: "approval_required", callId, card });
  });
  emit({ type: "approval_resolved", callId, outcome: resolutionOf(outcome) });
  if (outcome.type === "pending" || call === undefined) return;
  stage.held.remove(approvalId);
  const args = await argsAsRun(stage, call, outcome);
  const told = ended({ ...stage, emit }, { ...call, args, callId }, outcome, await latencyOf(stage, asked));
  speak(`\n\n${told.text}`, emit);
}

/** Waits for the answer. A question that is put anew on the way, because what it would do has changed, is told. */
async function answered(
  stage: Reply["stage"],
  approvalId: string,
  patience: number,
  tell: (card: Card) => void,
): Promise<{ readonly asked: string; readonly outcome: Outcome }> {
  const ending = new AbortController();
  // A look that fails tells nothing; the outcome is told all the same.
  const telling = tellAnew(stage, approvalId, tell, ending.signal).catch(() => undefined);
  try {
    const outcome = await stage.gate.resume(approvalId, stage.caller, { deadline: patience });
    return { asked: outcome.approvalId ?? approvalId, outcome };
  } finally {
    ending.abort();
    await telling;
  }
}

async function tellAnew(
  { gate, held, person, locale }: Reply["stage"],
  approvalId: string,
  tell: (card: Card) => void,
  ending: AbortSignal,
): Promise<void> {
  let asked = approvalId;
  let wake = () => {};
  const stop = gate.store.watch(() => wake());
  ending.addEventListener("abort", () => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const { replacedBy } = await gate.approval(asked, person);
      if (replacedBy !== undefined) {
        // The token of the old question was given for what was shown then.
        held.remove(asked);
        asked = replacedBy;
        const card = await gate.card(asked, person, locale);
        if (card !== undefined) tell(card);
      } else if (ending.aborted) return;
      else await changed;
    }
  } finally {
    stop();
  }
}

function resolutionOf({ type }: Outcome): ApprovalOutcome {
  switch (type) {
    case "succeeded":
    case "failed":
    case "unknown":
      return "approved";
    case "denied":
    case "expired":
    case "cancelled":
    case "pending":
      return type;
    default:
      return type satisfies never;
  }
}

/** Between whoever makes events and whoever reads them, each at their own pace. */
class EventQueue {
  readonly #events: ChatEvent[] = [];
  #waiter: (() => void) | undefined;
  #ended = false;

  push(event: ChatEvent): void {
    this.#events.push(event);
    this.#waiter?.();
  }

  end(): void {
    this.#ended = true;
    this.#waiter?.();
  }

  async next(): Promise<ChatEvent | undefined> {
    while (this.#events.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#waiter = resolve;
      });
    }
    return this.#events.shift();
  }
}
