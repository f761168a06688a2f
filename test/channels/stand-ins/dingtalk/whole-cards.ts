import type { SeenMessage, StandIn } from "../../stand-in.js";

/**
 * The stand-in as somebody sees it who looks once a card stands there whole. Without a template a card is two messages, of
 * which the first is there a moment before the other.
 */
export function wholeCards(standIn: StandIn): StandIn {
  const before = new Map<string, readonly SeenMessage[]>();
  return {
    ...standIn,
    seen: (chatId) => before.get(chatId) ?? standIn.seen(chatId),
    channel() {
      const channel = standIn.channel();
      return {
        ...channel,
        async deliver(chat, face, deliveryId) {
          before.set(chat.id, before.get(chat.id) ?? standIn.seen(chat.id));
          try {
            return await channel.deliver(chat, face, deliveryId);
          } finally {
            before.delete(chat.id);
          }
        },
      };
    },
  };
}
