import type * as Lark from "@larksuiteoapi/node-sdk";
import { ChannelError, type Chat, type Delivered } from "../channel.js";
import { type Answer, failureOf, isExpiredToken, refusalOf } from "./failure.js";
import type { CheckedOptions } from "./options.js";
import { boundedHttp, SILENT, TokenCache } from "./sdk.js";

interface Sent extends Answer {
  readonly data?:
    | {
        readonly message_id?: string | undefined;
        readonly create_time?: string | undefined;
        readonly chat_id?: string | undefined;
      }
    | undefined;
}

interface BotInfo extends Answer {
  readonly bot?: { readonly open_id?: string };
}

/** The requests that this channel makes, each failing with a `ChannelError` only. */
export class FeishuApi {
  readonly #client: Lark.Client;
  readonly #tokens = new TokenCache();

  constructor(lark: typeof Lark, { appId, appSecret, baseUrl }: CheckedOptions) {
    this.#client = new lark.Client({
      appId,
      appSecret,
      domain: baseUrl,
      cache: this.#tokens,
      httpInstance: boundedHttp(lark),
      logger: SILENT,
    });
  }

  /** Who the bot is, by which its mentions are told from others. Needs good credentials, so it proves them too. */
  async botOpenId(): Promise<string> {
    const { bot } = await this.#call(() =>
      this.#client.request<BotInfo>({ method: "GET", url: "/open-apis/bot/v3/info" }),
    );
    const openId = bot?.open_id;
    if (openId === undefined || openId === "") throw new ChannelError("refused", "Feishu does not say who the bot is.");
    return openId;
  }

  /** Of several requests with one `deliveryId` the platform sends one, for an hour. */
  async send(chat: Chat, type: "interactive" | "post", content: string, deliveryId?: string): Promise<Delivered> {
    const data = {
      receive_id: chat.id,
      msg_type: type,
      content,
      ...(deliveryId === undefined ? {} : { uuid: deliveryId }),
    };
    const params = { receive_id_type: idTypeOf(chat.id) };
    return deliveredOf(await this.#call(() => this.#client.im.v1.message.create({ params, data })));
  }

  async reply(messageId: string, content: string): Promise<void> {
    const path = { message_id: checkMessageId(messageId) };
    await this.#call(() => this.#client.im.v1.message.reply({ path, data: { msg_type: "post", content } }));
  }

  async replaceCard(messageId: string, content: string): Promise<void> {
    const path = { message_id: checkMessageId(messageId) };
    await this.#call(() => this.#client.im.v1.message.patch({ path, data: { content } }));
  }

  async #call<Result extends Answer>(request: () => Promise<Result>): Promise<Result> {
    let answer: Result;
    try {
      answer = await request().catch((error: unknown) => {
        if (!isExpiredToken(error)) throw error;
        this.#tokens.clear();
        return request();
      });
    } catch (error) {
      throw failureOf(error);
    }
    if (answer.code !== 0) throw refusalOf(answer);
    return answer;
  }
}

function deliveredOf({ data }: Sent): Delivered {
  const at = Number(data?.create_time);
  if (data?.message_id === undefined || !Number.isSafeInteger(at)) {
    throw new ChannelError("refused", "Feishu does not say which message it sent.");
  }
  // Callbacks name the chat, also where a person was written to.
  return { messageId: data.message_id, at, ...(data.chat_id === undefined ? {} : { chatId: data.chat_id }) };
}

function idTypeOf(id: string): "chat_id" | "open_id" {
  if (/^oc_\w+$/.test(id)) return "chat_id";
  if (/^ou_\w+$/.test(id)) return "open_id";
  throw new ChannelError("refused", 'A Feishu chat is named by "oc_…", a person by "ou_…".');
}

/** It becomes part of an address, unescaped by the library. */
function checkMessageId(id: string): string {
  if (!/^om_[\w-]+$/.test(id)) throw new ChannelError("refused", 'A Feishu message is named by "om_…".');
  return id;
}
