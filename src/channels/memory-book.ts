import type { Book, Delivery, SessionChat } from "./book.js";

/** A book that is gone with its process: for tests, and for gates that forget. */
export function memoryBook(): Book {
  const deliveries = new Map<string, Delivery>();
  const told = new Set<string>();
  const seen = new Map<string, number>();
  const cursors = new Map<string, number>();
  const chats = new Map<string, SessionChat>();
  const all = () => [...deliveries.values()];
  return {
    async add(delivery) {
      const key = [delivery.approvalId, delivery.toolCallHash, delivery.channel, delivery.chat.id].join("\n");
      if (told.has(key) || deliveries.has(delivery.id)) return false;
      told.add(key);
      deliveries.set(delivery.id, delivery);
      return true;
    },
    get: async (id) => deliveries.get(id),
    async save(delivery) {
      if (deliveries.get(delivery.id)?.version !== delivery.version) return false;
      deliveries.set(delivery.id, { ...delivery, version: delivery.version + 1 });
      return true;
    },
    due: async (now, limit) =>
      all()
        .filter(({ dueAt }) => dueAt !== null && dueAt <= now)
        .sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
        .slice(0, limit),
    ofApproval: async (approvalId) => all().filter((delivery) => delivery.approvalId === approvalId),
    openIn: async (channel, chatId) =>
      all().filter((each) => each.channel === channel && each.chat.id === chatId && isOpen(each)),
    async first(event, now, until) {
      if ((seen.get(event) ?? now) > now) return false;
      seen.set(event, until);
      return true;
    },
    async keep(event, until) {
      if (seen.has(event)) seen.set(event, until);
    },
    cursor: async (workspaceId) => cursors.get(workspaceId),
    async moveCursor(workspaceId, seq) {
      cursors.set(workspaceId, Math.max(seq, cursors.get(workspaceId) ?? 0));
    },
    chatOf: async (sessionKey) => chats.get(sessionKey),
    async rememberChat(sessionKey, chat) {
      chats.set(sessionKey, chat);
    },
    async sweep(now, endedBefore) {
      for (const [event, until] of seen) if (until <= now) seen.delete(event);
      for (const { id, dueAt, expiresAt } of all())
        if (dueAt === null && expiresAt < endedBefore) deliveries.delete(id);
    },
  };
}

/** It stands in the chat or is on its way there, and its question has not ended. */
export function isOpen({ state, wants }: Delivery): boolean {
  return state !== "failed" && wants === "question";
}
