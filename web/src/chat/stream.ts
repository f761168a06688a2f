import type { Card, Json } from "countersign";
import { readEvents } from "./event-stream.js";

/** What the assistant's stream tells, in the order it happens. */
export type ChatEvent =
  | { readonly type: "token"; readonly text: string }
  | { readonly type: "tool_start"; readonly callId: string; readonly name: string; readonly args: Json }
  | { readonly type: "approval_required"; readonly callId: string; readonly card: Card }
  | { readonly type: "approval_resolved"; readonly callId: string; readonly outcome: string }
  | { readonly type: "tool_end"; readonly callId: string; readonly name: string; readonly result: Json }
  | { readonly type: "error"; readonly message: string }
  | { readonly type: "done"; readonly conversationId: string };

interface Message {
  readonly message: string;
  readonly conversationId: string | undefined;
  readonly locale: string;
  readonly signal: AbortSignal;
}

/** Sends a message and tells what comes back. Leaving cancels nothing: what waits is answered in the inbox. */
export async function* streamChat({ message, conversationId, locale, signal }: Message): AsyncGenerator<ChatEvent> {
  const response = await fetch("/agent/chat/stream", {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({
      message,
      locale,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(conversationId === undefined ? {} : { conversationId }),
    }),
    signal,
  });
  if (!response.ok || response.body === null) {
    yield { type: "error", message: `HTTP ${response.status}` };
    return;
  }
  for await (const { event, data } of readEvents(response.body)) {
    yield { ...(JSON.parse(data) as object), type: event } as ChatEvent;
  }
}
