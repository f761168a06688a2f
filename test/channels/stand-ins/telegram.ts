import type { ServerResponse } from "node:http";
import type { Channel } from "../../../src/channels/channel.js";
import { type TelegramOptions, telegramChannel } from "../../../src/channels/telegram/channel.js";
import type { ClickOptions, SayOptions, SeenMessage, StandIn } from "../stand-in.js";
import { LoopbackStandIn } from "./loopback-stand-in.js";
import { answerTo, type Call, Failure, type Sent, TelegramChats } from "./telegram-chats.js";
import { markupOf } from "./telegram-text.js";
import { TelegramUpdates } from "./telegram-updates.js";

const TOKEN = "100200300:AAStandInOfTheBotApi_for-tests";
const BOT = { id: 100200300, is_bot: true, first_name: "Countersign", username: "countersign_bot" };

/** The Bot API on loopback. Private chats have the number of their person. */
export class TelegramStandIn extends LoopbackStandIn implements StandIn {
  readonly people = { ann: "1001", bob: "1002", eve: "1003" };
  readonly chats = { ...this.people, team: "-1002000000001" };
  readonly tenant = "";
  /** Where the platform was told to send updates. */
  webhook: { readonly url: string; readonly secret: string } | undefined;

  readonly #chats = new TelegramChats(Object.values(this.chats), this.faults);
  readonly #updates = new TelegramUpdates();
  readonly #notices = new Map<string, string>();
  #queries = 0;

  static async open(): Promise<TelegramStandIn> {
    const standIn = new TelegramStandIn();
    return standIn.listen({
      request: (request, body, response) => standIn.#answer(request.url ?? "", body, response),
    });
  }

  channel(options: Partial<TelegramOptions> = {}): Channel {
    return this.owned(telegramChannel({ token: TOKEN, apiRoot: this.url, ...options }));
  }

  seen(chatId: string): readonly SeenMessage[] {
    return this.#chats.in(chatId).map(({ id, text, entities, keyboard }) => ({
      id: String(id),
      text: [text, ...keyboard.map((button) => button.text)].join("\n"),
      buttons: keyboard.flatMap((button) => (button.callback_data === undefined ? [] : [button.text])),
      links: keyboard.flatMap(({ url }) => (url === undefined ? [] : [url])),
      markup: markupOf(text, entities),
    }));
  }

  async say(person: string, chatId: string, text: string, options: SayOptions = {}): Promise<void> {
    const isGroup = chatId.startsWith("-");
    // In groups a bot hears only what is said to it.
    const call = isGroup && options.replyTo === undefined ? `@${BOT.username} ` : "";
    const { id, date } = this.#chats.heard(chatId, options.shift ?? 0);
    const message = {
      message_id: id,
      date,
      chat: chatOf(chatId),
      from: { id: Number(person), is_bot: options.machine === true, first_name: "Somebody" },
      text: call + text,
      ...(call === "" ? {} : { entities: [{ type: "mention", offset: 0, length: call.length - 1 }] }),
      ...(options.replyTo === undefined ? {} : { reply_to_message: { message_id: Number(options.replyTo) } }),
      ...(options.forwarded === true ? { forward_origin: { type: "user", date } } : {}),
      ...(options.edited === true ? { edit_date: date } : {}),
    };
    await this.push({ [options.edited === true ? "edited_message" : "message"]: message }, options.times);
  }

  async click(
    person: string,
    messageId: string,
    label: string,
    options: ClickOptions = {},
  ): Promise<string | undefined> {
    const on = this.#chats.find(Number(messageId));
    const data = options.value ?? on.keyboard.find(({ text }) => text === label)?.callback_data;
    if (data === undefined) throw new Error(`No button "${label}" on message ${messageId}.`);
    const id = `q${++this.#queries}`;
    const message = { message_id: Number(options.messageId ?? messageId), chat: chatOf(options.chatId ?? on.chatId) };
    const from = { id: Number(person), is_bot: false, first_name: "Somebody" };
    await this.push({ callback_query: { id, from, message, data, chat_instance: "1" } }, options.times);
    if (!this.#notices.has(id)) this.faults.push("a callback query was not answered");
    return this.#notices.get(id);
  }

  /** Any update, as it would come; resolves when it was confirmed. */
  async push(update: object, times = 1): Promise<void> {
    await this.#updates.push(update, times);
  }

  /** The platform calls instead of being asked, as if this channel stood where the address leads to. */
  callBy(channel: Channel): void {
    this.#updates.callBy(async (body) => {
      const { secret = "" } = this.webhook ?? {};
      const headers = { "x-telegram-bot-api-secret-token": secret, "content-type": "application/json" };
      return (await channel.webhook?.({ headers, body: Buffer.from(body) }))?.status ?? 404;
    });
  }

  /** The bot was blocked, or removed from the group. */
  remove(chatId: string): void {
    this.#chats.remove(chatId);
  }

  #answer(path: string, body: string, response: ServerResponse): void {
    const method = path.startsWith(`/bot${TOKEN}/`) ? path.slice(`/bot${TOKEN}/`.length) : undefined;
    if (method === undefined) return answerTo(response, new Failure(401, "Unauthorized"));
    const call = (body === "" ? {} : JSON.parse(body)) as Call;
    if (method === "getUpdates") return this.#getUpdates(call, response);
    const failure = this.nextFailure();
    if (failure === "busy") return answerTo(response, Failure.busy(1));
    // A proxy in between answers so, not the Bot API itself.
    if (failure === "down") return void response.writeHead(502).end("<html>502 Bad Gateway</html>");
    try {
      answerTo(response, this.#call(method, call));
    } catch (thrown) {
      answerTo(response, thrown);
    }
  }

  #call(method: string, call: Call): unknown {
    switch (method) {
      case "getMe":
        return BOT;
      case "deleteWebhook":
        this.webhook = undefined;
        return true;
      case "setWebhook":
        return this.#setWebhook(call);
      case "sendMessage":
        return messageOf(this.#chats.send(call));
      case "editMessageText":
        return messageOf(this.#chats.edit(call));
      case "answerCallbackQuery":
        return this.#answerQuery(call);
      default:
        throw new Failure(404, "Not Found");
    }
  }

  #getUpdates(call: Call, response: ServerResponse): void {
    if (this.webhook !== undefined) {
      const why =
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
      return answerTo(response, new Failure(409, why));
    }
    this.#updates.ask(Number(call.offset ?? 0), Number(call.timeout ?? 0), response);
  }

  #setWebhook({ url, secret_token: secret }: Call): true {
    if (typeof url !== "string" || !url.startsWith("https://")) {
      throw new Failure(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook");
    }
    if (typeof secret !== "string" || !/^[A-Za-z0-9_-]{1,256}$/.test(secret)) {
      throw new Failure(400, "Bad Request: secret token contains unallowed characters");
    }
    this.webhook = { url, secret };
    return true;
  }

  #answerQuery({ callback_query_id: id, text }: Call): true {
    if (typeof id !== "string") throw new Failure(400, "Bad Request: invalid callback query ID specified");
    if (typeof text === "string" && text.length > 200) throw new Failure(400, "Bad Request: MESSAGE_TOO_LONG");
    this.#notices.set(id, typeof text === "string" ? text : "");
    return true;
  }
}

function chatOf(chatId: string): { id: number; type: string } {
  return { id: Number(chatId), type: chatId.startsWith("-") ? "supergroup" : "private" };
}

function messageOf({ id, chatId, date, text }: Sent): object {
  return { message_id: id, from: BOT, chat: chatOf(chatId), date, text };
}
