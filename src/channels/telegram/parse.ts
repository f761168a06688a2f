import { z } from "zod";
import type { Account, Chat, Click, Message } from "../channel.js";

const id = z.int();
const user = z.object({ id, is_bot: z.boolean() });
const chat = z.object({ id, type: z.enum(["private", "group", "supergroup", "channel"]) });

const message = z.object({
  message_id: id,
  date: id,
  edit_date: id.optional(),
  chat,
  from: user.optional(),
  text: z.string().optional(),
  entities: z.array(z.object({ type: z.string(), offset: id, length: id })).optional(),
  reply_to_message: z.object({ message_id: id }).optional(),
  sender_chat: z.unknown().optional(),
  via_bot: z.unknown().optional(),
  forward_origin: z.unknown().optional(),
});
type Written = z.infer<typeof message>;

const update = z.object({
  update_id: id,
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: z
    .object({
      id: z.string(),
      from: user,
      message: z.object({ message_id: id, chat }).optional(),
      data: z.string().optional(),
    })
    .optional(),
});

type Heard =
  | { readonly type: "click"; readonly click: Click; readonly queryId: string; readonly chat: Chat }
  | { readonly type: "message"; readonly message: Message }
  /** A kind of update that says nothing to us. */
  | { readonly type: "other" };

/** Reads an update whose sender was verified; undefined when it has not the form that Telegram documents. */
export function parse(raw: unknown, botName: string): Heard | undefined {
  const read = update.safeParse(raw);
  if (!read.success) return undefined;
  const { update_id, callback_query: query, message: fresh, edited_message: edited } = read.data;
  const eventId = String(update_id);
  if (query !== undefined) return clickOf(query, eventId);
  const written = fresh ?? edited;
  const said = written === undefined ? undefined : messageOf(written, eventId, botName, edited !== undefined);
  return said === undefined ? { type: "other" } : { type: "message", message: said };
}

function clickOf(query: NonNullable<z.infer<typeof update>["callback_query"]>, eventId: string): Heard {
  const { message: on, data, from } = query;
  // Buttons of inline results and games are none of ours.
  if (on === undefined || data === undefined) return { type: "other" };
  const where = chatOf(on.chat);
  return {
    type: "click",
    queryId: query.id,
    chat: where,
    click: { eventId, account: accountOf(from), messageId: String(on.message_id), chatId: where.id, value: data },
  };
}

function messageOf(written: Written, eventId: string, botName: string, edited: boolean): Message | undefined {
  const { from, entities = [], chat: where } = written;
  if (from === undefined || where.type === "channel") return undefined;
  const text = withoutBot(written.text ?? "", entities, botName);
  if (text === "") return undefined;
  // Anonymous administrators and channels share one account that stands for nobody; a bot's result is the bot's wording.
  const machine = from.is_bot || written.sender_chat !== undefined || written.via_bot !== undefined;
  const quoted = entities.some(({ type }) => type === "blockquote" || type === "expandable_blockquote");
  return {
    eventId,
    messageId: String(written.message_id),
    account: accountOf(from),
    chat: chatOf(where),
    text,
    ...(written.reply_to_message === undefined ? {} : { replyTo: String(written.reply_to_message.message_id) }),
    at: (written.edit_date ?? written.date) * 1000,
    sequence: written.message_id,
    from: machine ? "machine" : "person",
    secondHand: edited || written.forward_origin !== undefined || quoted,
  };
}

/** Account numbers are the whole platform's. */
function accountOf(from: z.infer<typeof user>): Account {
  return { channel: "telegram", tenant: "", id: String(from.id) };
}

function chatOf(where: z.infer<typeof chat>): Chat {
  return { kind: where.type === "private" ? "private" : "group", id: String(where.id) };
}

/** Offsets are UTF-16 units, as those of strings here. Only what Telegram itself marks as a mention or command is taken out. */
function withoutBot(text: string, entities: NonNullable<Written["entities"]>, botName: string): string {
  const name = `@${botName.toLowerCase()}`;
  let left = text;
  for (const { type, offset, length } of [...entities].sort((a, b) => b.offset - a.offset)) {
    const marked = text.slice(offset, offset + length).toLowerCase();
    if (type !== "mention" && type !== "bot_command") continue;
    if (type === "mention" ? marked !== name : !marked.endsWith(name)) continue;
    left = left.slice(0, offset + length - name.length) + left.slice(offset + length);
  }
  return left.trim();
}
