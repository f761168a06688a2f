import { z } from "zod";
import type { Click, Message, RefusedCallback } from "../channel.js";

/** The app whose callbacks these should be. */
export interface App {
  readonly corpId: string;
  readonly robotCode: string;
}

const time = z.coerce.number().int().positive();
const word = z.string().min(1);

const message = z.object({
  msgId: word,
  msgtype: z.string(),
  conversationType: z.enum(["1", "2"]),
  conversationId: word,
  createAt: time,
  robotCode: z.string().optional(),
  senderStaffId: z.string().nullish(),
  senderCorpId: z.string().nullish(),
  senderId: z.string().nullish(),
  chatbotUserId: z.string().nullish(),
  /** The robot's message that this one quotes; neither has a page of its own in the documents. */
  originalProcessQueryKey: z.string().nullish(),
  originalMsgId: z.string().nullish(),
  text: z.object({ content: z.string() }).optional(),
  content: z.object({ richText: z.array(z.object({ text: z.string().optional() })).optional() }).optional(),
});

/**
 * A message to the robot; undefined for what nobody said who could be known: DingTalk names outsiders, people of other
 * companies and robots by no id that means one person, so their words go nowhere. Pictures, files and chat records have no
 * words either.
 */
export function readMessage(data: string, app: App): Message | RefusedCallback | undefined {
  const read = message.safeParse(jsonOf(data));
  if (!read.success) return "malformed";
  const said = read.data;
  if (said.robotCode !== undefined && said.robotCode !== app.robotCode) return "foreign_app";
  if (!said.senderStaffId || (said.senderCorpId ?? app.corpId) !== app.corpId) return undefined;
  const { text, whole } = wordsOf(said);
  if (text === "") return undefined;
  const replyTo = said.originalProcessQueryKey ?? said.originalMsgId;
  return {
    eventId: said.msgId,
    messageId: said.msgId,
    account: { channel: "dingtalk", tenant: app.corpId, id: said.senderStaffId },
    // Robots write to people by the person's id, never by the id of the conversation.
    chat:
      said.conversationType === "1"
        ? { kind: "private", id: said.senderStaffId }
        : { kind: "group", id: said.conversationId },
    text,
    ...(replyTo ? { replyTo } : {}),
    at: said.createAt,
    from: said.senderId && said.senderId === said.chatbotUserId ? "machine" : "person",
    secondHand: !whole,
  };
}

/** DingTalk takes the robot's mention out of the words itself. Beside a picture they are not all that was said. */
function wordsOf({ msgtype, text, content }: z.infer<typeof message>): { text: string; whole: boolean } {
  if (msgtype === "text") return { text: text?.content.trim() ?? "", whole: true };
  if (msgtype !== "richText") return { text: "", whole: false };
  const parts = content?.richText ?? [];
  return {
    text: parts
      .map((part) => part.text ?? "")
      .join("")
      .trim(),
    whole: parts.every((part) => part.text !== undefined),
  };
}

const click = z.object({
  outTrackId: word,
  corpId: word,
  userId: word,
  /** Two for a union id, which is another kind of name. */
  userIdType: z.coerce.number().optional(),
  content: z.string().optional(),
  value: z.string().optional(),
});

const pressed = z.object({ cardPrivateData: z.object({ params: z.object({ value: z.string().min(1).max(100) }) }) });

/** A button of a card was pressed. */
export function readClick(eventId: string, data: string, app: App): Click | RefusedCallback {
  const read = click.safeParse(jsonOf(data));
  if (!read.success || (read.data.userIdType ?? 1) !== 1) return "malformed";
  const { outTrackId, corpId, userId, content, value } = read.data;
  if (corpId !== app.corpId) return "foreign_app";
  // The documents name the field either way.
  const inside = pressed.safeParse(jsonOf(content ?? value ?? ""));
  if (!inside.success) return "malformed";
  return {
    eventId,
    account: { channel: "dingtalk", tenant: corpId, id: userId },
    messageId: outTrackId,
    value: inside.data.cardPrivateData.params.value,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
