import { describe, expect, it } from "vitest";
import { parse } from "./parse.js";

const ann = { id: 1001, is_bot: false, first_name: "Ann", username: "ann" };
const team = { id: -1002000000001, type: "supergroup" };
const message = (over: object) => ({
  message_id: 70,
  date: 1_700_000_000,
  chat: { id: 1001, type: "private" },
  from: ann,
  text: "approve",
  ...over,
});

/** The message that an update was read as. */
function said(over: object, kind = "message") {
  const heard = parse({ update_id: 9, [kind]: message(over) }, "countersign_bot");
  return heard?.type === "message" ? heard.message : undefined;
}

describe("reading a message from Telegram", () => {
  it("takes ids, chat, time and order from the platform, and no name", () => {
    expect(said({ reply_to_message: { message_id: 60 } })).toEqual({
      eventId: "9",
      messageId: "70",
      account: { channel: "telegram", tenant: "", id: "1001" },
      chat: { kind: "private", id: "1001" },
      text: "approve",
      replyTo: "60",
      at: 1_700_000_000_000,
      sequence: 70,
      from: "person",
      secondHand: false,
    });
    expect(said({ chat: team })?.chat).toEqual({ kind: "group", id: "-1002000000001" });
  });

  it("takes out mentions of the bot, and only those", () => {
    const mention = (offset: number, length: number) => ({ type: "mention", offset, length });
    expect(said({ text: "@Countersign_Bot approve", entities: [mention(0, 16)] })?.text).toBe("approve");
    expect(said({ text: "🎉 approve @countersign_bot", entities: [mention(11, 16)] })?.text).toBe("🎉 approve");
    expect(said({ text: "@someone approve", entities: [mention(0, 8)] })?.text).toBe("@someone approve");
    expect(said({ text: "@countersign_bot approve" })?.text).toBe("@countersign_bot approve");
    const command = { type: "bot_command", offset: 0, length: 24 };
    expect(said({ text: "/approve@countersign_bot", entities: [command] })?.text).toBe("/approve");
  });

  it.each([
    ["a bot", { from: { ...ann, is_bot: true } }],
    ["an anonymous administrator", { sender_chat: team, from: { id: 1087968824, is_bot: true } }],
    ["a channel that speaks as itself", { sender_chat: { id: -100, type: "channel" } }],
    ["a result of another bot", { via_bot: { id: 5, is_bot: true } }],
  ])("knows %s for a machine (attack E11)", (_, over) => {
    expect(said(over)?.from).toBe("machine");
  });

  it.each([
    ["forwarded", { forward_origin: { type: "user", date: 1, sender_user: ann } }, "message"],
    ["forwarded from somebody hidden", { forward_origin: { type: "hidden_user", date: 1 } }, "message"],
    ["edited", { edit_date: 1_700_000_100 }, "edited_message"],
    ["quoted", { entities: [{ type: "blockquote", offset: 0, length: 7 }] }, "message"],
  ])("knows %s words for second hand (attack E10)", (_, over, kind) => {
    expect(said(over, kind)?.secondHand).toBe(true);
  });

  it("hears nothing in pictures, channels, other updates and mentions alone", () => {
    expect(said({ text: undefined, caption: "approve", photo: [] })).toBeUndefined();
    expect(said({ chat: { id: -100, type: "channel" } })).toBeUndefined();
    expect(said({ from: undefined })).toBeUndefined();
    const entities = [{ type: "mention", offset: 0, length: 16 }];
    expect(said({ text: "@countersign_bot", entities })).toBeUndefined();
    expect(parse({ update_id: 9, poll: {} }, "countersign_bot")).toEqual({ type: "other" });
  });
});

describe("reading a click from Telegram", () => {
  const query = { id: "q1", from: ann, chat_instance: "1", data: "ref.a", message: { message_id: 50, chat: team } };

  it("names who, where and what", () => {
    expect(parse({ update_id: 9, callback_query: query }, "countersign_bot")).toEqual({
      type: "click",
      queryId: "q1",
      chat: { kind: "group", id: "-1002000000001" },
      click: {
        eventId: "9",
        account: { channel: "telegram", tenant: "", id: "1001" },
        messageId: "50",
        chatId: "-1002000000001",
        value: "ref.a",
      },
    });
  });

  it("takes no click without a message or without a value", () => {
    expect(parse({ update_id: 9, callback_query: { ...query, message: undefined } }, "b")).toEqual({ type: "other" });
    expect(parse({ update_id: 9, callback_query: { ...query, data: undefined } }, "b")).toEqual({ type: "other" });
  });
});

describe("what has not the documented form", () => {
  it.each([
    ["no number", { message: message({}) }],
    ["a number as text", { update_id: "9", message: message({}) }],
    ["a sender without an id", { update_id: 9, message: message({ from: { is_bot: false } }) }],
    ["a sender who may be a bot", { update_id: 9, message: message({ from: { id: 1001 } }) }],
    ["a kind of chat that nobody knows", { update_id: 9, message: message({ chat: { id: 1, type: "room" } }) }],
    ["a list", []],
    ["nothing", null],
  ])("is not read: %s", (_, update) => {
    expect(parse(update, "countersign_bot")).toBeUndefined();
  });
});
