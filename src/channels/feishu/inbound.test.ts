import { describe, expect, it } from "vitest";
import { readClick, readMessage } from "./inbound.js";

const BOT = "ou_bot";
const mentions = [
  { key: "@_user_1", id: { open_id: BOT }, name: "Countersign" },
  { key: "@_user_2", id: { open_id: "ou_bob" }, name: "Bob" },
  { key: "@_user_11", id: { open_id: "ou_eve" }, name: "Eve" },
];

const said = (message: object, sender: object = {}) =>
  readMessage(
    {
      sender: { sender_id: { open_id: "ou_ann" }, sender_type: "user", tenant_key: "tenant", ...sender },
      message: {
        message_id: "om_1",
        chat_id: "oc_1",
        chat_type: "group",
        create_time: "1700000000123",
        message_type: "text",
        content: '{"text":"hello"}',
        mentions,
        ...message,
      },
    },
    BOT,
  );
const words = (text: string) => said({ content: JSON.stringify({ text }) })?.text;
const richWords = (content: unknown, title = "") =>
  said({ message_type: "post", content: JSON.stringify({ title, content }) })?.text;

describe("what was said on Feishu", () => {
  it("loses the mentions of the bot and keeps those of people", () => {
    expect(words("@_user_1 确认")).toBe("确认");
    expect(words("确认 @_user_1")).toBe("确认");
    expect(words("@_user_2 确认")).toBe("@Bob 确认");
    expect(words("@_user_11 @_user_1 好")).toBe("@Eve  好");
    expect(words("@_user_7 @_all 好")).toBe("@_user_7 @_all 好");
  });

  it("is read from rich text, where what is no text leaves a mark", () => {
    const at = { tag: "at", user_id: "@_user_1", user_name: "Countersign" };
    expect(richWords([[at, { tag: "text", text: " 确认" }]])).toBe("确认");
    expect(richWords([[{ tag: "text", text: "不" }], [{ tag: "text", text: "确认" }]], "So")).toBe("So\n不\n确认");
    expect(
      richWords([
        [
          { tag: "text", text: "确认" },
          { tag: "img", image_key: "img_1" },
        ],
      ]),
    ).toBe("确认\uFFFC");
    expect(richWords([[{ tag: "a", text: "确认", href: "https://evil.example" }]])).toBe("确认");
    expect(richWords("nothing")).toBe("");
  });

  it.each(["image", "file", "audio", "sticker", "interactive", "share_chat", "system", "unheard_of"])(
    "has no words in a message of type %s",
    (type) => {
      expect(said({ message_type: type, content: '{"text":"确认"}' })?.text).toBe("");
    },
  );

  it.each(["", "{", "null", '"确认"', '{"text":1}', '{"text":null}', "[]"])(
    "has no words in the content %j",
    (content) => {
      expect(said({ content })?.text).toBe("");
    },
  );

  it("is private only where the platform says so", () => {
    expect(said({ chat_type: "p2p" })?.chat).toEqual({ kind: "private", id: "oc_1" });
    expect(said({ chat_type: "group" })?.chat.kind).toBe("group");
    expect(said({ chat_type: "topic_group" })?.chat.kind).toBe("group");
    expect(said({ chat_type: undefined })?.chat.kind).toBe("group");
  });

  it.each(["app", "bot", "anonymous", "", undefined])(
    "is a machine's when its sender is of type %j (attack E11)",
    (type) => {
      expect(said({}, { sender_type: type })?.from).toBe("machine");
    },
  );

  it("is a machine's without an id of a person, and nobody's as a person's without one", () => {
    expect(said({}, { sender_type: "app", sender_id: null })?.from).toBe("machine");
    expect(said({}, { sender_id: {} })).toBeUndefined();
    expect(said({}, { sender_id: { open_id: "" } })).toBeUndefined();
    expect(said({}, { tenant_key: undefined })).toBeUndefined();
  });

  it("is second hand when it was merged from elsewhere or changed afterwards", () => {
    expect(said({ message_type: "merge_forward", content: "Merged and Forwarded Message" })).toMatchObject({
      secondHand: true,
      text: "Merged and Forwarded Message",
    });
    expect(said({ update_time: "1700000000124" })?.secondHand).toBe(true);
    expect(said({ update_time: "later" })?.secondHand).toBe(true);
    expect(said({ update_time: "1700000000123" })?.secondHand).toBe(false);
    expect(said({ update_time: "0" })?.secondHand).toBe(false);
  });

  it.each([
    { message_id: undefined },
    { chat_id: "" },
    { create_time: undefined },
    { create_time: "now" },
    { create_time: "-1" },
    { create_time: 1700000000123 },
  ])("counts for nothing with %j", (message) => {
    expect(said(message)).toBeUndefined();
  });
});

describe("a click on Feishu", () => {
  const click = {
    event_id: "event-1",
    operator: { tenant_key: "tenant", open_id: "ou_ann", union_id: "on_ann", user_id: "ann" },
    action: { value: { reference: "r" }, tag: "button" },
    context: { open_message_id: "om_1", open_chat_id: "oc_1" },
  };

  it("is the operator's, whose tenant is named with it", () => {
    expect(readClick({ ...click, tenant_key: "the app's own" })).toEqual({
      eventId: "event-1",
      account: { channel: "feishu", tenant: "tenant", id: "ou_ann" },
      messageId: "om_1",
      chatId: "oc_1",
      value: "r",
    });
  });

  it.each(["event_id", "operator", "context"] as const)("counts for nothing without %s", (key) => {
    expect(readClick({ ...click, [key]: undefined })).toBeUndefined();
    expect(readClick({ ...click, [key]: {} })).toBeUndefined();
  });

  it.each([undefined, "r", {}, { reference: 1 }, { reference: "" }, ["r"], { __proto__: { reference: "r" } }])(
    "is not for us with the value %j",
    (value) => {
      expect(readClick({ ...click, action: { value } })).toBe("foreign");
    },
  );
});
