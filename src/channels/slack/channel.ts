import type { WebClient } from "@slack/web-api";
import { systemClock } from "../../core/clock.js";
import {
  type Channel,
  ChannelError,
  type ChannelEvents,
  type Chat,
  type Click,
  type ClickAnswer,
  type Delivered,
  type Place,
} from "../channel.js";
import type { CardFace } from "../face.js";
import type { Webhook } from "../webhook.js";
import { type Drawn, draw, drawWords, fits } from "./draw.js";
import { channelErrorOf } from "./errors.js";
import { parse, type Self, timeOf } from "./parse.js";
import { checkOptions, clientOptions, introduce, load, mended, type SlackOptions, silent } from "./setup.js";
import { Socket } from "./socket.js";
import { escaped } from "./text.js";
import { slackWebhook } from "./webhook.js";

export type { SlackOptions } from "./setup.js";

/** Socket Mode unless told otherwise: nobody but Slack can speak on a connection that the app itself made. */
export function slackChannel(options: SlackOptions): Channel {
  return new Slack(options);
}

/** Nothing in a message is fetched, and nothing in it calls anybody. */
const QUIET = { unfurl_links: false, unfurl_media: false, link_names: false, mrkdwn: false, parse: "none" } as const;
/** Threads that are remembered, so that an answer to a message inside one goes there. */
const MAX_THREADS = 1_000;

class Slack implements Channel {
  readonly name = "slack";
  readonly spacing = 1_000;
  readonly webhook?: Webhook;
  readonly #options: SlackOptions;
  readonly #threads = new Map<string, string>();
  #running: { readonly client: WebClient; readonly events: ChannelEvents; readonly self: Self } | undefined;
  #socket: Socket | undefined;
  #webhook: Webhook | undefined;

  constructor(options: SlackOptions) {
    this.#options = options;
    if (options.mode === "webhook") {
      this.webhook = async (request) => (await this.#webhook?.(request)) ?? { status: 503, body: "" };
    }
  }

  async start(events: ChannelEvents): Promise<void> {
    checkOptions(this.#options);
    const { botToken, mode, appToken = "", signingSecret = "", clock = systemClock } = this.#options;
    const { web, socket } = await load(mode !== "webhook");
    const logger = silent(web);
    const client = new web.WebClient(botToken, { ...clientOptions(this.#options), logger });
    this.#running = { client, events, self: await introduce(client) };
    const handle = (body: unknown) => this.#handle(body);
    if (socket === undefined) {
      this.#webhook = slackWebhook({ secret: signingSecret, clock, handle, refused: (why) => events.refused(why) });
      return events.line("up");
    }
    const line = new Socket({
      client: () =>
        new socket.SocketModeClient({
          appToken,
          logger,
          autoReconnectEnabled: false,
          clientOptions: clientOptions(this.#options),
        }),
      handle,
      line: (state, why) => events.line(state, why),
    });
    await mended("appToken", () => line.start());
    this.#socket = line;
  }

  fits(face: CardFace): boolean {
    return fits(face);
  }

  /** Slack knows no key for repeated tries: after an answer that got lost, a second try shows a second card. */
  async deliver(chat: Chat, face: CardFace): Promise<Delivered> {
    const { blocks, text } = drawn(face);
    const { ts } = await this.#call((client) => client.chat.postMessage({ channel: chat.id, blocks, text, ...QUIET }));
    if (ts === undefined) throw new ChannelError("down", "Slack did not say where the message stands.");
    return { messageId: ts, ...timeOf(ts) };
  }

  async redraw(place: Place, face: CardFace): Promise<void> {
    const { blocks, text } = drawn(face);
    const { messageId: ts, chat } = place;
    await this.#call((client) =>
      client.chat.update({ channel: chat.id, ts, blocks, text, link_names: false, parse: "none" }),
    );
  }

  /** In the thread of what it answers, and shown in the chat as well: who does not follow the thread must see it too. */
  async say(chat: Chat, text: string, replyTo?: string): Promise<void> {
    const thread =
      replyTo === undefined
        ? {}
        : ({ thread_ts: this.#threads.get(replyTo) ?? replyTo, reply_broadcast: true } as const);
    for (const message of drawWords(text)) {
      await this.#call((client) => client.chat.postMessage({ channel: chat.id, ...message, ...QUIET, ...thread }));
    }
  }

  async close(): Promise<void> {
    await this.#socket?.stop();
  }

  async #handle(body: unknown): Promise<void> {
    if (this.#running === undefined) return;
    const { events, self } = this.#running;
    const heard = parse(body, self);
    switch (heard?.type) {
      case undefined:
        return await events.refused("malformed");
      case "foreign":
        return await events.refused("foreign_app");
      case "message":
        this.#remember(heard.message);
        return await events.said(heard.message);
      case "click":
        return await this.#answer(heard.chat, heard.click, await events.clicked(heard.click));
      case "other":
        return;
    }
  }

  /** Slack has no short notice: where the card itself does not say it, the person alone sees a message that nobody keeps. */
  async #answer(chat: Chat, { messageId, account }: Click, { kind, text, face }: ClickAnswer): Promise<void> {
    const shown =
      face !== undefined &&
      (await this.redraw({ chat, messageId }, face).then(
        () => true,
        () => false,
      ));
    if (shown && kind === "success") return;
    await this.#call((client) =>
      client.chat.postEphemeral({
        channel: chat.id,
        user: account.id,
        ...(drawWords(text)[0] ?? { text: escaped(text) }),
        link_names: false,
        parse: "none",
      }),
    ).catch(() => undefined);
  }

  #remember({ messageId, replyTo }: { readonly messageId: string; readonly replyTo?: string }): void {
    if (replyTo === undefined) return;
    this.#threads.set(messageId, replyTo);
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > MAX_THREADS && oldest !== undefined) this.#threads.delete(oldest);
  }

  async #call<T>(call: (client: WebClient) => Promise<T>): Promise<T> {
    if (this.#running === undefined) throw new ChannelError("down", "The Slack channel was not started.");
    try {
      return await call(this.#running.client);
    } catch (thrown) {
      throw channelErrorOf(thrown);
    }
  }
}

function drawn(face: CardFace): Drawn {
  if (!fits(face)) throw new ChannelError("refused", "The card is larger than a Slack message.");
  return draw(face);
}
