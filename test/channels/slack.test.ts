import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelError } from "../../src/channels/channel.js";
import { slackChannel } from "../../src/channels/slack/channel.js";
import { describeChannel } from "./contract.js";
import { RecordedEvents } from "./events.js";
import { APPROVE, asShown, endedFace, hostileFace, sampleFace } from "./sample-face.js";
import { SlackStandIn } from "./stand-ins/slack.js";

let slack: SlackStandIn;
let events: RecordedEvents;
beforeEach(async () => {
  slack = await SlackStandIn.open();
  events = new RecordedEvents();
});
afterEach(async () => {
  await slack.close();
  if (slack.faults.length > 0) throw new Error(`Slack complains: ${slack.faults.join("; ")}`);
});

describeChannel("slack", () => SlackStandIn.open());

const inTeam = () => ({ kind: "group", id: slack.chats.team }) as const;
const withAnn = () => ({ kind: "private", id: slack.chats.ann }) as const;

async function started(options: Parameters<SlackStandIn["channel"]>[0] = {}, host = events) {
  const channel = slack.channel(options);
  await channel.start(host);
  return channel;
}

const reasonOf = (sending: Promise<unknown>) =>
  sending.then(
    () => "sent",
    (error: ChannelError) => error.reason,
  );

describe("a Slack channel over the stand-in", () => {
  it("delivers a card with its buttons and link, and nothing that it did not author", async () => {
    const channel = await started();
    const { messageId, at, sequence } = await channel.deliver(inTeam(), sampleFace(), "d1");
    expect(slack.seen(slack.chats.team)).toMatchObject([
      {
        id: messageId,
        buttons: ["Approve", "Deny"],
        links: ["https://countersign.example/approvals/a1"],
        markup: [],
      },
    ]);
    expect([at, sequence]).toEqual([Math.floor(Number(messageId) * 1000), Math.round(Number(messageId) * 1_000_000)]);
  });

  it("brings a click back with who, where and what, and draws the end in place", async () => {
    const channel = await started();
    events.answer = async () => ({ kind: "success", text: "Approved", face: endedFace() });
    const { messageId } = await channel.deliver(inTeam(), sampleFace(), "d1");
    expect(await slack.click(slack.people.ann, messageId, "Approve")).toBeUndefined();
    expect(events.clicks).toEqual([
      {
        eventId: expect.any(String) as string,
        account: { channel: "slack", tenant: slack.tenant, id: slack.people.ann },
        messageId,
        chatId: slack.chats.team,
        value: APPROVE,
      },
    ]);
    expect(slack.seen(slack.chats.team)).toMatchObject([{ id: messageId, buttons: [], links: [] }]);
    expect(slack.seen(slack.chats.team)[0]?.text).toContain("Approved by Ann.");
  });

  it("tells the one who pressed what the card does not say, and nobody else", async () => {
    const channel = await started();
    events.answer = async () => ({ kind: "error", text: "This is for other people <!channel>." });
    const { messageId } = await channel.deliver(inTeam(), sampleFace(), "d1");
    expect(await slack.click(slack.people.eve, messageId, "Approve")).toBe("This is for other people <!channel>.");
    expect(slack.seen(slack.chats.team)).toHaveLength(1);
  });

  it("gives a click that is delivered again one event id, and the next press another (attack E4)", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    await slack.click(slack.people.ann, messageId, "Approve", { times: 3 });
    expect(events.clicks).toHaveLength(3);
    expect(new Set(events.clicks.map(({ eventId }) => eventId)).size).toBe(1);
    await slack.click(slack.people.ann, messageId, "Approve");
    expect(new Set(events.clicks.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it("reports the message and chat that the platform names, whatever the button claims (attack E7)", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    const elsewhere = { chatId: slack.chats.team, messageId: "1700000000.000001" };
    await slack.click(slack.people.eve, messageId, "Approve", elsewhere);
    expect(events.clicks[0]).toMatchObject({ ...elsewhere, value: APPROVE });
  });

  it("takes the opening of the full view for no answer", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    await slack.click(slack.people.ann, messageId, "Open full view");
    expect(events.clicks).toEqual([]);
  });

  it("hears what is said to it, in which chat, by whom and to what", async () => {
    await started();
    await slack.say(slack.people.ann, slack.chats.ann, "approve <b> & co");
    await slack.say(slack.people.bob, slack.chats.team, "approve 27", { replyTo: "1700000000.000001" });
    const [direct, ...group] = events.messages;
    expect(direct).toMatchObject({
      text: "approve <b> & co",
      chat: { kind: "private", id: slack.chats.ann },
      account: { tenant: slack.tenant, id: slack.people.ann },
    });
    expect(group).toMatchObject([
      { text: "approve 27", chat: { kind: "group", id: slack.chats.team }, replyTo: "1700000000.000001" },
      { text: "approve 27" },
    ]);
    expect(new Set(group.map(({ eventId }) => eventId)).size).toBe(1);
  });

  it("tells machines, shared words and edits apart from what a person says now (attacks E10, E11)", async () => {
    await started();
    await slack.say(slack.people.ann, slack.chats.ann, "approve", { machine: true });
    await slack.say(slack.people.ann, slack.chats.ann, "approve", { forwarded: true });
    await slack.say(slack.people.ann, slack.chats.ann, "approve", { edited: true });
    expect(events.messages.map(({ from, secondHand }) => [from, secondHand])).toEqual([
      ["machine", false],
      ["person", true],
      ["person", true],
    ]);
  });

  it("answers inside the thread that it was asked in, and in the chat as well", async () => {
    const channel = await started();
    const root = await channel.deliver(inTeam(), sampleFace(), "d1");
    await slack.say(slack.people.bob, slack.chats.team, "which one?", { replyTo: root.messageId });
    await channel.say(inTeam(), "The one above.", events.messages[0]?.messageId);
    await channel.say(inTeam(), "A minute is left.", root.messageId);
    expect(slack.threads).toEqual([root.messageId, root.messageId]);
    expect(slack.seen(slack.chats.team).map(({ text }) => text.trim())).toContain("The one above.");
  });

  it("notes what comes from a workspace that it is not installed in, and what it cannot read", async () => {
    await started();
    await slack.push({ type: "message" }, 1, { team_id: "T0OTHER" });
    await slack.push({ type: "message", text: "approve" });
    expect(events.refusals).toEqual(["foreign_app", "malformed"]);
    expect(events.messages).toEqual([]);
  });

  it("says that a removed chat and an unknown message are gone", async () => {
    const channel = await started();
    const unknown = { chat: withAnn(), messageId: "1700000000.000001" };
    expect(await reasonOf(channel.redraw(unknown, endedFace()))).toBe("gone");
    slack.remove(slack.chats.ann);
    expect(await reasonOf(channel.deliver(withAnn(), sampleFace(), "d1"))).toBe("gone");
  });

  it("draws hostile values as they are, in cards and in words (attack A7)", async () => {
    const channel = await started();
    await channel.deliver(inTeam(), hostileFace(), "d1");
    await channel.say(inTeam(), "See <https://evil.example|this> <!channel> *now*");
    expect(slack.seen(slack.chats.team).map(({ markup }) => markup)).toEqual([[], []]);
  });

  it("says long words in several messages and refuses a card that is too large", async () => {
    const channel = await started();
    await channel.say(withAnn(), "word ".repeat(1_000));
    expect(slack.seen(slack.chats.ann)).toHaveLength(2);
    const large = sampleFace({ sections: [{ title: asShown("Arguments"), lines: [asShown("x".repeat(20_000))] }] });
    expect(channel.fits(large)).toBe(false);
    expect(await reasonOf(channel.deliver(withAnn(), large, "d1"))).toBe("refused");
    expect(slack.seen(slack.chats.ann)).toHaveLength(2);
  });

  it("acknowledges in time while its host is busy", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    events.said = () => new Promise(() => undefined);
    await slack.say(slack.people.ann, slack.chats.ann, "write me a poem");
    await slack.click(slack.people.ann, messageId, "Approve");
    expect(events.clicks).toHaveLength(1);
  });
});

