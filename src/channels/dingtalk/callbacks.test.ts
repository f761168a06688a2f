import { describe, expect, it } from "vitest";
import { readClick, readMessage } from "./callbacks.js";

const app = { corpId: "ding9f50b15bccd16741", robotCode: "dingapp7qk2" };

/** As DingTalk's documents show a message to a robot, its ids made up. */
const documented = {
  conversationId: "cid6KeBBLovXY==",
  atUsers: [{ dingtalkId: "$:LWCP_v1:$robot" }],
  chatbotCorpId: app.corpId,
  chatbotUserId: "$:LWCP_v1:$robot",
  msgId: "msg8PFzy==",
  senderNick: "小安",
  isAdmin: true,
  senderStaffId: "manager4811",
  sessionWebhookExpiredTime: 1613635652738,
  createAt: 1613630252678,
  senderCorpId: app.corpId,
  conversationType: "2",
  senderId: "$:LWCP_v1:$ann",
  conversationTitle: "机器人测试",
  isInAtList: true,
  sessionWebhook: "https://oapi.dingtalk.com/robot/sendBySession?session=s",
  text: { content: " 确认 27 " },
  robotCode: app.robotCode,
  msgtype: "text",
};
const read = (changes: object = {}) => readMessage(JSON.stringify({ ...documented, ...changes }), app);

describe("a message to the robot", () => {
  it("is read as documented", () => {
    expect(read()).toEqual({
      eventId: "msg8PFzy==",
      messageId: "msg8PFzy==",
      account: { channel: "dingtalk", tenant: app.corpId, id: "manager4811" },
      chat: { kind: "group", id: "cid6KeBBLovXY==" },
      text: "确认 27",
      at: 1613630252678,
      from: "person",
      secondHand: false,
    });
  });

  it("comes from the person's own chat by the person's id", () => {
    expect(read({ conversationType: "1" })).toMatchObject({ chat: { kind: "private", id: "manager4811" } });
  });

  it("names the message that it quotes", () => {
    expect(read({ originalProcessQueryKey: "key1=", originalMsgId: "msg1" })).toMatchObject({ replyTo: "key1=" });
    expect(read({ originalMsgId: "msg1" })).toMatchObject({ replyTo: "msg1" });
  });

  it.each([
    ["an outsider, who has no id in the company", { senderStaffId: "" }],
    ["nobody at all", { senderStaffId: undefined }],
    ["a person of another company, whose id means somebody else here", { senderCorpId: "dingother" }],
  ])("is nobody's when it comes from %s (attack E11)", (_, changes) => {
    expect(read(changes)).toBeUndefined();
  });

  it("is the machine's when the robot wrote it (attack E11)", () => {
    expect(read({ senderId: documented.chatbotUserId })).toMatchObject({ from: "machine" });
  });

  it.each([
    ["a picture", { msgtype: "picture", text: undefined, content: { downloadCode: "x" } }],
    ["a record of a chat, as forwarding makes it", { msgtype: "chatRecord", content: { chatRecord: '["确认"]' } }],
    ["no words", { text: { content: "  " } }],
  ])("says nothing with %s (attack E10)", (_, changes) => {
    expect(read(changes)).toBeUndefined();
  });

  it("counts words beside a picture as not all that was said", () => {
    const richText = [{ text: "确认" }, { type: "picture", downloadCode: "x" }];
    expect(read({ msgtype: "richText", text: undefined, content: { richText } })).toMatchObject({
      text: "确认",
      secondHand: true,
    });
    expect(read({ msgtype: "richText", text: undefined, content: { richText: [{ text: "确认" }] } })).toMatchObject({
      secondHand: false,
    });
  });

  it("is refused when it is another app's, or of no form", () => {
    expect(read({ robotCode: "dingother" })).toBe("foreign_app");
    expect(read({ conversationType: "3" })).toBe("malformed");
    expect(read({ createAt: "soon" })).toBe("malformed");
    expect(read({ msgId: "" })).toBe("malformed");
    expect(readMessage("{", app)).toBe("malformed");
    expect(readMessage("null", app)).toBe("malformed");
  });
});

describe("a click", () => {
  const content = JSON.stringify({ cardPrivateData: { actionIds: ["answer"], params: { value: "0a1b.a" } } });
  const pressed = { type: "actionCallback", outTrackId: "d1", corpId: app.corpId, userId: "manager4811", content };
  const click = (changes: object = {}) => readClick("e1", JSON.stringify({ ...pressed, ...changes }), app);

  it("is read as documented, under either name of its content", () => {
    const expected = {
      eventId: "e1",
      account: { channel: "dingtalk", tenant: app.corpId, id: "manager4811" },
      messageId: "d1",
      value: "0a1b.a",
    };
    expect(click()).toEqual(expected);
    expect(click({ content: undefined, value: content })).toEqual(expected);
  });

  it("is refused when it is another company's (attack E7)", () => {
    expect(click({ corpId: "dingother" })).toBe("foreign_app");
  });

  it.each([
    ["nobody", { userId: "" }],
    ["no card", { outTrackId: undefined }],
    ["a union id in place of a person's", { userIdType: 2 }],
    ["content that is no JSON", { content: "{" }],
    ["a value that is no text", { content: '{"cardPrivateData":{"params":{"value":{"a":1}}}}' }],
    ["no value", { content: '{"cardPrivateData":{"actionIds":["approve"],"params":{}}}' }],
  ])("is refused with %s", (_, changes) => {
    expect(click(changes)).toBe("malformed");
  });
});
