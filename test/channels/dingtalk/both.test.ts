import { describe, expect, it } from "vitest";
import { HOSTILE, questionFace } from "../stand-ins/dingtalk/face.js";
import { platform, started } from "./platform.js";

describe.each([
  ["with a template", true],
  ["without a template", false],
])("the DingTalk channel %s, against the stand-in", (_, template) => {
  it.each(["private", "group"] as const)("shows a whole card in a %s chat", async (kind) => {
    const standIn = await platform(template);
    const [channel] = await started(standIn);
    const id = kind === "private" ? standIn.chats.ann : standIn.chats.team;
    const delivered = await channel.deliver({ kind, id }, questionFace(), "delivery-0000001");
    const seen = standIn.seen(id);
    expect(seen[0]?.id).toBe(delivered.messageId);
    expect(seen[0]?.text).toContain("table: orders");
    expect(seen.flatMap(({ buttons }) => buttons)).toEqual(["同意", "拒绝"]);
    expect(seen.flatMap(({ links }) => links)).toEqual(["https://gate.example/approvals/apr_1?a=1&b=2"]);
    expect(standIn.faults).toEqual([]);
  });

  it("makes nothing of hostile values (attack A: display)", async () => {
    const standIn = await platform(template);
    const [channel] = await started(standIn);
    const chat = { kind: "private", id: standIn.chats.ann } as const;
    await channel.deliver(chat, questionFace(HOSTILE), "delivery-0000001");
    for (const text of HOSTILE) await channel.say(chat, text);
    const seen = standIn.seen(chat.id);
    expect(seen.flatMap(({ markup }) => markup)).toEqual([]);
    expect(seen[0]?.text).toContain("https://evil.example/approve?x=1");
    expect(standIn.faults).toEqual([]);
  });

  it("carries words both ways, with who, where and when", async () => {
    const standIn = await platform(template);
    const [channel, host] = await started(standIn);
    const { at } = await channel.deliver({ kind: "group", id: standIn.chats.team }, questionFace(), "delivery-0000001");
    await standIn.say(standIn.people.ann, standIn.chats.team, "确认 27", { times: 2 });
    await standIn.say(standIn.people.bob, standIn.chats.bob, "你好", { shift: -60_000 });
    const [first, again, second] = host.messages;
    expect(first).toMatchObject({
      account: { channel: "dingtalk", tenant: standIn.tenant, id: standIn.people.ann },
      chat: { kind: "group", id: standIn.chats.team },
      text: "确认 27",
      from: "person",
      secondHand: false,
    });
    expect(first?.at).toBeGreaterThan(at);
    expect(again?.eventId).toBe(first?.eventId);
    expect(second).toMatchObject({ chat: { kind: "private", id: standIn.people.bob }, text: "你好" });
    expect(second?.at).toBeLessThan(at);
  });

  it("names the card that a reply quotes", async () => {
    const standIn = await platform(template);
    const [channel, host] = await started(standIn);
    const { messageId, quotedAs = [] } = await channel.deliver(
      { kind: "group", id: standIn.chats.team },
      questionFace(),
      "delivery-0000001",
    );
    // Without a template the buttons are a message of their own, and may be quoted as well.
    for (const id of standIn.ids(standIn.chats.team)) {
      await standIn.say(standIn.people.ann, standIn.chats.team, "确认", { replyTo: id });
    }
    expect(host.messages.map(({ replyTo }) => replyTo)).toEqual(template ? quotedAs : [messageId, ...quotedAs]);
  });

  it("hears nothing from robots, of edits and of forwarded words (attacks E10, E11)", async () => {
    const standIn = await platform(template);
    const [, host] = await started(standIn);
    await standIn.say(standIn.people.ann, standIn.chats.ann, "确认", { machine: true });
    await standIn.say(standIn.people.ann, standIn.chats.ann, "确认", { edited: true });
    await standIn.say(standIn.people.ann, standIn.chats.ann, "确认", { forwarded: true });
    await standIn.say(standIn.people.ann, standIn.chats.ann, "确认");
    expect(host.messages).toHaveLength(1);
    expect(standIn.faults).toEqual([]);
  });

  it("refuses what is another app's or of no form, and stays up", async () => {
    const standIn = await platform(template);
    const [, host] = await started(standIn);
    const message = standIn.message(standIn.people.ann, standIn.chats.ann, "确认");
    await standIn.push("message", { ...message, robotCode: "dingother" });
    await standIn.push("message", "{");
    await standIn.push("click", { outTrackId: "d", corpId: "dingother", userId: "x", content: "{}" });
    await standIn.push("click", "[]");
    expect(host.refusals).toEqual(["foreign_app", "malformed", "foreign_app", "malformed"]);
    standIn.gateway.raw("no JSON at all");
    standIn.gateway.raw('{"type":"CALLBACK"}');
    await host.refusalsAre(6);
    await standIn.say(standIn.people.ann, standIn.chats.ann, "在吗");
    expect(host.messages).toHaveLength(1);
  });

  it("tells what is busy, what is down and what is gone", async () => {
    const standIn = await platform(template);
    const [channel] = await started(standIn);
    const chat = { kind: "group", id: standIn.chats.team } as const;
    await channel.say(chat, "first");
    standIn.fail("busy", 1);
    await expect(channel.say(chat, "second")).rejects.toMatchObject({ reason: "busy" });
    standIn.fail("down", 1);
    await expect(channel.deliver(chat, questionFace(), "d1")).rejects.toMatchObject({ reason: "down" });
    await expect(channel.say({ kind: "private", id: "nobody" }, "x")).rejects.toMatchObject({ reason: "gone" });
    standIn.removeRobot(chat.id);
    await expect(channel.deliver(chat, questionFace(), "d2")).rejects.toMatchObject({ reason: "gone" });
    await expect(channel.say(chat, "x")).rejects.toMatchObject({ reason: "gone" });
    await standIn.down();
    await expect(channel.say(chat, "x")).rejects.toMatchObject({ reason: "down" });
    await standIn.up();
  });

  it("asks for one token, and for another when the first is good no more", async () => {
    const standIn = await platform(template);
    const [channel] = await started(standIn);
    const chat = { kind: "private", id: standIn.chats.ann } as const;
    await Promise.all([channel.say(chat, "1"), channel.say(chat, "2"), channel.say(chat, "3")]);
    expect(standIn.asked.get("/v1.0/oauth2/accessToken")).toBe(1);
    standIn.expireTokens();
    await channel.say(chat, "4");
    expect(standIn.asked.get("/v1.0/oauth2/accessToken")).toBe(2);
    expect(standIn.seen(chat.id)).toHaveLength(4);
  });

  it("shows nothing of what does not fit", async () => {
    const standIn = await platform(template);
    const [channel] = await started(standIn);
    const face = questionFace(["x".repeat(20_000)]);
    expect(channel.fits(face)).toBe(false);
    expect(channel.fits(questionFace())).toBe(true);
    const chat = { kind: "private", id: standIn.chats.ann } as const;
    await expect(channel.deliver(chat, face, "d1")).rejects.toMatchObject({ reason: "refused" });
    expect(standIn.seen(chat.id)).toEqual([]);
  });

  it("comes back after the line broke, and says so", async () => {
    const standIn = await platform(template);
    const [, host] = await started(standIn);
    await standIn.down();
    await host.linesAre(2);
    await standIn.up();
    await host.linesAre(3);
    expect(host.states).toEqual(["up", "down", "up"]);
    await standIn.say(standIn.people.ann, standIn.chats.ann, "在吗");
    expect(host.messages).toHaveLength(1);
    expect(standIn.faults).toEqual([]);
  });

  it("moves to a new connection when DingTalk announces the end of the old one, which is heard until then", async () => {
    const standIn = await platform(template);
    const [, host] = await started(standIn);
    standIn.gateway.announceEnd();
    await standIn.say(standIn.people.ann, standIn.chats.ann, "一");
    await standIn.gateway.connected(2);
    await standIn.say(standIn.people.ann, standIn.chats.ann, "二");
    await standIn.say(standIn.people.ann, standIn.chats.ann, "三");
    expect(host.messages.map(({ text }) => text)).toEqual(["一", "二", "三"]);
  });

  it("hears each message once over two instances", async () => {
    const standIn = await platform(template);
    const [[, first], [, second]] = [await started(standIn), await started(standIn)];
    for (const text of ["1", "2", "3", "4"]) await standIn.say(standIn.people.ann, standIn.chats.ann, text);
    expect(first.messages.length + second.messages.length).toBe(4);
    expect(Math.min(first.messages.length, second.messages.length)).toBe(2);
  });

  it("hears a message again when the line broke before it was acknowledged", async () => {
    const standIn = await platform(template);
    const [, host] = await started(standIn);
    standIn.gateway.cutNext = true;
    await standIn.say(standIn.people.ann, standIn.chats.ann, "确认");
    expect(new Set(host.messages.map(({ eventId }) => eventId)).size).toBe(1);
    expect(host.states).toEqual(["up", "down", "up"]);
  });

  it("says nothing more once it is closed", async () => {
    const standIn = await platform(template);
    const [channel, host] = await started(standIn);
    await channel.close();
    await standIn.say(standIn.people.ann, standIn.chats.ann, "确认");
    expect(host.messages).toEqual([]);
    expect(standIn.gateway.connections).toBe(0);
    expect(host.states).toEqual(["up"]);
  });
});
