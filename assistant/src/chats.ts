import type { Locale, Person } from "countersign";
import type { InboundMessage, MessageBus } from "countersign/channels";
import type { Assistant } from "./assistant.js";
import { isChinese } from "./language/text.js";
import { wordsIn } from "./words/words.js";

export interface ChatsOptions {
  readonly bus: MessageBus;
  readonly assistant: Assistant;
  readonly locale: Locale;
  readonly notice?: (event: string, fields: { readonly why: string }) => void;
}

/**
 * Answers what people write in chats until it is stopped. Each message is handled by itself, so that a question that waits in
 * one chat holds up no other; the question itself is put there by the gate's channels, as a card.
 */
export function answerChats(options: ChatsOptions): { stop(): void } {
  const { bus, notice = () => {} } = options;
  const stopped = new AbortController();
  const listen = async () => {
    while (!stopped.signal.aborted) {
      const message = await bus.consumeInbound(stopped.signal);
      void answer(options, message).catch((error: Error) => notice("chats.failed", { why: error.message }));
    }
  };
  void listen().catch((error: Error) => {
    if (!stopped.signal.aborted) notice("chats.stopped", { why: error.message });
  });
  return { stop: () => stopped.abort() };
}

async function answer({ bus, assistant, locale }: ChatsOptions, message: InboundMessage): Promise<void> {
  const { channel, chatId, chatKind, messageId, content, sessionKey } = message;
  const say = (text: string) =>
    text.trim() === ""
      ? Promise.resolve()
      : bus.publishOutbound({ channel, chatId, chatKind, content: text.trim(), replyTo: messageId });
  const handled = bus.within(message, async () => {
    const { caller } = bus;
    if (caller === undefined) return;
    const person: Person = {
      kind: "person",
      userId: caller.userId,
      workspaceId: caller.workspaceId,
      assurance: "channel",
    };
    let text = "";
    let waiting = false;
    for await (const event of assistant.stream({ message: content, conversationId: sessionKey }, person)) {
      if (event.type === "token") text += event.text;
      if (event.type === "approval_required") waiting = true;
      // The card has said what waits: what follows the answer is news.
      if (event.type === "approval_resolved" && waiting) text = "";
      if (event.type === "error") text = event.message;
    }
    await say(text);
  });
  await handled.catch(async (error: { readonly code?: string }) => {
    if (error.code !== "not_permitted") throw error;
    // Whoever is not connected is told how; nothing they write reaches an app.
    await say(wordsIn(isChinese(content) ? "zh" : locale).notConnected);
  });
}
