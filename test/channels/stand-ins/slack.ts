import type { IncomingMessage, ServerResponse } from "node:http";
import type { Channel } from "../../../src/channels/channel.js";
import { type SlackOptions, slackChannel } from "../../../src/channels/slack/channel.js";
import type { ClickOptions, SayOptions, SeenMessage, StandIn } from "../stand-in.js";
import { LoopbackStandIn } from "./loopback-stand-in.js";
import { buttonsOf, markupOf, Refusal, textOf } from "./slack-blocks.js";
import { SlackLine } from "./slack-line.js";
import { type Arguments, Busy, SlackMessages } from "./slack-messages.js";

const BOT_TOKEN = "xoxb-1-stand-in";
const APP_TOKEN = "xapp-1-stand-in";
const SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const BOT_USER = "U0COUNTERS";

/** Slack on loopback: the Web API, Socket Mode, and signed requests. */
export class SlackStandIn extends LoopbackStandIn implements StandIn {
  readonly people = { ann: "U0ANN00001", bob: "U0BOB00002", eve: "U0EVE00003" };
  readonly chats = { ann: "D0ANN00001", bob: "D0BOB00002", eve: "D0EVE00003", team: "C0TEAM0001" };
  readonly tenant = "T0STANDIN1";
  /** The threads that were answered in, oldest first. */
  readonly threads: string[] = [];

  readonly #messages = new SlackMessages(Object.values(this.chats), this.faults);
  readonly #line = new SlackLine(this.faults);
  /** What one person alone was shown, newest last. */
  readonly #notices: { readonly user: string; readonly text: string }[] = [];
  #events = 0;

  static async open(): Promise<SlackStandIn> {
    const standIn = new SlackStandIn();
    return standIn.listen({
      request: (request, body, response) => standIn.#answer(request, body, response),
      upgrade: (request, socket, head) => standIn.#line.upgrade(request, socket, head),
    });
  }

  channel(options: Partial<SlackOptions> = {}): Channel {
    const secrets = { botToken: BOT_TOKEN, appToken: APP_TOKEN, signingSecret: SIGNING_SECRET };
    return this.owned(slackChannel({ ...secrets, baseUrl: `${this.url}/api/`, ...options }));
  }

