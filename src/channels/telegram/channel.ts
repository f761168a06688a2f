import type { Api } from "grammy";
import {
  type Channel,
  ChannelError,
  type ChannelEvents,
  type Chat,
  type ClickAnswer,
  type Delivered,
  type Place,
} from "../channel.js";
import type { CardFace } from "../face.js";
import type { Webhook } from "../webhook.js";
import { draw, drawWords, fits } from "./draw.js";
import { channelErrorOf, isNotModified } from "./errors.js";
import { parse } from "./parse.js";
import { Polling } from "./polling.js";
import { checkOptions, introduce, load, type TelegramOptions } from "./setup.js";
import { telegramWebhook } from "./webhook.js";

export type { TelegramOptions } from "./setup.js";

/** Long polling unless an address is given: no public address is needed, and nobody but Telegram can speak. */
export function telegramChannel(options: TelegramOptions): Channel {
  return new Telegram(options);
}

const UPDATES = ["message", "edited_message", "callback_query"] as const;
const CALL_SECONDS = 20;
const POLL_SECONDS = 30;
const STAND_BY = 30_000;
const MAX_NOTICE = 200;
const NO_PREVIEW = { is_disabled: true };

class Telegram implements Channel {
  readonly name = "telegram";
  readonly spacing = 1_000;
  readonly webhook?: Webhook;
  readonly #options: TelegramOptions;
  #running: { readonly api: Api; readonly events: ChannelEvents; readonly botName: string } | undefined;
  #polling: Polling | undefined;
  #webhook: Webhook | undefined;

  constructor(options: TelegramOptions) {
    this.#options = options;
    if (options.webhook !== undefined) {
      this.webhook = async (request) => (await this.#webhook?.(request)) ?? { status: 503, body: "" };
    }
  }

  async start(events: ChannelEvents): Promise<void> {
    checkOptions(this.#options);
    const { token, apiRoot, webhook, standBy = STAND_BY } = this.#options;
    const { Api: Client } = await load();
    const root = apiRoot === undefined ? {} : { apiRoot };
    const api = new Client(token, { ...root, timeoutSeconds: CALL_SECONDS });
    const handle = (update: unknown) => this.#handle(update);
    const line: ChannelEvents["line"] = (state, why) => events.line(state, why);
    const botName = await introduce(api, webhook, UPDATES);
    this.#running = { api, events, botName };
    if (webhook !== undefined) {
      this.#webhook = telegramWebhook(webhook.secret, handle, (why) => events.refused(why));
      return line("up");
    }
    const asking = new Client(token, { ...root, timeoutSeconds: POLL_SECONDS + CALL_SECONDS });
    const polling = new Polling({
      fetch: async (offset, options) =>
        await asking.getUpdates(
          { offset, timeout: options.wait ? POLL_SECONDS : 0, allowed_updates: UPDATES },
          // The library's own type of signal lacks what is newer than it; at run time they are the same.
          options.signal as Parameters<Api["getUpdates"]>[1],
        ),
      handle,
      line,
      standBy,
    });
    try {
      await polling.start();
    } catch (thrown) {
      throw channelErrorOf(thrown);
    }
    this.#polling = polling;
  }

  fits(face: CardFace): boolean {
    return fits(face);
  }

  /** Telegram knows no key for repeated tries: after an answer that got lost, a second try shows a second card. */
  async deliver(chat: Chat, face: CardFace): Promise<Delivered> {
    const { text, entities, keyboard } = drawn(face);
    return await this.#call(async (api) => {
      const { message_id, date } = await api.raw.sendMessage({
        chat_id: numberOf(chat.id),
        text,
        entities: [...entities],
        link_preview_options: NO_PREVIEW,
        reply_markup: { inline_keyboard: keyboard.map((row) => [...row]) },
      });
      return { messageId: String(message_id), at: date * 1000, sequence: message_id };
    });
  }

  async redraw(place: Place, face: CardFace): Promise<void> {
    const { text, entities, keyboard } = drawn(face);
    await this.#call(async (api) => {
      try {
        await api.raw.editMessageText({
          chat_id: numberOf(place.chat.id),
          message_id: numberOf(place.messageId),
          text,
          entities: [...entities],
          link_preview_options: NO_PREVIEW,
          reply_markup: { inline_keyboard: keyboard.map((row) => [...row]) },
        });
      } catch (thrown) {
        if (!isNotModified(thrown)) throw thrown;
      }
    });
  }

  async say(chat: Chat, text: string, replyTo?: string): Promise<void> {
    for (const [i, message] of drawWords(text).entries()) {
      await this.#call((api) =>
        api.raw.sendMessage({
          chat_id: numberOf(chat.id),
          text: message.text,
          entities: [...message.entities],
          link_preview_options: NO_PREVIEW,
          ...(replyTo === undefined || i > 0
            ? {}
            : { reply_parameters: { message_id: numberOf(replyTo), allow_sending_without_reply: true } }),
        }),
      );
    }
  }

  async close(): Promise<void> {
    await this.#polling?.stop();
  }

  async #handle(update: unknown): Promise<void> {
    if (this.#running === undefined) return;
    const { events, botName } = this.#running;
    const heard = parse(update, botName);
    if (heard === undefined) return await events.refused("malformed");
    if (heard.type === "message") return await events.said(heard.message);
    if (heard.type === "other") return;
    const answer = await events.clicked(heard.click);
    await this.#answer(heard.queryId, answer);
    if (answer.face === undefined) return;
    // The answer stands; a card that could not be drawn anew is its host's to try again.
    await this.redraw({ chat: heard.chat, messageId: heard.click.messageId }, answer.face).catch(() => undefined);
  }

  /** Whoever pressed the button sees this over the chat. A question that is too old is not answered any more. */
  async #answer(queryId: string, { kind, text }: ClickAnswer): Promise<void> {
    const notice =
      text.length <= MAX_NOTICE ? text : `${text.slice(0, MAX_NOTICE - 1).replace(/[\ud800-\udbff]$/, "")}…`;
    await this.#call((api) =>
      api.raw.answerCallbackQuery({ callback_query_id: queryId, text: notice, show_alert: kind === "error" }),
    ).catch(() => undefined);
  }

  async #call<T>(call: (api: Api) => Promise<T>): Promise<T> {
    if (this.#running === undefined) throw new ChannelError("down", "The Telegram channel was not started.");
    try {
      return await call(this.#running.api);
    } catch (thrown) {
      throw channelErrorOf(thrown);
    }
  }
}

/** Too many entities would be dropped in silence, and with them what keeps values from becoming links. */
function drawn(face: CardFace): ReturnType<typeof draw> {
  if (!fits(face)) throw new ChannelError("refused", "The card is larger than a Telegram message.");
  return draw(face);
}

/** Ids are whole numbers; names of public chats are no ids. */
function numberOf(id: string): number {
  const number = Number(id);
  if (!/^-?\d+$/.test(id) || !Number.isSafeInteger(number)) throw new ChannelError("refused", "Not a Telegram id.");
  return number;
}
