import { describe, expect, it } from "vitest";
import { telegramChannel } from "../../src/channels/telegram/channel.js";
import { bare, reasonOf } from "./bare.js";
import { describeBareChannel } from "./bare-contract.js";
import { describeChannel } from "./contract.js";
import { RecordedEvents } from "./events.js";
import { sampleFace } from "./sample-face.js";
import { TelegramStandIn } from "./stand-ins/telegram.js";

describeChannel("telegram", () => TelegramStandIn.open());
describeBareChannel("telegram", () => TelegramStandIn.open(), { notice: "Approved", otherMessage: "31" });

describe("a Telegram channel over the stand-in", () => {
  it("cuts a notice to what Telegram shows", async () => {
    const { platform: telegram, events, started, ann } = await bare(TelegramStandIn.open());
    const channel = await started();
    events.answer = async () => ({ kind: "error", text: "审".repeat(400) });
    const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
    expect(await telegram.click(telegram.people.ann, messageId, "Deny")).toBe(`${"审".repeat(199)}…`);
  });

  it("hears what is said to it, in which chat, by whom and to what", async () => {
    const { platform: telegram, events, started, ann, team } = await bare(TelegramStandIn.open());
    await started();
    await telegram.say(telegram.people.ann, ann.id, "approve");
    await telegram.say(telegram.people.bob, team.id, "approve 27");
    await telegram.say(telegram.people.bob, team.id, "确认", { replyTo: "100" });
    expect(events.messages).toMatchObject([
      { text: "approve", chat: { kind: "private", id: ann.id }, account: { id: telegram.people.ann } },
      { text: "approve 27", chat: { kind: "group", id: team.id }, account: { id: telegram.people.bob } },
      { text: "确认", replyTo: "100" },
    ]);
    expect(events.messages.every(({ from, secondHand }) => from === "person" && !secondHand)).toBe(true);
  });

  it("orders what was said before the card by its number, even within one second", async () => {
    const { platform: telegram, events, started, ann } = await bare(TelegramStandIn.open());
    const channel = await started();
    const { messageId, sequence = 0 } = await channel.deliver(ann, sampleFace(), "d1");
    expect(String(sequence)).toBe(messageId);
    await telegram.say(telegram.people.ann, ann.id, "approve", { shift: -60_000 });
    await telegram.say(telegram.people.ann, ann.id, "approve");
    const [before, after] = events.messages.map((message) => message.sequence ?? 0);
    expect(before).toBeLessThan(sequence);
    expect(after).toBeGreaterThan(sequence);
  });

  it("redraws to the same content without a complaint, and says that a chat was never there", async () => {
    const { started, ann } = await bare(TelegramStandIn.open());
    const channel = await started();
    const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
    await channel.redraw({ chat: ann, messageId }, sampleFace());
    expect(await reasonOf(channel.deliver({ kind: "private", id: "77" }, sampleFace(), "d3"))).toBe("gone");
    expect(await reasonOf(channel.deliver({ kind: "group", id: "@public_name" }, sampleFace(), "d4"))).toBe("refused");
  });
});

describe("when Telegram is busy or gone", () => {
  it("comes back by itself and hears what was said meanwhile", async () => {
    const { platform: telegram, events, started, ann } = await bare(TelegramStandIn.open());
    await started();
    await telegram.down();
    await events.lineIs("down");
    const said = telegram.say(telegram.people.ann, ann.id, "approve");
    await telegram.up();
    await said;
    expect(events.lines.map(({ state }) => state)).toEqual(["up", "down", "up"]);
    expect(events.messages).toMatchObject([{ text: "approve" }]);
  });

  it("leaves the line to an instance that asks later, says why, and takes it back when that one ends", async () => {
    const { platform: telegram, events, started, ann } = await bare(TelegramStandIn.open());
    const first = await started({ standBy: 50 });
    const other = new RecordedEvents();
    const second = await started({ standBy: 60_000 }, other);
    await events.lineIs("down");
    expect(events.lines.at(-1)?.why).toContain("one reader per token");
    // The first asks again, so now the second stands by; each can still send.
    await events.lineIs("up", 1);
    await first.deliver(ann, sampleFace(), "d1");
    await second.deliver(ann, sampleFace(), "d2");
    await second.close();
    await telegram.say(telegram.people.ann, ann.id, "approve");
    expect([...events.messages, ...other.messages]).toHaveLength(1);
  });
});

describe("a Telegram channel by webhook", () => {
  const webhook = { url: "https://countersign.example/telegram", secret: "0123456789abcdef0123456789abcdef" };

  it("tells Telegram where to call and with which secret, and hears what comes there", async () => {
    const { platform: telegram, events, ann } = await bare(TelegramStandIn.open());
    const channel = telegram.channel({ webhook });
    const early = await channel.webhook?.({ headers: {}, body: Buffer.from("{}") });
    expect(early?.status).toBe(503);
    await channel.start(events);
    expect(telegram.webhook).toEqual(webhook);
    telegram.callBy(channel);
    const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
    expect(await telegram.click(telegram.people.ann, messageId, "Approve")).toBe("Approved");
    await telegram.say(telegram.people.ann, ann.id, "approve");
    expect(events.messages).toHaveLength(1);
  });

  it("notes an update that it cannot read", async () => {
    const { platform: telegram, events, started } = await bare(TelegramStandIn.open());
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
      const channel = telegramChannel({ token: bad });
      await expect(channel.start(new RecordedEvents())).rejects.toMatchObject({ code: "invalid_request" });
    },
  );

  it.each(["", "   ", "short", "has spaces in its thirty-two letters", "x".repeat(257)])(
    "does not start a webhook with the secret %j (attack E1)",
    async (secret) => {
      const channel = telegramChannel({ token, webhook: { url: "https://countersign.example/t", secret } });
      await expect(channel.start(new RecordedEvents())).rejects.toMatchObject({ code: "invalid_request" });
      const request = { headers: { "x-telegram-bot-api-secret-token": secret }, body: Buffer.from("{}") };
      expect((await channel.webhook?.(request))?.status).toBe(503);
    },
  );

  it("says so when Telegram does not know the token", async () => {
    const { platform: telegram, events } = await bare(TelegramStandIn.open());
    await expect(telegram.channel({ token: "1:unknown" }).start(events)).rejects.toThrow(/BotFather/);
  });
});
