import { describe, expect, it } from "vitest";
import { slackChannel } from "../../src/channels/slack/channel.js";
import { bare } from "./bare.js";
import { describeBareChannel } from "./bare-contract.js";
import { describeChannel } from "./contract.js";
import { RecordedEvents } from "./events.js";
import { sampleFace } from "./sample-face.js";
import { SlackStandIn } from "./stand-ins/slack.js";

describeChannel("slack", () => SlackStandIn.open());
describeBareChannel("slack", () => SlackStandIn.open(), { notice: undefined, otherMessage: "1700000000.000001" });

describe("a Slack channel over the stand-in", () => {
  it("knows when and in which place a card was sent by its id", async () => {
    const { started, team } = await bare(SlackStandIn.open());
    const channel = await started();
    const { messageId, at, sequence } = await channel.deliver(team, sampleFace(), "d1");
    expect([at, sequence]).toEqual([Math.floor(Number(messageId) * 1000), Math.round(Number(messageId) * 1_000_000)]);
  });

  it("tells the one who pressed what the card does not say, and nobody else", async () => {
    const { platform: slack, events, started, team } = await bare(SlackStandIn.open());
    const channel = await started();
    events.answer = async () => ({ kind: "error", text: "This is for other people <!channel>." });
    const { messageId } = await channel.deliver(team, sampleFace(), "d1");
    expect(await slack.click(slack.people.eve, messageId, "Approve")).toBe("This is for other people <!channel>.");
    expect(slack.seen(team.id)).toHaveLength(1);
  });

  it("takes the opening of the full view for no answer", async () => {
    const { platform: slack, events, started, ann } = await bare(SlackStandIn.open());
    const channel = await started();
    const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
    await slack.click(slack.people.ann, messageId, "Open full view");
    expect(events.clicks).toEqual([]);
  });

  it("hears what is said to it, in which chat, by whom and to what", async () => {
    const { platform: slack, events, started, ann, team } = await bare(SlackStandIn.open());
    await started();
    await slack.say(slack.people.ann, ann.id, "approve <b> & co");
    await slack.say(slack.people.bob, team.id, "approve 27", { replyTo: "1700000000.000001" });
    const [direct, ...group] = events.messages;
    expect(direct).toMatchObject({
      text: "approve <b> & co",
      chat: { kind: "private", id: ann.id },
      account: { tenant: slack.tenant, id: slack.people.ann },
    });
    expect(group).toMatchObject([
      { text: "approve 27", chat: { kind: "group", id: team.id }, replyTo: "1700000000.000001" },
      { text: "approve 27" },
    ]);
    expect(new Set(group.map(({ eventId }) => eventId)).size).toBe(1);
  });

  it("answers inside the thread that it was asked in, and in the chat as well", async () => {
    const { platform: slack, events, started, team } = await bare(SlackStandIn.open());
    const channel = await started();
    const root = await channel.deliver(team, sampleFace(), "d1");
    await slack.say(slack.people.bob, team.id, "which one?", { replyTo: root.messageId });
    await channel.say(team, "The one above.", events.messages[0]?.messageId);
    await channel.say(team, "A minute is left.", root.messageId);
    expect(slack.threads).toEqual([root.messageId, root.messageId]);
    expect(slack.seen(team.id).map(({ text }) => text.trim())).toContain("The one above.");
  });

  it("notes what comes from a workspace that it is not installed in, and what it cannot read", async () => {
    const { platform: slack, events, started } = await bare(SlackStandIn.open());
    await started();
    await slack.push({ type: "message" }, 1, { team_id: "T0OTHER" });
    await slack.push({ type: "message", text: "approve" });
    expect(events.refusals).toEqual(["foreign_app", "malformed"]);
    expect(events.messages).toEqual([]);
  });
});

describe("when Slack is busy or gone", () => {
  it("comes back by itself, although Slack stays down for a while, and hears what was said meanwhile", async () => {
    const { platform: slack, events, started, ann } = await bare(SlackStandIn.open());
    await started();
    await slack.down();
    await events.lineIs("down");
    // The first try finds nobody, the next Slack that is not ready yet.
    await events.linesAre(3);
    slack.fail("down", 1);
    await slack.up();
    await slack.say(slack.people.ann, ann.id, "approve");
    expect(events.messages).toMatchObject([{ text: "approve" }]);
    expect(events.lines.at(-1)?.state).toBe("up");
  });

  it("connects anew when Slack asks it to", async () => {
    const { platform: slack, events, started, ann } = await bare(SlackStandIn.open());
    await started();
    slack.refresh();
    await events.lineIs("up", 1);
    await slack.say(slack.people.ann, ann.id, "approve");
    expect(events.messages).toHaveLength(1);
  });

  it("gets a click again whose connection broke before it was acknowledged", async () => {
    const { platform: slack, events, started, ann } = await bare(SlackStandIn.open());
    const channel = await started();
    const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
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

  it("shares what comes with another instance: each event reaches one of them", async () => {
    const { platform: slack, events, started, ann } = await bare(SlackStandIn.open());
    const other = new RecordedEvents();
    await started();
    await started({}, other);
    for (const text of ["one", "two", "three", "four"]) await slack.say(slack.people.ann, ann.id, text);
    expect([events.messages.length, other.messages.length]).toEqual([2, 2]);
  });
});

describe("a Slack channel by HTTP", () => {
  it("hears signed requests, and answers clicks", async () => {
    const { platform: slack, events, ann } = await bare(SlackStandIn.open());
    const channel = slack.channel({ mode: "webhook" });
    const early = await channel.webhook?.({ headers: {}, body: Buffer.from("{}") });
    expect(early?.status).toBe(503);
    await channel.start(events);
    slack.callBy(channel);
    const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
    expect(await slack.click(slack.people.ann, messageId, "Approve")).toBe("Approved");
    await slack.say(slack.people.ann, ann.id, "approve", { times: 2 });
    expect(events.messages).toHaveLength(2);
    expect(new Set(events.messages.map(({ eventId }) => eventId)).size).toBe(1);
    expect(events.refusals).toEqual([]);
  });

  it("refuses what nobody signed, and notes it once", async () => {
    const { events, started } = await bare(SlackStandIn.open());
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
    await expect(channel.start(new RecordedEvents())).rejects.toMatchObject({ code: "invalid_request" });
    if (channel.webhook !== undefined) {
      expect((await channel.webhook({ headers: {}, body: Buffer.from("{}") })).status).toBe(503);
    }
  });

  it("says which token Slack does not take", async () => {
    const { platform: slack, events } = await bare(SlackStandIn.open());
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
