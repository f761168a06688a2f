import type { SeenMessage } from "../../stand-in.js";
import { type DrawnCard, drawnCard, drawnWords } from "./cards.js";

/** An answer of the platform's API. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: object;
}

interface StoredMessage {
  readonly id: string;
  readonly chatId: string;
  readonly at: number;
  readonly type: string;
  readonly content: string;
  readonly replyTo?: string;
  /** Every state of a card, newest last: clients may still show an older one. */
  readonly versions: DrawnCard[];
  readonly changes: number[];
  recalled: boolean;
}

const DAY = 86_400_000;
const MAX_REQUEST = 30 * 1024;
const MAX_TEXT_REQUEST = 150 * 1024;

const refused = (code: number, msg: string): ApiAnswer => ({ status: 400, body: { code, msg } });

/** The chats of one tenant and the rules by which apps may write in them. */
export class Messages {
  readonly #now: () => number;
  readonly #chatOf: (receiver: string) => string | undefined;
  readonly #faults: string[];
  readonly #stored: StoredMessage[] = [];
  readonly #byUuid = new Map<string, { readonly at: number; readonly message: StoredMessage }>();
  /** Where people wrote what. */
  readonly #said = new Map<string, string>();
  readonly #left = new Set<string>();
  #lastAt = 0;

  constructor(now: () => number, chatOf: (receiver: string) => string | undefined, faults: string[]) {
    this.#now = now;
    this.#chatOf = chatOf;
    this.#faults = faults;
  }

  /** The platform's clock, which gives every message a time of its own. */
  tick(): number {
    this.#lastAt = Math.max(this.#now(), this.#lastAt + 1);
    return this.#lastAt;
  }

  /** When the newest message of a chat came. */
  newestIn(chatId: string): number {
    return this.#stored.findLast((message) => message.chatId === chatId)?.at ?? 0;
  }

  noteSaid(messageId: string, chatId: string): void {
    this.#said.set(messageId, chatId);
  }

  /** The bot is taken out of a chat. */
  removeBot(chatId: string): void {
    this.#left.add(chatId);
  }

  recall(messageId: string): void {
    const message = this.find(messageId);
    if (message !== undefined) message.recalled = true;
  }

  find(messageId: string): StoredMessage | undefined {
    return this.#stored.find(({ id }) => id === messageId);
  }

  create(receiverType: string | undefined, body: Record<string, string>, bytes: number): ApiAnswer {
    const receiver = body["receive_id"] ?? "";
    if (receiverType !== (receiver.startsWith("ou_") ? "open_id" : "chat_id")) {
      return this.#broken(230001, "receive_id_type does not go with receive_id");
    }
    const chatId = this.#chatOf(receiver);
    return chatId === undefined ? refused(230002, "no such chat") : this.#add(chatId, body, bytes);
  }

  reply(messageId: string, body: Record<string, string>, bytes: number): ApiAnswer {
    const chatId = this.find(messageId)?.chatId ?? this.#said.get(messageId);
    return chatId === undefined
      ? this.#broken(230001, "invalid message_id")
      : this.#add(chatId, body, bytes, messageId);
  }

  #add(chatId: string, body: Record<string, string>, bytes: number, replyTo?: string): ApiAnswer {
    const { msg_type: type = "", content = "", uuid } = body;
    if (this.#left.has(chatId)) return refused(230002, "Bot can NOT be out of the chat.");
    if (bytes > (type === "text" ? MAX_TEXT_REQUEST : MAX_REQUEST)) return this.#broken(230025, `${bytes} bytes`);
    if (uuid !== undefined && uuid.length > 50) return this.#broken(230001, "a uuid of more than 50 characters");
    const same = uuid === undefined ? undefined : this.#byUuid.get(`${chatId} ${uuid}`);
    if (same !== undefined && this.#now() - same.at < 3_600_000) return sent(same.message);
    const now = this.#now();
    const recent = this.#stored.filter((message) => message.chatId === chatId && now - message.at < 1000);
    if (recent.length >= 5) return this.#broken(230020, "more than 5 messages a second in one chat");
    const versions: DrawnCard[] = [];
    if (type === "interactive") {
      const card = drawnCard(content);
      if ("problem" in card) return this.#broken(230099, card.problem);
      versions.push(card);
    } else if (type !== "text" && type !== "post") return this.#broken(230001, `messages of type ${type}`);
    const message = {
      id: `om_${this.#stored.length.toString(16).padStart(32, "0")}`,
      chatId,
      at: this.tick(),
      type,
      content,
      versions,
      changes: [],
      recalled: false,
      ...(replyTo === undefined ? {} : { replyTo }),
    };
    this.#stored.push(message);
    if (uuid !== undefined) this.#byUuid.set(`${chatId} ${uuid}`, { at: message.at, message });
    return sent(message);
  }

  patch(messageId: string, body: Record<string, string>, bytes: number): ApiAnswer {
    const message = this.find(messageId);
    if (message === undefined || message.type !== "interactive") return refused(230001, "invalid message_id");
    if (message.recalled) return refused(230011, "The message is recalled.");
    const now = this.#now();
    if (now - message.at > 14 * DAY) return refused(230031, "The message is older than 14 days.");
    if (bytes > MAX_REQUEST) return this.#broken(230025, `${bytes} bytes`);
    if (message.changes.filter((at) => now - at < 1000).length >= 5)
      return this.#broken(230020, "more than 5 changes a second");
    const problem = this.show(message, body["content"] ?? "");
    if (problem !== undefined) return this.#broken(230099, problem);
    message.changes.push(now);
    return { status: 200, body: { code: 0, msg: "success", data: {} } };
  }

  /** Puts another card in the place of the one that stands there. */
  show(message: StoredMessage, json: string): string | undefined {
    const card = drawnCard(json);
    if ("problem" in card) return card.problem;
    message.versions.push(card);
    return undefined;
  }

  seen(chatId: string): readonly SeenMessage[] {
    return this.#stored
      .filter((message) => message.chatId === chatId && !message.recalled)
      .map(({ id, type, content, versions }) => {
        const card = versions.at(-1);
        if (card === undefined) return { id, ...drawnWords(type, content) };
        const { text, buttons, links, markup } = card;
        return { id, text, buttons: buttons.map(({ label }) => label), links, markup };
      });
  }

  #broken(code: number, problem: string): ApiAnswer {
    this.#faults.push(`${code}: ${problem}`);
    return refused(code, problem);
  }
}

function sent({ id, chatId, at, type, content, replyTo }: StoredMessage): ApiAnswer {
  const data = {
    message_id: id,
    ...(replyTo === undefined ? {} : { root_id: replyTo, parent_id: replyTo }),
    msg_type: type,
    create_time: String(at),
    update_time: String(at),
    deleted: false,
    updated: false,
    chat_id: chatId,
    body: { content },
  };
  return { status: 200, body: { code: 0, msg: "success", data } };
}
