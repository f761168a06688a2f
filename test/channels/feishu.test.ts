import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Channel, Chat } from "../../src/channels/channel.js";
import { faceLines } from "../../src/channels/face.js";
import { describeChannel } from "./contract.js";
import { RecordedEvents } from "./events.js";
import { openOffice, until } from "./office.js";
import { APPROVE, endedFace, sampleFace } from "./sample-face.js";
import { type FeishuStandIn, feishuStandIn } from "./stand-ins/feishu.js";

describe.each(["connection", "webhook"] as const)("Feishu by %s, on the stand-in", (mode) => {
  let platform: FeishuStandIn;
  let host: RecordedEvents;
  let channel: Channel;
  let ann: Chat;
  let team: Chat;

  beforeEach(async () => {
    platform = await feishuStandIn(mode);
    host = new RecordedEvents();
    channel = platform.channel();
    await channel.start(host);
    ann = { kind: "private", id: platform.chats.ann };
    team = { kind: "group", id: platform.chats.team };
  });

  afterEach(async () => {
    await platform.close();
    platform.assertObeyed();
  });

  it("shows all of a face as plain text, with its buttons and its link", async () => {
    const { messageId, at } = await channel.deliver(ann, sampleFace(), "delivery-1");
    expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
    const [seen] = platform.seen(ann.id);
    expect(seen).toMatchObject({ id: messageId, buttons: ["Approve", "Deny"], markup: [] });
    expect(seen?.links).toEqual(["https://countersign.example/approvals/a1"]);
    for (const words of faceLines(sampleFace())) expect(seen?.text).toContain(words);
  });

  it("sends one message for any number of tries with one delivery id", async () => {
    const first = await channel.deliver(ann, sampleFace(), "delivery-1");
    const second = await channel.deliver(ann, sampleFace(), "delivery-1");
    expect(second).toEqual(first);
    expect(platform.seen(ann.id)).toHaveLength(1);
  });

  it("reaches a person by open_id in the same chat as by chat id", async () => {
    await channel.deliver({ kind: "private", id: platform.people.ann }, sampleFace(), "delivery-1");
    expect(platform.seen(ann.id)).toHaveLength(1);
  });

  it("tells who pressed which button where, and shows the answer and the new card at once", async () => {
    host.answer = async () => ({ kind: "success", text: "Approved", face: endedFace() });
    const { messageId } = await channel.deliver(team, sampleFace(), "delivery-1");
    expect(await platform.click(platform.people.ann, messageId, "Approve")).toBe("Approved");
    expect(host.clicks).toEqual([
      {
        eventId: expect.stringMatching(/.+/) as string,
        account: { channel: "feishu", tenant: platform.tenant, id: platform.people.ann },
        messageId,
        chatId: team.id,
        value: APPROVE,
      },
    ]);
    expect(platform.seen(team.id)[0]).toMatchObject({ buttons: [], links: [] });
    expect(platform.seen(team.id)[0]?.text).toContain("Approved by Ann.");
  });

  it("carries a value that no button has, so that the host can refuse it (attack E7)", async () => {
    const { messageId } = await channel.deliver(ann, sampleFace(), "delivery-1");
    await platform.click(platform.people.eve, messageId, "Approve", { value: "forged", chatId: platform.chats.eve });
    expect(host.clicks[0]).toMatchObject({ value: "forged", chatId: platform.chats.eve, messageId });
  });

  it("gives every delivery of one click the same event id (attack E4)", async () => {
    const { messageId } = await channel.deliver(ann, sampleFace(), "delivery-1");
    expect(await platform.click(platform.people.ann, messageId, "Approve", { times: 5 })).toBe("Approved");
    expect(new Set(host.clicks.map(({ eventId }) => eventId)).size).toBe(1);
    await platform.click(platform.people.ann, messageId, "Approve");
    expect(new Set(host.clicks.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it("draws the card anew in its place, without buttons at the end", async () => {
    const { messageId } = await channel.deliver(ann, sampleFace(), "delivery-1");
    await channel.redraw({ chat: ann, messageId }, endedFace());
    expect(platform.seen(ann.id)).toHaveLength(1);
    expect(platform.seen(ann.id)[0]).toMatchObject({ id: messageId, buttons: [], links: [] });
  });

  it("says words in which nothing becomes a mention, a link or a format (attack A7)", async () => {
    const words = 'Hello <at user_id="all"></at>\n**bold** [Approve](https://evil.example) <u>x</u> &lt;at&gt;';
    await channel.say(team, words);
    const [said] = platform.seen(team.id);
    expect(said).toMatchObject({ text: words, markup: [], links: [] });
    await channel.say(team, "An answer.", said?.id);
    expect(platform.messages.find(platform.seen(team.id)[1]?.id ?? "")?.replyTo).toBe(said?.id);
  });

  it("hands on what was said, with mentions of the bot taken out", async () => {
    const { messageId, at } = await channel.deliver(team, sampleFace(), "delivery-1");
    await platform.say(platform.people.bob, team.id, "确认 27", { replyTo: messageId });
    expect(host.messages).toHaveLength(1);
    expect(host.messages[0]).toMatchObject({
      account: { channel: "feishu", tenant: platform.tenant, id: platform.people.bob },
      chat: team,
      text: "确认 27",
      replyTo: messageId,
      from: "person",
      secondHand: false,
    });
    expect(host.messages[0]?.at).toBeGreaterThan(at);
  });

  it("marks what a machine says and what is forwarded or edited (attack E11)", async () => {
    await platform.say(platform.people.ann, ann.id, "确认", { machine: true });
    await platform.say(platform.people.ann, ann.id, "确认", { forwarded: true });
    await platform.say(platform.people.ann, ann.id, "确认", { edited: true });
    expect(host.messages.map(({ from, secondHand }) => [from, secondHand])).toEqual([
      ["machine", false],
      ["person", true],
      ["person", true],
    ]);
  });

  it("gives every delivery of one message the same event id", async () => {
    await platform.say(platform.people.ann, ann.id, "确认", { times: 3 });
    expect(host.messages).toHaveLength(3);
    expect(new Set(host.messages.map(({ eventId }) => eventId)).size).toBe(1);
  });

  it("delivers no message without words", async () => {
    const message = { message_id: "om_1", chat_id: ann.id, chat_type: "p2p", create_time: "1700000000000" };
    const sender = { sender_id: { open_id: platform.people.ann }, sender_type: "user", tenant_key: platform.tenant };
    const image = { ...message, message_type: "image", content: '{"image_key":"img_1"}' };
    await platform.push(platform.event("im.message.receive_v1", 1, { sender, message: image }));
    expect(host.messages).toEqual([]);
    expect(host.refusals).toEqual([]);
  });

  it("acknowledges what it has no use for", async () => {
    const acknowledged = await platform.push(platform.event("im.message.message_read_v1", 1, { reader: {} }));
    expect(acknowledged).toMatchObject({ code: 200 });
  });

  it("refuses an event of another app and one that names nobody", async () => {
    const foreign = platform.event("card.action.trigger", 1, {}) as { header: { app_id: string } };
    foreign.header.app_id = "cli_ffffffffffffffff";
    await platform.push(foreign);
    expect(host.refusals[0]).toBe("foreign_app");
    await platform.push(
      platform.event("card.action.trigger", 1, { operator: {}, action: { value: { reference: "x" } } }),
    );
    await platform.push(platform.event("im.message.receive_v1", 1, { sender: {}, message: {} }));
    expect(new Set(host.refusals)).toEqual(new Set(["foreign_app", "malformed"]));
    expect([host.clicks, host.messages]).toEqual([[], []]);
  });

  it("has the platform deliver again what the host did not take in", async () => {
    let tries = 0;
    host.answer = async () => {
      if (tries++ === 0) throw new Error("the store is away");
      return { kind: "success", text: "Approved" };
    };
    const { messageId } = await channel.deliver(ann, sampleFace(), "delivery-1");
    expect(await platform.click(platform.people.ann, messageId, "Approve")).toBe("Approved");
    expect(host.clicks).toHaveLength(2);
  });

  it("says for how long it is to wait when the platform is busy", async () => {
    platform.fail("busy", 1);
    await expect(channel.deliver(ann, sampleFace(), "delivery-1")).rejects.toMatchObject({
      name: "ChannelError",
      reason: "busy",
      retryAfter: 1000,
    });
    await channel.deliver(ann, sampleFace(), "delivery-1");
    expect(platform.seen(ann.id)).toHaveLength(1);
  });

  it("says that the platform is down when it fails, and when nobody answers", async () => {
    platform.fail("down", 1);
    await expect(channel.deliver(ann, sampleFace(), "delivery-1")).rejects.toMatchObject({ reason: "down" });
    await platform.down();
    await expect(channel.say(ann, "Hello")).rejects.toMatchObject({ reason: "down" });
    await platform.up();
    await channel.deliver(ann, sampleFace(), "delivery-1");
  });

  it("says that a chat or a message is gone for good", async () => {
    const { messageId } = await channel.deliver(ann, sampleFace(), "delivery-1");
    const old = await channel.deliver(team, sampleFace(), "delivery-2");
    platform.messages.recall(messageId);
    await expect(channel.redraw({ chat: ann, messageId }, endedFace())).rejects.toMatchObject({ reason: "gone" });
    platform.messages.removeBot(team.id);
    await expect(channel.deliver(team, sampleFace(), "delivery-3")).rejects.toMatchObject({ reason: "gone" });
    platform.advance(15 * 86_400_000);
    await expect(channel.redraw({ chat: team, messageId: old.messageId }, endedFace())).rejects.toMatchObject({
      reason: "gone",
    });
  });

  it("asks for another token when the one it has is not good any more", async () => {
    await channel.deliver(ann, sampleFace(), "delivery-1");
    platform.forgetTokens();
    await channel.deliver(ann, sampleFace(), "delivery-2");
    expect(platform.seen(ann.id)).toHaveLength(2);
  });

  it("sends nothing that is too large to be shown whole (attack A3)", async () => {
    const large = sampleFace({ argument: `body: ${"x".repeat(31_000)}` });
    expect(channel.fits(large)).toBe(false);
    await expect(channel.deliver(ann, large, "delivery-1")).rejects.toMatchObject({ reason: "refused" });
    const largest = sampleFace({ argument: `body: ${'"\n'.repeat(3_000)}` });
    expect(channel.fits(largest)).toBe(true);
    await channel.deliver(ann, largest, "delivery-2");
  });

  it("takes no id that would lead a request elsewhere", async () => {
    const place = { chat: ann, messageId: "../../../auth" };
    await expect(channel.redraw(place, endedFace())).rejects.toMatchObject({ reason: "refused" });
    const nobody: Chat = { kind: "private", id: "ann@example.com" };
    await expect(channel.deliver(nobody, sampleFace(), "delivery-1")).rejects.toMatchObject({ reason: "refused" });
  });

  it("shares the events among two instances, each of which can answer", async () => {
    const second = platform.channel();
    const other = new RecordedEvents();
    await second.start(other);
    const { messageId } = await channel.deliver(ann, sampleFace(), "delivery-1");
    await platform.click(platform.people.ann, messageId, "Approve");
    await platform.click(platform.people.ann, messageId, "Approve");
    expect([host.clicks.length, other.clicks.length]).toEqual([1, 1]);
    await second.redraw({ chat: ann, messageId }, endedFace());
    expect(platform.seen(ann.id)[0]?.buttons).toEqual([]);
  });

  it("does nothing before it is started and after it was closed", async () => {
    await channel.close();
    await expect(channel.deliver(ann, sampleFace(), "delivery-1")).rejects.toMatchObject({ reason: "down" });
    expect(platform.seen(ann.id)).toEqual([]);
  });
});

describe("a private chat on Feishu that is named by its person", () => {
  it.each(["press", "word"])("takes a %s in that chat for an answer", async (how) => {
    const platform = await feishuStandIn();
    const { people, chats } = platform;
    const office = await openOffice(platform, { annsChat: people.ann });
    onTestFinished(() => office.close());
    const approvalId = await office.ask();
    const card = await office.question(chats.ann);
    if (how === "press") await platform.click(people.ann, card.id, "Confirm");
    else await platform.say(people.ann, chats.ann, "confirm");
    await until(async () => expect(await office.state(approvalId)).toBe("succeeded"));
    expect(office.sent).toEqual(["hello"]);
  });
});

describeChannel("Feishu by long connection, on the stand-in", () => feishuStandIn());
describeChannel("Feishu by webhook, on the stand-in", () => feishuStandIn("webhook"));
