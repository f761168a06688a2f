import { describe, expect, it } from "vitest";
import type { ClickAnswer } from "../../../src/channels/channel.js";
import { endedFace, questionFace } from "../stand-ins/dingtalk/face.js";
import { platform, started } from "./platform.js";

describe("cards of a template on DingTalk's stand-in", () => {
  it("tell who pressed which button of which card, and show that person what came of it", async () => {
    const standIn = await platform(true);
    const [channel, host] = await started(standIn);
    const chat = { kind: "group", id: standIn.chats.team } as const;
    const { messageId } = await channel.deliver(chat, questionFace(), "delivery-0000001");
    expect(await standIn.click(standIn.people.ann, messageId, "同意")).toBe("已同意");
    expect(host.clicks).toEqual([
      {
        eventId: expect.any(String),
        account: { channel: "dingtalk", tenant: standIn.tenant, id: standIn.people.ann },
        messageId: "delivery-0000001",
        value: "0a1b2c3d4e5f6a7b.a",
      },
    ]);
    // The answer to a press reaches whoever pressed; everybody else still sees the question.
    expect(standIn.seen(chat.id)[0]?.buttons).toEqual(["同意", "拒绝"]);
    expect(standIn.faults).toEqual([]);
  });

  it("are not drawn anew before the press that ended them is answered", async () => {
    const standIn = await platform(true);
    const [channel, host] = await started(standIn);
    const chat = { kind: "group", id: standIn.chats.team } as const;
    const { messageId } = await channel.deliver(chat, questionFace(), "delivery-0000001");
    let redrawn: Promise<void> | undefined;
    host.answer = async () => {
      redrawn = channel.redraw({ chat, messageId }, endedFace());
      return { kind: "success", text: "已同意", face: endedFace() };
    };
    await Promise.all([
      standIn.click(standIn.people.ann, messageId, "同意"),
      standIn.click(standIn.people.bob, messageId, "同意"),
    ]);
    await redrawn;
    const [card] = standIn.seen(chat.id);
    expect(card?.buttons).toEqual([]);
    expect(card?.text).toContain("已由 小安 同意");
    expect(standIn.faults).toEqual([]);
  });

  it("give every redelivery of a click the same name (attack E4)", async () => {
    const standIn = await platform(true);
    const [channel, host] = await started(standIn);
    host.answer = async () => ({ kind: "info", text: "好" });
    const { messageId } = await channel.deliver(
      { kind: "group", id: standIn.chats.team },
      questionFace(),
      "delivery-0000001",
    );
    await standIn.click(standIn.people.ann, messageId, "同意", { times: 3 });
    expect(host.clicks).toHaveLength(3);
    expect(new Set(host.clicks.map(({ eventId }) => eventId)).size).toBe(1);
    expect(standIn.faults).toEqual([]);
  });

  it("say what was pressed, not what it means: another card's value comes through as it is (attack E7)", async () => {
    const standIn = await platform(true);
    const [channel, host] = await started(standIn);
    host.answer = async () => ({ kind: "error", text: "没有这个问题" });
    const { messageId } = await channel.deliver(
      { kind: "group", id: standIn.chats.team },
      questionFace(),
      "delivery-0000001",
    );
    const notice = await standIn.click(standIn.people.eve, messageId, "同意", { value: "ffff.a", messageId: "other" });
    expect(notice).toBe("没有这个问题");
    expect(host.clicks[0]).toMatchObject({ messageId: "other", value: "ffff.a", account: { id: standIn.people.eve } });
    expect(standIn.seen(standIn.chats.team)[0]?.buttons).toEqual(["同意", "拒绝"]);
  });

  it("are acknowledged in time even when the host is late, and change nothing then", async () => {
    const standIn = await platform(true);
    const deadlines: (() => void)[] = [];
    const clock = {
      now: () => Date.now(),
      timer(_: number, run: () => void) {
        deadlines.push(run);
        return () => undefined;
      },
    };
    const [channel, host] = await started(standIn, standIn.channel({ clock }));
    const { messageId } = await channel.deliver({ kind: "private", id: standIn.chats.ann }, questionFace(), "d-late");
    let decide: (answer: ClickAnswer) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      host.answer = () => {
        resolve();
        return new Promise((late) => {
          decide = late;
        });
      };
    });
    const pressed = standIn.click(standIn.people.ann, messageId, "同意");
    await asked;
    for (const run of deadlines) run();
    expect(await pressed).toBeUndefined();
    decide({ kind: "success", text: "已同意", face: endedFace() });
    await channel.redraw({ chat: { kind: "private", id: standIn.chats.ann }, messageId }, endedFace());
    expect(standIn.seen(standIn.chats.ann)[0]?.buttons).toEqual([]);
    expect(standIn.faults).toEqual([]);
  });

  it("are shown once, however often they are sent", async () => {
    const standIn = await platform(true);
    const [channel] = await started(standIn);
    const chat = { kind: "private", id: standIn.chats.ann } as const;
    standIn.loseNextAnswer();
    await expect(channel.deliver(chat, questionFace(), "delivery-0000001")).rejects.toMatchObject({ reason: "down" });
    const { messageId, at } = await channel.deliver(chat, questionFace(), "delivery-0000001");
    expect(messageId).toBe("delivery-0000001");
    expect(at).toBeGreaterThan(0);
    expect(standIn.seen(chat.id)).toHaveLength(1);
  });

  it("are drawn anew in their place, and gone when DingTalk has them no more", async () => {
    const standIn = await platform(true);
    const [channel] = await started(standIn);
    const chat = { kind: "group", id: standIn.chats.team } as const;
    const { messageId } = await channel.deliver(chat, questionFace(["a", "b", "c"]), "delivery-0000001");
    await channel.redraw({ chat, messageId }, endedFace());
    const [card, ...more] = standIn.seen(chat.id);
    expect(more).toEqual([]);
    expect(card).toMatchObject({ buttons: [], links: [] });
    await expect(channel.redraw({ chat, messageId: "none" }, endedFace())).rejects.toMatchObject({ reason: "gone" });
    await expect(channel.deliver({ ...chat, id: `${chat.id};IM_ROBOT.x` }, questionFace(), "d2")).rejects.toMatchObject(
      {
        reason: "refused",
      },
    );
    expect(standIn.faults).toEqual([]);
  });
});