  seen(chatId: string): readonly SeenMessage[] {
    return this.#messages.in(chatId).map(({ ts, blocks, text }) => {
      const buttons = buttonsOf(blocks);
      return {
        id: ts,
        text: [textOf(blocks), ...buttons.map(({ label }) => label)].join("\n"),
        buttons: buttons.flatMap(({ label, value }) => (value === undefined ? [] : [label])),
        links: buttons.flatMap(({ url }) => (url === undefined ? [] : [url])),
        markup: markupOf(blocks, text),
      };
    });
  }

  async say(person: string, chatId: string, text: string, options: SayOptions = {}): Promise<void> {
    const isGroup = !chatId.startsWith("D");
    const message = {
      user: person,
      text: (isGroup ? `<@${BOT_USER}> ` : "") + escaped(text),
      ts: this.#messages.stamp(options.shift),
      team: this.tenant,
      ...(options.replyTo === undefined ? {} : { thread_ts: options.replyTo }),
      ...(options.forwarded === true ? { attachments: [{ is_share: true, text }] } : {}),
      ...(options.machine === true ? { bot_id: "B0OTHER", subtype: "bot_message" } : {}),
      ...(options.edited === true ? { edited: { user: person, ts: this.#messages.stamp() } } : {}),
    };
    const event = options.edited === true ? { subtype: "message_changed", message } : message;
    const where = { channel: chatId, channel_type: isGroup ? "channel" : "im" };
    await this.push({ type: "message", ...event, ...where }, options.times);
    // An app that hears the channel is told of its mention once more.
    if (isGroup && options.edited !== true) await this.push({ type: "app_mention", ...message, channel: chatId });
  }

  async click(
    person: string,
    messageId: string,
    label: string,
    options: ClickOptions = {},
  ): Promise<string | undefined> {
    const on = this.#messages.find(messageId);
    const button = buttonsOf(on.blocks).find((each) => each.label === label);
    if (button === undefined) throw new Error(`No button "${label}" on message ${messageId}.`);
    const before = this.#notices.length;
    const channelId = options.chatId ?? on.channel;
    const value = options.value ?? button.value;
    const payload = {
      type: "block_actions",
      api_app_id: "A0STANDIN1",
      user: { id: person, team_id: this.tenant },
      team: { id: this.tenant },
      container: { type: "message", message_ts: options.messageId ?? messageId, channel_id: channelId },
      channel: { id: channelId },
      actions: [
        {
          type: "button",
          block_id: "b",
          action_id: button.actionId,
          action_ts: this.#messages.stamp(),
          ...(value === undefined ? {} : { value }),
        },
      ],
    };
    await this.#line.deliver("interactive", payload, options.times);
    return this.#notices.slice(before).findLast(({ user }) => user === person)?.text;
  }

  /** Any event, as it would come; resolves when it was acknowledged. */
  async push(event: object, times?: number, over: object = {}): Promise<void> {
    const event_id = `Ev${++this.#events}`;
    const body = { type: "event_callback", event_id, team_id: this.tenant, api_app_id: "A0STANDIN1", event, ...over };
    await this.#line.deliver("events_api", body, times);
  }

  /** Requests instead of sockets, as if this channel stood where the address leads to. */
  callBy(channel: Channel): void {
    this.#line.callBy(channel, SIGNING_SECRET);
  }

  /** Slack asks its clients to connect anew. */
  refresh(): void {
    this.#line.refresh();
  }

  /** The app was removed from the channel. */
  remove(chatId: string): void {
    this.#messages.remove(chatId);
  }

  #answer(request: IncomingMessage, body: string, response: ServerResponse): void {
    const failure = this.nextFailure();
    if (failure === "busy") return void response.writeHead(429, { "retry-after": "1" }).end();
    if (failure === "down") return void response.writeHead(503).end("upstream connect error");
    const method = (request.url ?? "").replace(/^\/api\//, "");
    const args = Object.fromEntries(new URLSearchParams(body));
    const send = (result: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
    try {
      send({ ok: true, ...this.#call(method, args, request.headers.authorization ?? "") });
    } catch (thrown) {
      if (thrown instanceof Busy) response.writeHead(429, { "retry-after": String(thrown.seconds) }).end();
      else send({ ok: false, error: thrown instanceof Refusal ? thrown.message : "internal_error" });
    }
  }

  #call(method: string, args: Arguments, authorization: string): object {
    const token = method === "apps.connections.open" ? APP_TOKEN : BOT_TOKEN;
    if (authorization !== `Bearer ${token}`) throw new Refusal("invalid_auth");
    switch (method) {
      case "auth.test":
        return { team_id: this.tenant, user_id: BOT_USER, bot_id: "B0COUNTERS" };
      case "apps.connections.open":
        return { url: `${this.url.replace("http", "ws")}/link?ticket=${this.#line.ticket()}` };
      case "chat.postMessage":
        if (args.thread_ts !== undefined) this.#answered(args);
        return this.#messages.post(args);
      case "chat.update":
        return this.#messages.update(args);
      case "chat.postEphemeral":
        return this.#postEphemeral(args);
      default:
        throw new Refusal("unknown_method");
    }
  }

  #answered({ thread_ts: thread = "", reply_broadcast: shown }: Arguments): void {
    if (shown !== "true") this.faults.push("an answer can be seen in its thread alone");
    this.threads.push(thread);
  }

  #postEphemeral(args: Arguments): object {
    this.#messages.channelOf(args);
    const { blocks } = this.#messages.contentOf(args);
    this.#notices.push({ user: args.user ?? "", text: textOf(blocks) });
    return { message_ts: this.#messages.stamp() };
  }
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
