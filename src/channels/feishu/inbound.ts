import type { Account, Click, Message } from "../channel.js";

/**
 * An event with its header and its body on one level, as the official library hands it on. The platform wrote it, or somebody
 * who can speak in its name: nothing is taken to be there before it was looked at.
 */
export type FlatEvent = Readonly<Record<string, unknown>>;

/** A press of a button; undefined when the event does not say who and where, "foreign" when the button is none of ours. */
export function readClick(event: FlatEvent): Click | "foreign" | undefined {
  const operator = recordIn(event, "operator");
  const context = recordIn(event, "context");
  const eventId = textIn(event, "event_id");
  const account = accountOf(textIn(operator, "tenant_key"), textIn(operator, "open_id"));
  const messageId = textIn(context, "open_message_id");
  if (eventId === undefined || account === undefined || messageId === undefined) return undefined;
  const chatId = textIn(context, "open_chat_id");
  const value = textIn(recordIn(recordIn(event, "action"), "value"), "reference");
  if (value === undefined) return "foreign";
  return { eventId, account, messageId, value, ...(chatId === undefined ? {} : { chatId }) };
}

/** Something that was said; undefined when the event does not say by whom, where and when. */
export function readMessage(event: FlatEvent, botOpenId: string): Message | undefined {
  const message = recordIn(event, "message");
  const sender = recordIn(event, "sender");
  const messageId = textIn(message, "message_id");
  const chatId = textIn(message, "chat_id");
  const at = Number(textIn(message, "create_time"));
  const from = textIn(sender, "sender_type") === "user" ? "person" : "machine";
  const openId = textIn(recordIn(sender, "sender_id"), "open_id");
  // Other apps may have no id here; they decide nothing by any.
  const account = accountOf(textIn(sender, "tenant_key"), from === "machine" ? (openId ?? "app") : openId);
  if (
    messageId === undefined ||
    chatId === undefined ||
    account === undefined ||
    !Number.isSafeInteger(at) ||
    at <= 0
  ) {
    return undefined;
  }
  const replyTo = textIn(message, "parent_id");
  const type = textIn(message, "message_type");
  return {
    // The platform's own advice: two events may carry one message, and its id is what stays.
    eventId: messageId,
    messageId,
    account,
    chat: { kind: textIn(message, "chat_type") === "p2p" ? "private" : "group", id: chatId },
    text: wordsOf(type, textIn(message, "content"), mentionsOf(message, botOpenId)),
    ...(replyTo === undefined ? {} : { replyTo }),
    at,
    from,
    secondHand: type === "merge_forward" || wasEdited(textIn(message, "update_time"), at),
  };
}

function accountOf(tenant: string | undefined, id: string | undefined): Account | undefined {
  return tenant === undefined || id === undefined ? undefined : { channel: "feishu", tenant, id };
}

function wasEdited(updated: string | undefined, at: number): boolean {
  return updated !== undefined && Number(updated) !== 0 && Number(updated) !== at;
}

/** What stands for each placeholder such as `@_user_1`: nothing for the bot, the name for everybody else. */
function mentionsOf(message: FlatEvent, botOpenId: string): ReadonlyMap<string, string> {
  const mentions: readonly unknown[] = Array.isArray(message["mentions"]) ? message["mentions"] : [];
  return new Map(
    mentions.flatMap((mention): [string, string][] => {
      if (!isRecord(mention)) return [];
      const key = textIn(mention, "key");
      const isBot = textIn(recordIn(mention, "id"), "open_id") === botOpenId;
      return key === undefined ? [] : [[key, isBot ? "" : `@${textIn(mention, "name") ?? key}`]];
    }),
  );
}

function wordsOf(type: string | undefined, content: string | undefined, mentions: ReadonlyMap<string, string>): string {
  if (type === "merge_forward") return content ?? "";
  const parsed = content === undefined ? undefined : parseRecord(content);
  if (parsed === undefined) return "";
  const words = type === "text" ? (textIn(parsed, "text") ?? "") : type === "post" ? wordsOfPost(parsed) : "";
  return words.replaceAll(/@_user_\d+/g, (key) => mentions.get(key) ?? key).trim();
}

/** Rich text, as people write it with a line break or a list. What is no text leaves a mark, so that it is not lost unseen. */
function wordsOfPost(post: FlatEvent): string {
  const paragraphs: readonly unknown[] = Array.isArray(post["content"]) ? post["content"] : [];
  const rows = paragraphs.map((paragraph) =>
    (Array.isArray(paragraph) ? paragraph : [])
      .map((run: unknown) => (isRecord(run) ? wordsOfRun(run) : "\uFFFC"))
      .join(""),
  );
  return [textIn(post, "title") ?? "", ...rows].join("\n");
}

function wordsOfRun(run: FlatEvent): string {
  const tag = textIn(run, "tag");
  if (tag === "text" || tag === "a") return textIn(run, "text") ?? "";
  if (tag === "at") return textIn(run, "user_id") ?? "\uFFFC";
  return "\uFFFC";
}

export function parseRecord(json: string): FlatEvent | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const NOTHING: FlatEvent = {};

function isRecord(value: unknown): value is FlatEvent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function recordIn(record: FlatEvent, key: string): FlatEvent {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return isRecord(value) ? value : NOTHING;
}

/** A text that is not empty. */
export function textIn(record: FlatEvent, key: string): string | undefined {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
