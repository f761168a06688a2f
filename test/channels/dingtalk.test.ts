import { afterEach, describe, expect, it } from "vitest";
import type {
  Channel,
  ChannelEvents,
  Click,
  ClickAnswer,
  Message,
  RefusedCallback,
} from "../../src/channels/channel.js";
import { shown } from "../../src/core/text/shown.js";
import { describeChannel } from "./contract.js";
import { endedFace, HOSTILE, questionFace } from "./stand-ins/dingtalk/face.js";
import { wholeCards } from "./stand-ins/dingtalk/whole-cards.js";
import { type DingtalkStandIn, dingtalkStandIn } from "./stand-ins/dingtalk.js";

/** A host that writes down what it is told, and answers clicks as the test wants. */
class Host implements ChannelEvents {
  readonly clicks: Click[] = [];
  readonly messages: Message[] = [];
  readonly refusals: RefusedCallback[] = [];
  readonly lines: string[] = [];
  answer: (click: Click) => Promise<ClickAnswer> = async () => ({ kind: "success", text: "已同意", face: endedFace() });
  private readonly waiting: (() => void)[] = [];

  async clicked(click: Click): Promise<ClickAnswer> {
    this.clicks.push(click);
    return this.answer(click);
  }
  async said(message: Message): Promise<void> {
    this.messages.push(message);
  }
  async refused(why: RefusedCallback): Promise<void> {
    this.refusals.push(why);
    this.tell();
  }
  line(state: "up" | "down"): void {
    this.lines.push(state);
    this.tell();
  }
  /** Resolves once it was told what the condition asks for. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
  private tell(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function platform(template: boolean): Promise<DingtalkStandIn> {
  const standIn = await dingtalkStandIn({ template });
  closing.push(() => standIn.close());
  return standIn;
}

async function started(standIn: DingtalkStandIn, channel = standIn.channel()): Promise<[Channel, Host]> {
  const host = new Host();
  await channel.start(host);
  closing.push(() => channel.close());
  return [channel, host];
}

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
    const { messageId } = await channel.deliver(
      { kind: "group", id: standIn.chats.team },
      questionFace(),
      "delivery-0000001",
    );
    // Without a template the buttons are a message of their own, and may be quoted as well.
    for (const id of standIn.ids(standIn.chats.team)) {
      await standIn.say(standIn.people.ann, standIn.chats.team, "确认", { replyTo: id });
    }
    expect(host.messages.map(({ replyTo }) => replyTo)).toEqual(template ? [messageId] : [messageId, messageId]);
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
    await host.until(() => host.refusals.length === 6);
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
    await host.until(() => host.lines.at(-1) === "down");
    await standIn.up();
    await host.until(() => host.lines.at(-1) === "up");
    expect(host.lines).toEqual(["up", "down", "up"]);
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
    expect(host.lines).toEqual(["up", "down", "up"]);
  });

  it("says nothing more once it is closed", async () => {
    const standIn = await platform(template);
    const [channel, host] = await started(standIn);
    await channel.close();
    await standIn.say(standIn.people.ann, standIn.chats.ann, "确认");
    expect(host.messages).toEqual([]);
    expect(standIn.gateway.connections).toBe(0);
    expect(host.lines).toEqual(["up"]);
  });
});

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

describe("starting the DingTalk channel", () => {
  it.each([
    ["clientId", ""],
    ["clientSecret", " "],
    ["clientSecret", "secret\n"],
    ["corpId", ""],
    ["robotCode", ""],
    ["templateId", "\t"],
    ["baseUrl", "http://api.dingtalk.com"],
    ["baseUrl", "http://127.0.0.1.evil.example"],
  ])("refuses %s %j (attack E1)", async (name, value) => {
    const standIn = await platform(true);
    expect(() => standIn.channel({ [name]: value })).toThrow(name);
  });

  it("says what to check when DingTalk refuses the app, and never the secret", async () => {
    const standIn = await platform(true);
    const channel = standIn.channel({ clientSecret: "a-wrong-secret" });
    const failed = channel.start(new Host());
    await expect(failed).rejects.toMatchObject({ code: "invalid_request" });
    await expect(failed).rejects.toThrow(/client secret/);
    await expect(failed).rejects.not.toThrow(/a-wrong-secret/);
  });

  it("says that nobody is there when nobody is, which may pass by itself", async () => {
    const standIn = await platform(true);
    await standIn.down();
    await expect(standIn.channel().start(new Host())).rejects.toMatchObject({ name: "ChannelError", reason: "down" });
    await standIn.up();
  });

  it("happens once at a time, and again after it was closed", async () => {
    const standIn = await platform(true);
    const [channel, host] = await started(standIn);
    await expect(channel.start(new Host())).rejects.toMatchObject({ code: "invalid_request" });
    await channel.close();
    await channel.start(host);
    expect(host.lines).toEqual(["up", "up"]);
    await channel.close();
  });

  it("can be called off while it happens", async () => {
    const standIn = await platform(true);
    const channel = standIn.channel();
    const starting = channel.start(new Host()).catch(() => undefined);
    await channel.close();
    await starting;
    expect(standIn.gateway.connections).toBe(0);
  });
});

describeChannel("DingTalk with a template, on the stand-in", () => dingtalkStandIn({ template: true }));
describeChannel(
  "DingTalk without a template, on the stand-in",
  async () => wholeCards(await dingtalkStandIn({ template: false })),
  { redraws: false, buttons: false },
);
