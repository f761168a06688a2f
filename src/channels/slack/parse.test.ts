import { describe, expect, it } from "vitest";
import { parse } from "./parse.js";

const SELF = { teamId: "T1", botUserId: "U0BOT" };
const spoken = {
  type: "message",
  channel: "D1",
  channel_type: "im",
  user: "U0ANN",
  text: "approve",
  ts: "1700000000.123456",
};

const heard = (event: object, over: object = {}) =>
  parse({ type: "event_callback", event_id: "Ev1", team_id: "T1", event, ...over }, SELF);

function said(over: object) {
  const found = heard({ ...spoken, ...over });
  return found?.type === "message" ? found.message : undefined;
}

describe("reading a message from Slack", () => {
  it("takes ids, chat, and time to the microsecond from the platform", () => {
    expect(said({ thread_ts: "1699999999.000100" })).toEqual({
      eventId: "D1:1700000000.123456",
      messageId: "1700000000.123456",
      account: { channel: "slack", tenant: "T1", id: "U0ANN" },
      chat: { kind: "private", id: "D1" },
      text: "approve",
      replyTo: "1699999999.000100",
      at: 1_700_000_000_123,
      sequence: 1_700_000_000_123_456,
      from: "person",
      secondHand: false,
    });
  });

  it("takes whatever is no direct message for a group, and the root of a thread for no reply", () => {
    for (const channel of ["C1", "G1"]) expect(said({ channel })?.chat.kind).toBe("group");
    expect(said({ thread_ts: spoken.ts })).not.toHaveProperty("replyTo");
  });

  it("gives a message and its mention one event id", () => {
    expect(said({ type: "app_mention", channel: "C1" })?.eventId).toBe(said({ channel: "C1" })?.eventId);
  });

  it("knows somebody of another workspace by that workspace", () => {
    expect(said({ user_team: "T2" })?.account).toEqual({ channel: "slack", tenant: "T2", id: "U0ANN" });
  });

  it.each([
    ["a bot", { bot_id: "B1" }],
    ["a bot's message without a mark", { subtype: "bot_message" }],
    ["an app that posts as a person", { app_id: "A1" }],
    ["the app itself", { user: "U0BOT" }],
    ["Slackbot", { user: "USLACKBOT" }],
    ["news of the channel", { subtype: "channel_topic" }],
    ["a kind that nobody knows", { subtype: "something_new" }],
  ])("knows %s for a machine (attack E11)", (_, over) => {
    expect(said(over)?.from).toBe("machine");
  });

  it.each([
    ["shared", { attachments: [{ is_share: true, text: "approve" }] }],
    ["unfurled", { attachments: [{ is_msg_unfurl: true }] }],
    ["quoted by mark", { text: "&gt; approve" }],
    ["quoted by block", { blocks: [{ type: "rich_text", elements: [{ type: "rich_text_quote" }] }] }],
  ])("knows %s words for second hand (attack E10)", (_, over) => {
    expect(said(over)?.secondHand).toBe(true);
  });

  it("knows edited words for second hand, each edit by its own id (attack E10)", () => {
    const event = {
      type: "message",
      subtype: "message_changed",
      channel: "D1",
      message: { ...spoken, channel: undefined },
    };
    expect(heard(event)).toMatchObject({
      type: "message",
      message: { eventId: "Ev1", secondHand: true, from: "person" },
    });
    const own = { ...event, message: { ...event.message, bot_id: "B1" } };
    expect(heard(own)).toMatchObject({ message: { from: "machine" } });
  });

  it("hears nothing in deletions, files without words, mentions alone and other events", () => {
    expect(heard({ type: "message", subtype: "message_deleted", channel: "D1" })).toEqual({ type: "other" });
    expect(heard({ ...spoken, subtype: "file_share", text: "" })).toEqual({ type: "other" });
    expect(heard({ ...spoken, text: "<@U0BOT>" })).toEqual({ type: "other" });
    expect(heard({ type: "reaction_added", user: "U0ANN" })).toEqual({ type: "other" });
    expect(parse({ type: "view_submission" }, SELF)).toEqual({ type: "other" });
  });

  it("hears a person whose words come with a file or stand in a thread and its channel", () => {
    for (const subtype of ["file_share", "thread_broadcast"]) expect(said({ subtype })?.from).toBe("person");
  });

  it("refuses what another workspace sends, and takes what an installation of ours may hear", () => {
    expect(heard(spoken, { team_id: "T2" })).toEqual({ type: "foreign" });
    expect(heard(spoken, { team_id: "T2", authorizations: [{ team_id: "T1" }] })).toMatchObject({ type: "message" });
  });
});

describe("reading a click from Slack", () => {
  const pressed = {
    type: "block_actions",
    user: { id: "U0ANN", team_id: "T1" },
    team: { id: "T1" },
    container: { type: "message", message_ts: "1700000000.000001", channel_id: "C1" },
    actions: [{ type: "button", action_id: "countersign.approve", value: "ref.a", action_ts: "1700000001.5" }],
  };

  it("names who, where and what", () => {
    expect(parse(pressed, SELF)).toEqual({
      type: "click",
      chat: { kind: "group", id: "C1" },
      click: {
        eventId: "C1:1700000000.000001:U0ANN:1700000001.5",
        account: { channel: "slack", tenant: "T1", id: "U0ANN" },
        messageId: "1700000000.000001",
        chatId: "C1",
        value: "ref.a",
      },
    });
  });

  it("knows the person by their own workspace", () => {
    const found = parse({ ...pressed, user: { id: "U9", team_id: "T2" } }, SELF);
    expect(found).toMatchObject({ click: { account: { tenant: "T2", id: "U9" } } });
  });

  it("takes no link for an answer, and no button of others", () => {
    for (const action_id of ["countersign.open", "other", ""]) {
      expect(parse({ ...pressed, actions: [{ ...pressed.actions[0], action_id }] }, SELF)).toEqual({ type: "other" });
    }
    expect(parse({ ...pressed, container: { type: "view" } }, SELF)).toEqual({ type: "other" });
    expect(parse({ ...pressed, actions: [] }, SELF)).toEqual({ type: "other" });
  });

  it.each([
    ["nobody", { ...pressed, user: {} }],
    ["nobody's workspace", { ...pressed, user: { id: "U0ANN" }, team: null }],
    ["no value", { ...pressed, actions: [{ ...pressed.actions[0], value: undefined }] }],
    ["a time that is none", { ...pressed, container: { ...pressed.container, message_ts: "now" } }],
  ])("does not read a click by %s", (_, body) => {
    expect(parse(body, SELF)).toBeUndefined();
  });
});

describe("what has not the documented form", () => {
  it.each([null, [], "x", {}, { type: 3 }, { type: "event_callback" }])("is not read: %j", (body) => {
    expect(parse(body, SELF)).toBeUndefined();
  });

  it("is not read without a time or a channel", () => {
    expect(heard({ ...spoken, ts: "yesterday" })).toBeUndefined();
    expect(heard({ ...spoken, channel: undefined })).toBeUndefined();
  });
});
