import type { Book, Delivery, SessionChat } from "../../channels/book.js";
import type { ChannelName, Chat } from "../../channels/channel.js";
import { isOpen } from "../../channels/memory-book.js";
import type { IdentityDatabase } from "../identity/index.js";

/** The channels' book in the server's own tables: shared by all instances, and there after a restart. */
export function sqlBook(database: IdentityDatabase): Book {
  const read = (rows: readonly { content: string }[]) => rows.map(({ content }) => JSON.parse(content) as Delivery);
  return {
    async add(delivery) {
      const { id, version, approvalId, toolCallHash, channel, chat, dueAt, expiresAt } = delivery;
      const added = await database.run(
        `INSERT INTO channel_delivery (id, version, told, approval_id, chat, is_open, due_at, expires_at, content)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
        id,
        version,
        [approvalId, toolCallHash, chatKey(channel, chat.id)].join("\n"),
        approvalId,
        chatKey(channel, chat.id),
        Number(isOpen(delivery)),
        dueAt,
        expiresAt,
        JSON.stringify(delivery),
      );
      return added.length === 1;
    },
    async get(id) {
      return read(await database.all("SELECT content FROM channel_delivery WHERE id = ?", id))[0];
    },
    async save(delivery) {
      const next = { ...delivery, version: delivery.version + 1 };
      const saved = await database.run(
        `UPDATE channel_delivery SET version = ?, chat = ?, is_open = ?, due_at = ?, content = ? WHERE id = ? AND version = ?
         RETURNING id`,
        next.version,
        chatKey(next.channel, next.chat.id),
        Number(isOpen(next)),
        next.dueAt,
        JSON.stringify(next),
        delivery.id,
        delivery.version,
      );
      return saved.length === 1;
    },
    async due(now, limit) {
      const sql = "SELECT content FROM channel_delivery WHERE due_at <= ? ORDER BY due_at, id LIMIT ?";
      return read(await database.all(sql, now, limit));
    },
    async ofApproval(approvalId) {
      const sql = "SELECT content FROM channel_delivery WHERE approval_id = ? ORDER BY id";
      return read(await database.all(sql, approvalId));
    },
    async openIn(channel, chatId) {
      const sql = "SELECT content FROM channel_delivery WHERE chat = ? AND is_open = 1 ORDER BY id";
      return read(await database.all(sql, chatKey(channel, chatId)));
    },
    async first(event, now, until) {
      const sql = `INSERT INTO channel_seen (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO UPDATE
        SET expires_at = excluded.expires_at WHERE channel_seen.expires_at <= ? RETURNING id`;
      return (await database.run(sql, event, until, now)).length === 1;
    },
    async keep(event, until) {
      await database.run("UPDATE channel_seen SET expires_at = ? WHERE id = ?", until, event);
    },
    async cursor(workspaceId) {
      const sql = "SELECT seq FROM channel_cursor WHERE workspace_id = ?";
      return (await database.get<{ seq: number }>(sql, workspaceId))?.seq;
    },
    async moveCursor(workspaceId, seq) {
      await database.run(
        `INSERT INTO channel_cursor (workspace_id, seq) VALUES (?, ?)
         ON CONFLICT (workspace_id) DO UPDATE SET seq = excluded.seq WHERE channel_cursor.seq < excluded.seq`,
        workspaceId,
        seq,
      );
    },
    async chatOf(sessionKey) {
      const sql = "SELECT channel, kind, chat_id FROM channel_session WHERE id = ?";
      const row = await database.get<{ channel: ChannelName; kind: Chat["kind"]; chat_id: string }>(sql, sessionKey);
      return row && ({ channel: row.channel, chat: { kind: row.kind, id: row.chat_id } } satisfies SessionChat);
    },
    async rememberChat(sessionKey, { channel, chat }) {
      await database.run(
        `INSERT INTO channel_session (id, channel, kind, chat_id) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET channel = excluded.channel, kind = excluded.kind, chat_id = excluded.chat_id`,
        sessionKey,
        channel,
        chat.kind,
        chat.id,
      );
    },
    async sweep(now, endedBefore) {
      await database.run("DELETE FROM channel_seen WHERE expires_at <= ?", now);
      await database.run("DELETE FROM channel_delivery WHERE due_at IS NULL AND expires_at < ?", endedBefore);
    },
  };
}

function chatKey(channel: ChannelName, chatId: string): string {
  return `${channel}:${chatId}`;
}
