import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type DingtalkOptions, dingtalkChannel } from "../../../src/channels/dingtalk/channel.js";
import type { ClickOptions, SayOptions, StandIn } from "../stand-in.js";
import { Chats, Refused } from "./dingtalk/chats.js";
import { type Ack, Gateway } from "./dingtalk/gateway.js";
import { type Answer, type Platform, routes } from "./dingtalk/routes.js";

const CORP = "ding9f50b15bccd16741";
const ROBOT = "$:LWCP_v1:$robot";
const MESSAGES = "/v1.0/im/bot/messages/get";
const CLICKS = "/v1.0/card/instances/callback";
const CLICK_DEADLINE = 2000;

const people = { ann: "manager4811", bob: "0155236842", eve: "eve.guest-7" } as const;
/** A person's private chat has no id that a robot could write to but the person's. */
const chats = { ...people, team: "cidTeam8xQ/1J9wFvnA==" } as const;

export interface DingtalkStandIn extends StandIn {
  channel(options?: Partial<DingtalkOptions>): ReturnType<typeof dingtalkChannel>;
  readonly gateway: Gateway;
  /** Every message of the chat by its id, buttons apart from the text they belong to. */
  ids(chatId: string): readonly string[];
  /** How often each path was asked for. */
  readonly asked: ReadonlyMap<string, number>;
  /** Resolves once that path was asked for so often, and answered. */
  settled(path: string, count: number): Promise<void>;
  /** Sends a callback with this content, whatever it is. */
  push(topic: "message" | "click", data: unknown): Promise<Ack | undefined>;
  /** A message as DingTalk sends it, for changes. */
  message(person: string, chatId: string, text: string): Record<string, unknown>;
  /** Tokens given so far are good no more. */
  expireTokens(): void;
  /** The robot is taken out of the chat. */
  removeRobot(chatId: string): void;
  /** The next card is made, and the answer that says so never arrives. */
  loseNextAnswer(): void;
}

