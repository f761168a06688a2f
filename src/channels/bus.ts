import { AsyncLocalStorage } from "node:async_hooks";
import type { Caller, ToolCall } from "../core/call.js";
import { CountersignError } from "../core/errors.js";
import type { Gate, SubmitOptions } from "../core/gate.js";
import { denied, type Outcome } from "../core/outcome.js";
import type { Locale } from "../core/tool.js";
import type { Account, ChannelName, Chat, Message } from "./channel.js";
import { ConfirmationStore } from "./confirmation-store.js";
import type { Desk } from "./desk.js";
import type { Directory } from "./directory.js";
import { channelWords } from "./words.js";

/** A message for the agent. */
export interface InboundMessage {
  readonly channel: ChannelName;
  readonly senderId: string;
  readonly chatId: string;
  readonly chatKind: Chat["kind"];
  readonly content: string;
  readonly messageId: string;
  readonly timestamp: number;
  /** `channel:chatId`, unless whoever made the message says otherwise. */
  readonly sessionKey: string;
  readonly account: Account;
}

/** A message to a chat. */
export interface OutboundMessage {
  readonly channel: ChannelName;
  readonly chatId: string;
  readonly chatKind: Chat["kind"];
  readonly content: string;
  readonly replyTo?: string;
}

export interface BusOptions {
  readonly gate: Gate;
  readonly desk: Desk;
  readonly directory: Directory;
  /** Whose call it is where nobody has written anything, as in a timed job. Without one such calls are refused at once. */
  readonly unattended?: Caller;
  /** Names the session of a message, where it is not `channel:chatId`. */
  readonly sessionKey?: (message: Message) => string;
  readonly locale?: Locale;
}

interface Talk {
  readonly caller: Caller;
}

/**
 * Carries messages between chats and an agent, and keeps answers to open questions from it. Each message has a context of its
 * own, so that many chats wait at once and none holds up another.
 */
export class MessageBus {
  readonly confirmations: ConfirmationStore;
  readonly #options: BusOptions;
  readonly #queue: InboundMessage[] = [];
  readonly #takers: ((message: InboundMessage) => void)[] = [];
  readonly #talk = new AsyncLocalStorage<Talk>();

  constructor(options: BusOptions) {
    this.#options = options;
    this.confirmations = new ConfirmationStore(options.gate, (workspaceId) => options.desk.replyRules(workspaceId));
    options.desk.listen(async (message) => this.#enqueue(message));
  }

  /** A message from a chat: an answer to an open question is used up by it, anything else waits for the agent. */
  async publishInbound(message: Message): Promise<void> {
    await this.#options.desk.hear(message);
  }

  /** The next message for the agent; waits for one. */
  consumeInbound(signal?: AbortSignal): Promise<InboundMessage> {
    const waiting = this.#queue.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    return new Promise((resolve, reject) => {
      const take = (message: InboundMessage) => {
        signal?.removeEventListener("abort", stop);
        resolve(message);
      };
      const stop = () => {
        this.#takers.splice(this.#takers.indexOf(take), 1);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) return reject(signal.reason as Error);
      signal?.addEventListener("abort", stop, { once: true });
      this.#takers.push(take);
    });
  }

  async publishOutbound({ channel, chatId, chatKind, content, replyTo }: OutboundMessage): Promise<void> {
    await this.#options.desk.say(channel, { kind: chatKind, id: chatId }, content, replyTo);
  }

  /** Handles one message as the person who wrote it: calls made inside are theirs, and questions go to their chat. */
  async within<T>(message: InboundMessage, handle: () => Promise<T>): Promise<T> {
    const { desk, directory, gate } = this.#options;
    const speaker = await directory.speaker(message.account);
    if (speaker === undefined) {
      throw new CountersignError("not_permitted", "This account is not connected to anybody here.");
    }
    const caller: Caller = { ...gate.caller, ...speaker, sessionId: message.sessionKey, surface: message.channel };
    await desk.remember(caller, {
      channel: message.channel,
      chat: { kind: message.chatKind, id: message.chatId },
    });
    return this.#talk.run({ caller }, handle);
  }

  /** Handles what nobody has just asked for: as the caller set up for it, who is also asked. */
  async withoutMessage<T>(job: string, handle: () => Promise<T>): Promise<T> {
    const { unattended } = this.#options;
    if (unattended === undefined) return this.#talk.exit(handle);
    return this.#talk.run({ caller: { ...unattended, sessionId: `cron:${job}` } }, handle);
  }

  /** The caller of the message that is being handled here. */
  get caller(): Caller | undefined {
    return this.#talk.getStore()?.caller;
  }

  /** Puts a call before the people of the chat it came from and returns at once. Outside of any message it is refused. */
  async registerConfirmation(call: ToolCall): Promise<Outcome> {
    const { caller } = this;
    return caller === undefined ? this.#nobodyToAsk() : this.confirmations.register(caller.sessionId, call, caller);
  }

  /** The same, and then waits for the answer and for the run. Other chats go on meanwhile. */
  async run(call: ToolCall, options: SubmitOptions = {}): Promise<Outcome> {
    const { caller } = this;
    if (caller === undefined) return this.#nobodyToAsk();
    const outcome = await this.#options.gate.run(call, caller, options);
    if (outcome.type !== "expired") return outcome;
    return { ...outcome, message: `${this.#words.timeout}. ${outcome.message}` };
  }

  get #words() {
    return channelWords(this.#options.locale ?? "zh");
  }

  #nobodyToAsk(): Outcome {
    return denied(this.#words.noContext);
  }

  #enqueue(message: Message): void {
    const { account, chat, text, messageId, at } = message;
    const inbound: InboundMessage = {
      channel: account.channel,
      senderId: account.id,
      chatId: chat.id,
      chatKind: chat.kind,
      content: text,
      messageId,
      timestamp: at,
      sessionKey: this.#options.sessionKey?.(message) ?? `${account.channel}:${chat.id}`,
      account,
    };
    const taker = this.#takers.shift();
    if (taker === undefined) this.#queue.push(inbound);
    else taker(inbound);
  }
}