describe("when Slack is busy or gone", () => {
  it("says how long to wait, and that nobody answers, without trying by itself", async () => {
    const channel = await started();
    slack.fail("busy", 1);
    const busy = { reason: "busy", retryAfter: 1_000 };
    await expect(channel.deliver(withAnn(), sampleFace(), "d1")).rejects.toMatchObject(busy);
    slack.fail("down", 1);
    expect(await reasonOf(channel.deliver(withAnn(), sampleFace(), "d1"))).toBe("down");
    await slack.down();
    expect(await reasonOf(channel.deliver(withAnn(), sampleFace(), "d1"))).toBe("down");
    expect(slack.seen(slack.chats.ann)).toEqual([]);
  });

  it("comes back by itself, although Slack stays down for a while, and hears what was said meanwhile", async () => {
    await started();
    await slack.down();
    await events.lineIs("down");
    // The first try finds nobody, the next Slack that is not ready yet.
    await events.linesAre(3);
    slack.fail("down", 1);
    await slack.up();
    await slack.say(slack.people.ann, slack.chats.ann, "approve");
    expect(events.messages).toMatchObject([{ text: "approve" }]);
    expect(events.lines.at(-1)?.state).toBe("up");
  });

  it("connects anew when Slack asks it to", async () => {
    await started();
    slack.refresh();
    await events.lineIs("up", 1);
    await slack.say(slack.people.ann, slack.chats.ann, "approve");
    expect(events.messages).toHaveLength(1);
  });

  it("gets a click again whose connection broke before it was acknowledged", async () => {
    const channel = await started();
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    events.answer = async () => {
      if (events.clicks.length === 1) {
        await slack.down();
        await slack.up();
      }
      return { kind: "info", text: "Approved" };
    };
    expect(await slack.click(slack.people.ann, messageId, "Approve")).toBe("Approved");
    expect(events.clicks).toHaveLength(2);
    expect(events.clicks[0]).toEqual(events.clicks[1]);
  });

  it("cannot start while nobody answers, and can later", async () => {
    const channel = slack.channel();
    await slack.down();
    expect(await reasonOf(channel.start(events))).toBe("down");
    await slack.up();
    await channel.start(events);
    await slack.say(slack.people.ann, slack.chats.ann, "approve");
    expect(events.messages).toHaveLength(1);
  });

  it("shares what comes with another instance: each event reaches one of them", async () => {
    const other = new RecordedEvents();
    await started();
    await started({}, other);
    for (const text of ["one", "two", "three", "four"]) await slack.say(slack.people.ann, slack.chats.ann, text);
    expect([events.messages.length, other.messages.length]).toEqual([2, 2]);
  });
});

