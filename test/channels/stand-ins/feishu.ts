import { randomUUID } from "node:crypto";
import type { Channel } from "../../../src/channels/channel.js";
import { feishuChannel } from "../../../src/channels/feishu/channel.js";
import type { FeishuOptions } from "../../../src/channels/feishu/options.js";
import type { ClickOptions, SayOptions, SeenMessage, StandIn } from "../stand-in.js";
import { type Acknowledged, Connections } from "./feishu/connections.js";
import { Messages } from "./feishu/messages.js";
import { APP, FeishuServer } from "./feishu/server.js";
import { signedRequest } from "./feishu/signing.js";

const TENANT = "2ed263bf32cf1651";
const PEOPLE = { ann: "ou_a000000000000001", bob: "ou_b000000000000002", eve: "ou_e000000000000003" };
const CHATS = {
  ann: "oc_a000000000000001",
  bob: "oc_b000000000000002",
  eve: "oc_e000000000000003",
  team: "oc_7ea0000000000004",
};
const READING_TAKES = 50;
const WEBHOOK_KEYS = { encryptKey: "an encrypt key", verificationToken: "a verification token" };

export class FeishuStandIn implements StandIn {
  readonly people = PEOPLE;
  readonly tenant = TENANT;
  readonly chats = CHATS;
  readonly faults: string[] = [];
  readonly connections = new Connections(this.faults);
  readonly messages: Messages;
  readonly #mode: "connection" | "webhook";
  readonly #server: FeishuServer;
  readonly #channels: Channel[] = [];
  #offset = 0;
  #posted = 0;

  constructor(mode: "connection" | "webhook") {
    this.#mode = mode;
    this.messages = new Messages(() => this.now(), chatOf, this.faults);
    this.#server = new FeishuServer(this.messages, this.connections, () => this.now());
  }

  now(): number {
    return Date.now() + this.#offset;
  }

  /** Time passes on the platform. */
  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  options(): FeishuOptions {
    const base = { appId: APP.id, appSecret: APP.secret, baseUrl: this.#server.url };
    return this.#mode === "webhook" ? { ...base, mode: "webhook", ...WEBHOOK_KEYS } : base;
  }

  channel(): Channel {
    const channel = feishuChannel(this.options());
    this.#channels.push(channel);
    return channel;
  }

  seen(chatId: string): readonly SeenMessage[] {
    return this.messages.seen(chatId);
  }

  async say(person: string, chatId: string, text: string, options: SayOptions = {}): Promise<void> {
    const { replyTo, shift = 0, forwarded = false, edited = false, machine = false, times = 1 } = options;
    await this.#read(chatId);
    const at = this.messages.tick() + shift;
    const isGroup = chatId === CHATS.team;
    const mention = { key: "@_user_1", id: { open_id: APP.bot, union_id: "on_bot" }, name: "bot", tenant_key: TENANT };
    const message = {
      message_id: `om_${randomUUID().replaceAll("-", "")}`,
      ...(replyTo === undefined ? {} : { root_id: replyTo, parent_id: replyTo }),
      create_time: String(at),
      update_time: String(edited ? at + 1 : at),
      chat_id: chatId,
      chat_type: isGroup ? "group" : "p2p",
      message_type: forwarded ? "merge_forward" : "text",
      content: forwarded ? text : JSON.stringify({ text: isGroup ? `@_user_1 ${text}` : text }),
      ...(isGroup ? { mentions: [mention] } : {}),
    };
    this.messages.noteSaid(message.message_id, chatId);
    const sender = { sender_id: ids(person), sender_type: machine ? "app" : "user", tenant_key: TENANT };
    for (let time = 0; time < times; time++) {
      // A repetition may be an event of its own; what stays is the message's id.
      await this.push(this.event("im.message.receive_v1", at, { sender, message }));
    }
  }

  async click(
    person: string,
    messageId: string,
    label: string,
    options: ClickOptions = {},
  ): Promise<string | undefined> {
    const message = this.messages.find(messageId);
    const card = message?.versions.findLast(({ buttons }) => buttons.some((button) => button.label === label));
    const pressed = card?.buttons.find((button) => button.label === label);
    const value = options.value === undefined ? pressed?.value : { reference: options.value };
    if (message === undefined || value === undefined) throw new Error(`There is no button "${label}".`);
    await this.#read(message.chatId);
    const event = this.event("card.action.trigger", this.now() * 1000, {
      operator: { tenant_key: TENANT, ...ids(person) },
      token: `c-${randomUUID()}`,
      action: { value, tag: "button", timezone: "Asia/Shanghai" },
      host: "im_message",
      context: { open_message_id: options.messageId ?? messageId, open_chat_id: options.chatId ?? message.chatId },
    });
    let notice: string | undefined;
    for (let time = 0; time < (options.times ?? 1); time++) {
      const before = message.versions.at(-1)?.json ?? "";
      const acknowledged = await this.push(event);
      notice = acknowledged === undefined ? undefined : this.#settle(message, before, acknowledged);
    }
    return notice;
  }

  /** People look before they answer: by then whoever sent the message has heard that it is there. */
  async #read(chatId: string): Promise<void> {
    const wait = this.messages.newestIn(chatId) + READING_TAKES - this.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  }

