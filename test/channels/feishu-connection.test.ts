import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Channel, Chat } from "../../src/channels/channel.js";
import { feishuChannel } from "../../src/channels/feishu/channel.js";
import { RecordedEvents } from "./events.js";
import { sampleFace } from "./sample-face.js";
import { type FeishuStandIn, feishuStandIn } from "./stand-ins/feishu.js";

describe("Feishu's long connection, on the stand-in", () => {
  let platform: FeishuStandIn;
  let host: RecordedEvents;
  let channel: Channel;

  beforeEach(async () => {
    platform = await feishuStandIn();
    host = new RecordedEvents();
    channel = platform.channel();
  });

  afterEach(async () => {
    await platform.close();
    platform.assertObeyed();
  });

  it("comes back after the line broke, and what was pressed meanwhile arrives", async () => {
    await channel.start(host);
    const { messageId } = await channel.deliver(
      { kind: "private", id: platform.chats.ann },
      sampleFace(),
      "delivery-1",
    );
    platform.connections.drop();
    await host.lineIs("down");
    expect(await platform.click(platform.people.ann, messageId, "Approve")).toBe("Approved");
    expect(host.lines.map(({ state }) => state)).toEqual(["up", "down", "up"]);
  });

  it("delivers again when the line breaks between a click and its answer", async () => {
    await channel.start(host);
    const chat: Chat = { kind: "private", id: platform.chats.ann };
    const { messageId } = await channel.deliver(chat, sampleFace(), "delivery-1");
    host.answer = async () => {
      if (host.clicks.length === 1) platform.connections.drop();
      return { kind: "success", text: "Approved" };
    };
    expect(await platform.click(platform.people.ann, messageId, "Approve")).toBe("Approved");
    expect(host.clicks).toHaveLength(2);
    expect(host.clicks[0]?.eventId).toBe(host.clicks[1]?.eventId);
  });

  it("keeps trying while nobody answers, and says so", async () => {
    await channel.start(host);
    await platform.down();
    await host.lineIs("down");
    await host.lineIs("down", host.lines.length);
    await platform.up();
    await host.lineIs("up", 1);
    await platform.say(platform.people.ann, platform.chats.ann, "hello");
    expect(host.messages).toHaveLength(1);
  });

  it("does not connect again after it was closed", async () => {
    await channel.start(host);
    await channel.close();
    expect(host.lines).toEqual([{ state: "up" }]);
    await channel.start(host);
    expect(host.lines).toEqual([{ state: "up" }, { state: "up" }]);
  });

  it("refuses to start with a wrong secret, and when nobody answers", async () => {
    const wrong = feishuChannel({ ...platform.options(), appSecret: "another" });
    await expect(wrong.start(host)).rejects.toMatchObject({ name: "CountersignError", code: "invalid_request" });
    await platform.down();
    await expect(channel.start(host)).rejects.toMatchObject({ name: "ChannelError", reason: "down" });
    await platform.up();
    await channel.start(host);
  });
});