/** DingTalk as its documents describe it: with a published template, or for an operator who built none. */
export async function dingtalkStandIn({ template }: { readonly template: boolean }): Promise<DingtalkStandIn> {
  const faults: string[] = [];
  const asked = new Map<string, number>();
  const answers = new EventEmitter();
  // A clock of its own: everything that happens takes a second.
  let now = Date.UTC(2026, 10, 16, 8);
  const gateway = new Gateway(() => now, faults);
  const platform: Platform = {
    chats: new Chats(Object.values(chats), faults),
    gateway,
    faults,
    app: { clientId: "dingapp7qk2", clientSecret: "a-secret-of-the-app", templateId: "approval.schema" },
    people: Object.values(people),
    groups: [chats.team],
    tokens: new Set(),
    removed: new Set(),
    callbacks: new Map(),
    address: () => `127.0.0.1:${port}`,
  };
  let failing: { readonly how: "busy" | "down"; count: number } = { how: "down", count: 0 };
  let losing = false;

  const server = createServer((request, response) => void answer(request, response));
  server.on("upgrade", (request, socket, head) => gateway.upgrade(request, socket, head));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    now += 1000;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? "";
    const { status, body } = answered(request, path, Buffer.concat(chunks).toString());
    asked.set(path, (asked.get(path) ?? 0) + 1);
    answers.emit("answer");
    if (losing && path.endsWith("createAndDeliver")) {
      losing = false;
      response.destroy();
      return;
    }
    response.writeHead(status, { "content-type": "application/json", date: new Date(now).toUTCString() });
    response.end(JSON.stringify(body));
  }

  function answered(request: IncomingMessage, path: string, text: string): Answer {
    if (failing.count > 0) {
      failing.count -= 1;
      return failing.how === "busy"
        ? { status: 403, body: { code: "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi", message: "busy" } }
        : { status: 503, body: { code: "ServiceUnavailable" } };
    }
    const route = routes[`${request.method} ${path}`];
    if (route === undefined) return { status: 404, body: { code: "InvalidAction.NotFound" } };
    try {
      return route(
        platform,
        JSON.parse(text) as Parameters<typeof route>[1],
        request.headers["x-acs-dingtalk-access-token"],
      );
    } catch (thrown) {
      if (thrown instanceof Refused) return { status: thrown.status, body: { code: thrown.code, message: text } };
      throw thrown;
    }
  }

  function message(person: string, chatId: string, text: string): Record<string, unknown> {
    const group = platform.groups.includes(chatId);
    return {
      conversationId: group ? chatId : `cidPrivate${person}==`,
      conversationType: group ? "2" : "1",
      chatbotCorpId: CORP,
      chatbotUserId: ROBOT,
      msgId: `msg${randomUUID()}==`,
      senderNick: person,
      senderStaffId: person,
      senderCorpId: CORP,
      senderId: `$:LWCP_v1:$${person}`,
      sessionWebhook: "https://oapi.dingtalk.com/robot/sendBySession?session=s",
      createAt: now,
      robotCode: platform.app.clientId,
      msgtype: "text",
      // The mention of the robot is taken out, and the space after it stays.
      text: { content: group ? ` ${text} ` : text },
    };
  }

  async function say(person: string, chatId: string, text: string, options: SayOptions = {}): Promise<void> {
    now += 1000;
    const { replyTo, shift = 0, forwarded, edited, machine, times = 1 } = options;
    // Robots hear nothing of edits; what is passed on to them arrives as a record of a chat.
    if (edited) return;
    const carrier = replyTo === undefined ? undefined : (platform.chats.card(replyTo)?.carrierId ?? replyTo);
    const plain = message(person, chatId, text);
    const data = {
      ...plain,
      createAt: now + shift,
      ...(forwarded ? { msgtype: "chatRecord", text: undefined, content: { chatRecord: JSON.stringify([text]) } } : {}),
      ...(machine ? { senderId: ROBOT, senderStaffId: undefined } : {}),
      ...(carrier === undefined
        ? {}
        : { originalProcessQueryKey: carrier, text: { content: text, isReplyMsg: true, repliedMsg: {} } }),
    };
    const id = randomUUID();
    for (let time = 0; time < times; time += 1) await gateway.deliver(MESSAGES, JSON.stringify(data), id);
  }

  async function click(
    person: string,
    messageId: string,
    label: string,
    { times = 1, ...pretended }: ClickOptions = {},
  ): Promise<string | undefined> {
    now += 1000;
    const card = platform.chats.card(messageId);
    if (card === undefined) {
      const button = platform.chats.pressable(messageId, label);
      if (button === undefined) throw new Error(`Nobody can press ${label} there.`);
      const words = pretended.value ?? new URL(button.url).searchParams.get("content") ?? "";
      await say(person, pretended.chatId ?? button.chatId, words, { times });
      return undefined;
    }
    const value = pretended.value ?? card.values.get(label);
    if (value === undefined) throw new Error(`Nobody can press ${label} there.`);
    const outTrackId = pretended.messageId ?? messageId;
    const content = JSON.stringify({ cardPrivateData: { actionIds: ["answer"], params: { value } } });
    const data = JSON.stringify({ type: "actionCallback", outTrackId, corpId: CORP, userId: person, content });
    const id = randomUUID();
    let notice: string | undefined;
    for (let time = 0; time < times; time += 1) notice = (await callback(outTrackId, data, id)) ?? notice;
    return notice;
  }

  /** One delivery of a click: its deadline, its answer, and what the person sees of it. */
  async function callback(outTrackId: string, data: string, id: string): Promise<string | undefined> {
    const open = platform.callbacks.get(outTrackId) ?? { waiting: 0, answered: 0 };
    platform.callbacks.set(outTrackId, open);
    open.waiting += 1;
    const late = setTimeout(() => faults.push("a click answered after two seconds"), CLICK_DEADLINE);
    const ack = await gateway.deliver(CLICKS, data, id);
    clearTimeout(late);
    open.waiting -= 1;
    open.answered += 1;
    const { cardData, userPrivateData } = (ack?.data.response ?? {}) as Record<string, { cardParamMap?: unknown }>;
    platform.chats.checked(cardData?.cardParamMap);
    return platform.chats.checked(userPrivateData?.cardParamMap, ["notice"]).notice?.replaceAll("\u200B", "");
  }

  return {
    people,
    chats,
    tenant: CORP,
    faults,
    asked,
    gateway,
    message,
    say,
    click,
    channel: (options = {}) =>
      dingtalkChannel({
        clientId: platform.app.clientId,
        clientSecret: platform.app.clientSecret,
        corpId: CORP,
        baseUrl: `http://127.0.0.1:${port}`,
        ...(template ? { templateId: platform.app.templateId } : {}),
        ...options,
      }),
    async settled(path, count) {
      while ((asked.get(path) ?? 0) < count) await once(answers, "answer");
    },
    push: (topic, data) =>
      gateway.deliver(
        topic === "message" ? MESSAGES : CLICKS,
        typeof data === "string" ? data : JSON.stringify(data),
        randomUUID(),
      ),
    seen: (chatId) => platform.chats.seen(chatId),
    ids: (chatId) => platform.chats.ids(chatId),
    fail: (how, count) => {
      failing = { how, count };
    },
    expireTokens: () => platform.tokens.clear(),
    removeRobot: (chatId) => void platform.removed.add(chatId),
    loseNextAnswer: () => {
      losing = true;
    },
    async down() {
      const closed = once(server, "close");
      server.close();
      gateway.cut();
      // A click that is delivered again may cross the update that its first delivery led to.
      for (const open of platform.callbacks.values()) open.answered += open.waiting;
      server.closeAllConnections();
      await closed;
    },
    async up() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    async close() {
      gateway.cut();
      server.closeAllConnections();
      server.close();
    },
  };
}
