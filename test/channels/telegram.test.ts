import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelError } from "../../src/channels/channel.js";
import { telegramChannel } from "../../src/channels/telegram/channel.js";
import { describeChannel } from "./contract.js";
import { RecordedEvents } from "./events.js";
import { APPROVE, asShown, endedFace, hostileFace, sampleFace } from "./sample-face.js";
import { TelegramStandIn } from "./stand-ins/telegram.js";

let telegram: TelegramStandIn;
let events: RecordedEvents;
beforeEach(async () => {
  telegram = await TelegramStandIn.open();
  events = new RecordedEvents();
});
afterEach(async () => {
  await telegram.close();
  if (telegram.faults.length > 0) throw new Error(`Telegram complains: ${telegram.faults.join("; ")}`);
});

describeChannel("telegram", () => TelegramStandIn.open());

const inTeam = () => ({ kind: "group", id: telegram.chats.team }) as const;
const withAnn = () => ({ kind: "private", id: telegram.chats.ann }) as const;

async function started(options: Parameters<TelegramStandIn["channel"]>[0] = {}, host = events) {
  const channel = telegram.channel(options);
  await channel.start(host);
  return channel;
}

const reasonOf = (sending: Promise<unknown>) =>
  sending.then(
    () => "sent",
    (error: ChannelError) => error.reason,
  );

