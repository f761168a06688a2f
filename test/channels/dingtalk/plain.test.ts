import { describe, expect, it } from "vitest";
import { shown } from "../../../src/core/text/shown.js";
import { endedFace, questionFace } from "../stand-ins/dingtalk/face.js";
import { platform, started } from "./platform.js";

describe("cards without a template on DingTalk's stand-in", () => {
  it("have buttons that make people say the answer with its code", async () => {
    const standIn = await platform(false);
    const [channel, host] = await started(standIn);
    const { messageId } = await channel.deliver(
      { kind: "group", id: standIn.chats.team },
      questionFace(),
      "delivery-0000001",
    );
    await standIn.click(standIn.people.ann, messageId, "同意");
    await standIn.click(standIn.people.bob, messageId, "拒绝");
    expect(host.messages.map(({ account, text }) => [account.id, text])).toEqual([
      [standIn.people.ann, "确认 27"],
      [standIn.people.bob, "取消 27"],
    ]);
    expect(host.clicks).toEqual([]);
  });

  it("are not sent twice when only their buttons failed", async () => {
    const standIn = await platform(false);
    const [channel] = await started(standIn);
    const chat = { kind: "private", id: standIn.chats.ann } as const;
    await channel.say(chat, "hello");
    const sent = channel.deliver(chat, questionFace(), "delivery-0000001");
    await standIn.settled("/v1.0/robot/oToMessages/batchSend", 2);
    standIn.fail("busy", 1);
    await expect(sent).rejects.toMatchObject({ reason: "busy" });
    const { messageId } = await channel.deliver(chat, questionFace(), "delivery-0000001");
    const seen = standIn.seen(chat.id);
    expect(seen.map(({ buttons }) => buttons.length)).toEqual([0, 2]);
    expect(seen[1]?.id).toBe(messageId);
    expect(standIn.ids(chat.id)).toHaveLength(3);
  });

  it("cannot be drawn anew: a message after them says how it ended, and none while it has not", async () => {
    const standIn = await platform(false);
    const [channel] = await started(standIn);
    const chat = { kind: "group", id: standIn.chats.team } as const;
    const { messageId } = await channel.deliver(chat, questionFace(), "delivery-0000001");
    await channel.redraw({ chat, messageId }, { ...questionFace(), closing: [shown`1 / 2`] });
    expect(standIn.seen(chat.id)).toHaveLength(1);
    await channel.redraw({ chat, messageId }, endedFace());
    expect(standIn.seen(chat.id).at(-1)?.text).toContain("已由 小安 同意");
  });
});