  /** What the client does with the answer: the notice, and the new card in the place of the old. */
  #settle(
    message: NonNullable<ReturnType<Messages["find"]>>,
    before: string,
    { answer }: Acknowledged,
  ): string | undefined {
    const { toast, card } = answer as {
      toast?: { type: string; content: string };
      card?: { type: string; data: object };
    };
    if (toast !== undefined && !["info", "success", "error", "warning"].includes(toast.type)) {
      this.faults.push(`200672: a notice of type ${toast.type}`);
    }
    if (card !== undefined) {
      const problem =
        card.type === "raw" ? this.messages.show(message, JSON.stringify(card.data)) : "a card that is not raw";
      if (problem !== undefined) this.faults.push(`200673: ${problem}`);
    } else if (message.versions.at(-1)?.json !== before) {
      // An update that came before the answer is undone by an answer without a card.
      this.messages.show(message, before);
    }
    return toast?.content;
  }

  event(type: string, createTime: number, event: object): object {
    const header = {
      event_id: randomUUID(),
      event_type: type,
      create_time: String(createTime),
      token: WEBHOOK_KEYS.verificationToken,
      app_id: APP.id,
      tenant_key: TENANT,
    };
    return { schema: "2.0", header, event };
  }

  /** By the way that this stand-in's app has chosen. */
  async push(event: object): Promise<Acknowledged | undefined> {
    if (this.#mode === "connection") return await this.connections.push(event);
    for (let tries = 0; tries < 5; tries++) {
      const channel = this.#channels[this.#posted++ % this.#channels.length];
      const asked = this.now();
      const request = signedRequest(event, WEBHOOK_KEYS.encryptKey, Math.floor(asked / 1000));
      const { status, body } = (await channel?.webhook?.(request)) ?? { status: 404, body: "{}" };
      if (this.now() - asked > 3_000) this.faults.push("200341: a callback was not answered within 3 s");
      if (status === 200) return { code: 200, answer: JSON.parse(body) as Acknowledged["answer"] };
    }
    return undefined;
  }

  /** Throws when the channel broke a rule of the platform. */
  assertObeyed(): void {
    if (this.faults.length > 0) throw new Error(`Feishu's rules were broken: ${this.faults.join("; ")}`);
  }

  fail(how: "busy" | "down", count: number): void {
    this.#server.fail(how, count);
  }

  forgetTokens(): void {
    this.#server.forgetTokens();
  }

  async down(): Promise<void> {
    await this.#server.stop();
  }

  async up(): Promise<void> {
    await this.#server.listen();
  }

  async close(): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.close()));
    this.connections.close();
    await this.#server.stop();
  }
}

/** Feishu on loopback: REST, the long connection with its frames, and signed callbacks. */
export async function feishuStandIn(mode: "connection" | "webhook" = "connection"): Promise<FeishuStandIn> {
  const standIn = new FeishuStandIn(mode);
  await standIn.up();
  return standIn;
}

function chatOf(receiver: string): string | undefined {
  const name = Object.entries(PEOPLE).find(([, id]) => id === receiver)?.[0] as keyof typeof CHATS | undefined;
  return name === undefined ? Object.values(CHATS).find((id) => id === receiver) : CHATS[name];
}

function ids(openId: string): { readonly open_id: string; readonly union_id: string; readonly user_id: string } {
  return { open_id: openId, union_id: openId.replace("ou_", "on_"), user_id: openId.slice(3, 11) };
}