describe("a Telegram channel over the stand-in", () => {
  it("delivers a card with its buttons and link, and nothing that it did not author", async () => {
    const channel = await started();
    const { messageId, sequence } = await channel.deliver(inTeam(), sampleFace(), "d1");
    const [seen] = telegram.seen(telegram.chats.team);
    expect(seen).toMatchObject({
      id: messageId,
      buttons: ["Approve", "Deny"],
      links: ["https://countersign.example/approvals/a1"],
      markup: [],
    });
    expect(seen?.text).toContain('body: "See https://example.com/report"');
    expect(String(sequence)).toBe(messageId);
  });

  it("brings a click back with who, where and what, shows the notice and draws the end in place", async () => {
    const channel = await started();
    events.answer = async () => ({ kind: "success", text: "Approved", face: endedFace() });
    const { messageId } = await channel.deliver(inTeam(), sampleFace(), "d1");
    expect(await telegram.click(telegram.people.ann, messageId, "Approve")).toBe("Approved");
    expect(events.clicks).toEqual([
      {
        eventId: expect.any(String) as string,
        account: { channel: "telegram", tenant: "", id: telegram.people.ann },
        messageId,
        chatId: telegram.chats.team,
        value: APPROVE,
      },
    ]);
    expect(telegram.seen(telegram.chats.team)).toMatchObject([{ id: messageId, buttons: [], links: [] }]);
    expect(telegram.seen(telegram.chats.team)[0]?.text).toContain("Approved by Ann.");
  });

  it("gives a click that is delivered twice one event id, so that it counts once (attack E4)", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    await telegram.click(telegram.people.ann, messageId, "Approve", { times: 3 });
    expect(events.clicks).toHaveLength(3);
    expect(new Set(events.clicks.map(({ eventId }) => eventId)).size).toBe(1);
    await telegram.click(telegram.people.ann, messageId, "Approve");
    expect(new Set(events.clicks.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it("reports the message and chat that the platform names, whatever the button claims (attack E7)", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    await telegram.click(telegram.people.eve, messageId, "Approve", { chatId: telegram.chats.team, messageId: "4" });
    expect(events.clicks[0]).toMatchObject({ messageId: "4", chatId: telegram.chats.team, value: APPROVE });
  });

  it("cuts a notice to what Telegram shows", async () => {
    const channel = await started();
    events.answer = async () => ({ kind: "error", text: "审".repeat(400) });
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    expect(await telegram.click(telegram.people.ann, messageId, "Deny")).toBe(`${"审".repeat(199)}…`);
  });

  it("hears what is said to it, in which chat, by whom and to what", async () => {
    await started();
    await telegram.say(telegram.people.ann, telegram.chats.ann, "approve");
    await telegram.say(telegram.people.bob, telegram.chats.team, "approve 27");
    await telegram.say(telegram.people.bob, telegram.chats.team, "确认", { replyTo: "100" });
    expect(events.messages).toMatchObject([
      { text: "approve", chat: { kind: "private", id: telegram.chats.ann }, account: { id: telegram.people.ann } },
      { text: "approve 27", chat: { kind: "group", id: telegram.chats.team }, account: { id: telegram.people.bob } },
      { text: "确认", replyTo: "100" },
    ]);
    expect(events.messages.every(({ from, secondHand }) => from === "person" && !secondHand)).toBe(true);
  });

  it("tells machines, forwards and edits apart from what a person says now (attacks E10, E11)", async () => {
    await started();
    await telegram.say(telegram.people.eve, telegram.chats.team, "approve", { machine: true });
    await telegram.say(telegram.people.ann, telegram.chats.ann, "approve", { forwarded: true });
    await telegram.say(telegram.people.ann, telegram.chats.ann, "approve", { edited: true });
    expect(events.messages.map(({ from, secondHand }) => [from, secondHand])).toEqual([
      ["machine", false],
      ["person", true],
      ["person", true],
    ]);
  });

  it("hears a click while its host is busy with what was said before", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    events.said = () => new Promise(() => undefined);
    await telegram.say(telegram.people.ann, telegram.chats.ann, "write me a poem");
    expect(await telegram.click(telegram.people.ann, messageId, "Approve")).toBe("Approved");
  });

  it("orders what was said before the card by its number, even within one second", async () => {
    const channel = await started();
    const { sequence = 0 } = await channel.deliver(withAnn(), sampleFace(), "d1");
    await telegram.say(telegram.people.ann, telegram.chats.ann, "approve", { shift: -60_000 });
    await telegram.say(telegram.people.ann, telegram.chats.ann, "approve");
    const [before, after] = events.messages.map((message) => message.sequence ?? 0);
    expect(before).toBeLessThan(sequence);
    expect(after).toBeGreaterThan(sequence);
  });

  it("redraws to the same content without a complaint, and says that a removed chat is gone", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    await channel.redraw({ chat: withAnn(), messageId }, sampleFace());
    expect(await reasonOf(channel.redraw({ chat: withAnn(), messageId: "31" }, endedFace()))).toBe("gone");
    telegram.remove(telegram.chats.ann);
    expect(await reasonOf(channel.deliver(withAnn(), sampleFace(), "d2"))).toBe("gone");
    expect(await reasonOf(channel.deliver({ kind: "private", id: "77" }, sampleFace(), "d3"))).toBe("gone");
    expect(await reasonOf(channel.deliver({ kind: "group", id: "@public_name" }, sampleFace(), "d4"))).toBe("refused");
  });

  it("draws hostile values as they are, in cards and in words (attack A7)", async () => {
    const channel = await started();
    await channel.deliver(inTeam(), hostileFace(), "d1");
    await channel.say(inTeam(), "See https://evil.example and ask @ann_the_owner /now", "100");
    expect(telegram.seen(telegram.chats.team).map(({ markup }) => markup)).toEqual([[], []]);
  });

  it("says long words in several messages and refuses a card that is too large", async () => {
    const channel = await started();
    await channel.say(withAnn(), "word ".repeat(1_500));
    expect(telegram.seen(telegram.chats.ann)).toHaveLength(2);
    const large = sampleFace({ sections: [{ title: asShown("Arguments"), lines: [asShown("x".repeat(5_000))] }] });
    expect(channel.fits(large)).toBe(false);
    expect(await reasonOf(channel.deliver(withAnn(), large, "d1"))).toBe("refused");
    expect(telegram.seen(telegram.chats.ann)).toHaveLength(2);
  });
});

