import type { Approval } from "../core/approval.js";
import type { Caller } from "../core/call.js";
import { checkReplyWords } from "../core/check-reply-words.js";
import { systemClock } from "../core/clock.js";
import { CountersignError } from "../core/errors.js";
import type { ReplyRules } from "../core/reply-rules.js";
import type { Locale } from "../core/tool.js";
import { type SessionChat, sessionKeyOf } from "./book.js";
import type { Channel, ChannelEvents, ChannelName, Message } from "./channel.js";
import { clicked } from "./clicks.js";
import type { DeskContext, DeskOptions } from "./desk-context.js";
import { Follower } from "./follower.js";
import { heard } from "./hearing.js";
import { Outbox } from "./outbox.js";
import { noteRefused } from "./refusals.js";
import type { Heard } from "./replies.js";
import { backoff, DELIVERY } from "./waiting.js";
import { channelWords } from "./words.js";

const LOCALES: Readonly<Record<ChannelName, Locale>> = { feishu: "zh", dingtalk: "zh", slack: "en", telegram: "en" };

/**
 * Where chats and the gate meet. Questions go out to the chats of those who may answer, their clicks and replies come back as
 * decisions, and every card ends up showing how its question ended. A channel that is down touches nothing else.
 */
export class Desk {
  readonly #context: DeskContext;
  readonly #outbox: Outbox;
  readonly #follower: Follower;
  readonly #retries = new Set<() => void>();
  /** Platforms to which the line is broken. */
  readonly #down = new Set<ChannelName>();
  #passOn: DeskOptions["passOn"];
  readonly #closing = new AbortController();

  constructor(options: DeskOptions) {
    const { gate, directory, book, words = {}, groups = [], unclear = "ask", origin } = options;
    checkReplyWords(words);
    const usual = { words: { approve: [], deny: [], ...words }, unclear };
    this.#passOn = options.passOn;
    this.#context = {
      gate,
      channels: new Map(options.channels.map((channel) => [channel.name, channel])),
      directory,
      book,
      ...(origin === undefined ? {} : { origin }),
      groups,
      locales: { ...LOCALES, ...options.locales },
      replyRules: (workspaceId) => gate.replyRules(workspaceId, usual),
      clock: options.clock ?? systemClock,
      notice: options.notice ?? (() => undefined),
      hurry: () => this.#outbox.hurry(),
      closing: this.#closing.signal,
    };
    this.#outbox = new Outbox(this.#context);
    this.#follower = new Follower(this.#context, options.workspaces);
  }

  /** Connects every channel. Rejects for what an operator has to mend; a platform that is down is tried again by itself. */
  async start(): Promise<void> {
    await Promise.all([...this.#context.channels.values()].map((channel) => this.#connect(channel, 0)));
    this.#follower.look();
    this.#outbox.hurry();
  }

  /** Reads a message as an answer. What is no answer is for the agent. */
  async hear(message: Message): Promise<Heard> {
    const result = await heard(this.#context, message);
    if (result === "passed") await this.#passOn?.(message);
    return result;
  }

  /** From here on messages that answer nothing go there. */
  listen(passOn: NonNullable<DeskOptions["passOn"]>): void {
    this.#passOn = passOn;
  }

  /** Questions of this person's session are put in this chat. */
  remember(whose: Pick<Caller, "workspaceId" | "userId" | "sessionId">, chat: SessionChat): Promise<void> {
    return this.#context.book.rememberChat(sessionKeyOf(whose), chat);
  }

  /** How answers in words are read in a workspace. */
  replyRules(workspaceId: string): Promise<ReplyRules> {
    return this.#context.replyRules(workspaceId);
  }

  /** Whether somebody who may answer this has a chat on a platform that can be reached now. */
  async reaches(approval: Approval): Promise<boolean> {
    const linked = await this.#context.directory.reach(approval);
    return linked.some(({ account: { channel } }) => this.#context.channels.has(channel) && !this.#down.has(channel));
  }

  /** Plain words to a chat. */
  async say(name: ChannelName, chat: SessionChat["chat"], text: string, replyTo?: string): Promise<void> {
    const channel = this.#context.channels.get(name);
    if (channel === undefined) throw new CountersignError("not_found", `There is no channel "${name}" here.`);
    await channel.say(chat, text, replyTo);
  }

  /** Lets what is under way end, then disconnects. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const cancel of this.#retries) cancel();
    await this.#follower.close();
    await this.#outbox.close();
    await Promise.allSettled([...this.#context.channels.values()].map((channel) => channel.close()));
  }

  async #connect(channel: Channel, attempt: number): Promise<void> {
    const { notice, clock } = this.#context;
    try {
      await channel.start(this.#events(channel));
      this.#down.delete(channel.name);
      notice("channel.connected", { channel: channel.name });
    } catch (error) {
      // Set up wrongly: trying again would not help.
      if ((error as Error).name === "CountersignError") throw error;
      this.#down.add(channel.name);
      notice("channel.connect_failed", { channel: channel.name, why: (error as Error).message });
      if (this.#closing.signal.aborted) return;
      const cancel = clock.timer(backoff(attempt + 1, DELIVERY), () => {
        this.#retries.delete(cancel);
        void this.#connect(channel, attempt + 1).catch((failure: Error) =>
          notice("channel.connect_failed", { channel: channel.name, why: failure.message }),
        );
      });
      this.#retries.add(cancel);
    }
  }

  #events({ name }: Channel): ChannelEvents {
    const context = this.#context;
    const { notice } = context;
    return {
      clicked: (click) =>
        clicked(context, click).catch((error: Error) => {
          notice("channel.click_failed", { channel: name, why: error.message });
          return { kind: "error", text: channelWords(context.locales[name]).trouble };
        }),
      said: async (message) => {
        await this.hear(message).catch((error: Error) =>
          notice("channel.hear_failed", { channel: name, why: error.message }),
        );
      },
      refused: (why) =>
        noteRefused(context, name, why).catch((error: Error) =>
          notice("channel.note_failed", { channel: name, why: error.message }),
        ),
      line: (state, why) => {
        notice(`channel.${state}`, { channel: name, ...(why === undefined ? {} : { why }) });
        if (state === "down") this.#down.add(name);
        else this.#down.delete(name);
        // What failed while the line was down need not wait for its time.
        if (state === "up") context.hurry();
      },
    };
  }
}