describe("a Slack channel by HTTP", () => {
  it("hears signed requests, and answers clicks", async () => {
    const channel = slack.channel({ mode: "webhook" });
    const early = await channel.webhook?.({ headers: {}, body: Buffer.from("{}") });
    expect(early?.status).toBe(503);
    await channel.start(events);
    slack.callBy(channel);
    const { messageId } = await channel.deliver(withAnn(), sampleFace(), "d1");
    expect(await slack.click(slack.people.ann, messageId, "Approve")).toBe("Approved");
    await slack.say(slack.people.ann, slack.chats.ann, "approve", { times: 2 });
    expect(events.messages).toHaveLength(2);
    expect(new Set(events.messages.map(({ eventId }) => eventId)).size).toBe(1);
    expect(events.refusals).toEqual([]);
  });

  it("refuses what nobody signed, and notes it once", async () => {
    const channel = await started({ mode: "webhook" });
    const answer = await channel.webhook?.({ headers: {}, body: Buffer.from('{"type":"event_callback"}') });
    expect(answer).toEqual({ status: 401, body: "" });
    expect(events.refusals).toEqual(["signature"]);
  });
});

describe("a Slack channel without what it needs", () => {
  const botToken = "xoxb-1-stand-in";

  it.each([
    ["no bot token", { botToken: "", appToken: "xapp-1" }],
    ["a blank bot token", { botToken: "  ", appToken: "xapp-1" }],
    ["a person's token", { botToken: "xoxp-1", appToken: "xapp-1" }],
    ["no app token", { botToken }],
    ["a blank app token", { botToken, appToken: " " }],
    ["a webhook and no signing secret", { botToken, mode: "webhook", appToken: "xapp-1" }],
    ["a webhook and a blank signing secret", { botToken, mode: "webhook", signingSecret: "" }],
    ["a webhook and a signing secret of spaces", { botToken, mode: "webhook", signingSecret: " ".repeat(32) }],
  ] as const)("does not start with %s (attack E1)", async (_, options) => {
    const channel = slackChannel(options);
    await expect(channel.start(events)).rejects.toMatchObject({ code: "invalid_request" });
    if (channel.webhook !== undefined) {
      expect((await channel.webhook({ headers: {}, body: Buffer.from("{}") })).status).toBe(503);
    }
  });

  it("says which token Slack does not take", async () => {
    await expect(slack.channel({ botToken: "xoxb-other" }).start(events)).rejects.toMatchObject({
      code: "invalid_request",
      details: { path: "slack.botToken" },
    });
    await expect(slack.channel({ appToken: "xapp-other" }).start(events)).rejects.toMatchObject({
      code: "invalid_request",
      details: { path: "slack.appToken" },
    });
  });
});