describe("when Telegram is busy or gone", () => {
  it("says how long to wait, and that nobody answers", async () => {
    const channel = await started();
    telegram.fail("busy", 1);
    await expect(channel.deliver(withAnn(), sampleFace(), "d1")).rejects.toMatchObject({
      reason: "busy",
      retryAfter: 1_000,
    });
    telegram.fail("down", 1);
    expect(await reasonOf(channel.deliver(withAnn(), sampleFace(), "d1"))).toBe("down");
    await telegram.down();
    expect(await reasonOf(channel.deliver(withAnn(), sampleFace(), "d1"))).toBe("down");
    expect(telegram.seen(telegram.chats.ann)).toEqual([]);
  });

  it("comes back by itself and hears what was said meanwhile", async () => {
    await started();
    await telegram.down();
    await events.lineIs("down");
    const said = telegram.say(telegram.people.ann, telegram.chats.ann, "approve");
    await telegram.up();
    await said;
    expect(events.lines.map(({ state }) => state)).toEqual(["up", "down", "up"]);
    expect(events.messages).toMatchObject([{ text: "approve" }]);
  });

  it("cannot start while nobody answers, and can later", async () => {
    const channel = telegram.channel();
    await telegram.down();
    expect(await reasonOf(channel.start(events))).toBe("down");
    await telegram.up();
    await channel.start(events);
    await telegram.say(telegram.people.ann, telegram.chats.ann, "approve");
    expect(events.messages).toHaveLength(1);
  });

  it("leaves the line to an instance that asks later, says why, and takes it back when that one ends", async () => {
    const first = await started({ standBy: 50 });
    const other = new RecordedEvents();
    const second = await started({ standBy: 60_000 }, other);
    await events.lineIs("down");
    expect(events.lines.at(-1)?.why).toContain("one reader per token");
    // The first asks again, so now the second stands by; each can still send.
    await events.lineIs("up", 1);
    await first.deliver(withAnn(), sampleFace(), "d1");
    await second.deliver(withAnn(), sampleFace(), "d2");
    await second.close();
    await telegram.say(telegram.people.ann, telegram.chats.ann, "approve");
    expect([...events.messages, ...other.messages]).toHaveLength(1);
  });
});

describe("a Telegram channel by webhook", () => {
  const webhook = { url: "https://countersign.example/telegram", secret: "0123456789abcdef0123456789abcdef" };

  it("tells Telegram where to call and with which secret, and hears what comes there", async () => {
    const channel = telegram.channel({ webhook });
    const early = await channel.webhook?.({ headers: {}, body: Buffer.from("{}") });
    expect(early?.status).toBe(503);
    await channel.start(events);
    expect(telegram.webhook).toEqual(webhook);
    telegram.callBy(channel);
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    expect(await telegram.click(telegram.people.ann, messageId, "Approve")).toBe("Approved");
    await telegram.say(telegram.people.ann, telegram.chats.ann, "approve");
    expect(events.messages).toHaveLength(1);
  });

  it("notes an update that it cannot read", async () => {
    const channel = await started({ webhook });
    telegram.callBy(channel);
    await telegram.push({ message: { text: "approve" } });
    expect(events.refusals).toEqual(["malformed"]);
    expect(events.messages).toEqual([]);
  });
});

describe("a Telegram channel without what it needs", () => {
  const token = "100200300:AAStandInOfTheBotApi_for-tests";

  it.each(["", " ", "\t\n", "100200300", "token", `${token} `])(
    "does not start with the token %j (attack E1)",
    async (bad) => {
      await expect(telegramChannel({ token: bad }).start(events)).rejects.toMatchObject({ code: "invalid_request" });
    },
  );

  it.each(["", "   ", "short", "has spaces in its thirty-two letters", "x".repeat(257)])(
    "does not start a webhook with the secret %j (attack E1)",
    async (secret) => {
      const channel = telegramChannel({ token, webhook: { url: "https://countersign.example/t", secret } });
      await expect(channel.start(events)).rejects.toMatchObject({ code: "invalid_request" });
      const request = { headers: { "x-telegram-bot-api-secret-token": secret }, body: Buffer.from("{}") };
      expect((await channel.webhook?.(request))?.status).toBe(503);
    },
  );

  it("says so when Telegram does not know the token", async () => {
    await expect(telegram.channel({ token: "1:unknown" }).start(events)).rejects.toThrow(/BotFather/);
  });
});
