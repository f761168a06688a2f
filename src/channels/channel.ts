import type { CardFace } from "./face.js";

export const CHANNELS = ["feishu", "dingtalk", "slack", "telegram"] as const;
export type ChannelName = (typeof CHANNELS)[number];

/** A conversation as the platform names it. `id` is what a message is sent to. */
export interface Chat {
  readonly kind: "private" | "group";
  readonly id: string;
}

/** Somebody as the platform names them: stable ids only. Names, addresses and phone numbers are no identity. */
export interface Account {
  readonly channel: ChannelName;
  /** The company, team or bot within which the id means one person; empty where ids are the whole platform's. */
  readonly tenant: string;
  readonly id: string;
}

/** Where a card stands. */
export interface Place {
  readonly chat: Chat;
  readonly messageId: string;
}

/** A button was pressed. Everything in it comes from the platform, whose word was verified before. */
export interface Click {
  /** The same for every redelivery of one event. */
  readonly eventId: string;
  readonly account: Account;
  readonly messageId: string;
  /** Where the platform names it. */
  readonly chatId?: string;
  /** What the button carries. */
  readonly value: string;
}

/** What the person who pressed it sees at once, and the card as it stands from now on. */
export interface ClickAnswer {
  readonly kind: "success" | "info" | "error";
  readonly text: string;
  readonly face?: CardFace;
}

/** Somebody wrote something. */
export interface Message {
  /** The same for every redelivery. */
  readonly eventId: string;
  readonly messageId: string;
  readonly account: Account;
  readonly chat: Chat;
  /** As plain text; mentions of the bot are taken out, other mentions stand as they were written. */
  readonly text: string;
  /** The message this one answers, where the platform says so. */
  readonly replyTo?: string;
  /** By the platform's clock, the same that `Delivered.at` is read from. */
  readonly at: number;
  /** Where the platform's clock is too coarse to say which came first: grows within a chat. */
  readonly sequence?: number;
  /** Bots, the app itself and the system decide nothing. */
  readonly from: "person" | "machine";
  /** Quoted, forwarded and edited words are not said by this person now. */
  readonly secondHand: boolean;
}

/** A card has reached its chat. */
export interface Delivered {
  readonly messageId: string;
  /** The chat as the platform itself names it, where it was written to by another name. */
  readonly chatId?: string;
  /** By which people's replies call it besides, where the platform has further names for it. */
  readonly quotedAs?: readonly string[];
  readonly at: number;
  readonly sequence?: number;
}

/** What a channel tells its host. Never throws. */
export interface ChannelEvents {
  /** Answers well within the platform's deadline; what takes longer is shown by a later update of the card. */
  clicked(click: Click): Promise<ClickAnswer>;
  said(message: Message): Promise<void>;
  /** Something that claims to come from the platform and does not hold: a bad signature, stale, replayed, of another app. */
  refused(why: RefusedCallback): Promise<void>;
  /** The line to the platform broke or stands again. */
  line(state: "up" | "down", why?: string): void;
}

export type RefusedCallback = "signature" | "stale" | "replayed" | "foreign_app" | "malformed" | "too_large";

/** A request of the platform as it came: the body unread, because its bytes are what was signed. */
export interface WebhookRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One chat platform. It draws faces, carries words, and knows no rule: who may answer, whether an answer counts and what it
 * does is its host's matter. No type of a platform's library crosses this line.
 */
export interface Channel {
  readonly name: ChannelName;
  /** So many milliseconds lie between two messages to one chat, at least. */
  readonly spacing: number;
  /** Connects; resolves once events arrive. Rejects with a `CountersignError` that says what to mend. */
  start(events: ChannelEvents): Promise<void>;
  /** Whether one message can show all of this face. What does not fit is not decided here. */
  fits(face: CardFace): boolean;
  /** Sends the card; of any number of tries with one `deliveryId` the chat shows one, where the platform can promise it. */
  deliver(chat: Chat, face: CardFace, deliveryId: string): Promise<Delivered>;
  /** Draws the card anew in its place, as when its question has ended. */
  redraw(place: Place, face: CardFace): Promise<void>;
  /** Words without a card. Drawn as they are: nothing in them becomes a link, a mention or a format. */
  say(chat: Chat, text: string, replyTo?: string): Promise<void>;
  /** For channels that the platform calls: verifies, then tells the events. Never throws. */
  webhook?(request: WebhookRequest): Promise<WebhookAnswer>;
  /** Ends the connection. What is under way may fail. */
  close(): Promise<void>;
}

/** Why a message did not get through. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  /** `busy`: too many, later; `down`: nobody answers; `gone`: this chat or message will never take it; `refused`: it is wrong. */
  readonly reason: "busy" | "down" | "gone" | "refused";
  /** With `busy`: milliseconds that the platform asks for. */
  readonly retryAfter?: number;

  constructor(reason: ChannelError["reason"], message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }
}

/** By its name, not its class: two copies of the package may be loaded. */
export function isChannelError(error: unknown): error is ChannelError {
  return error instanceof Error && error.name === "ChannelError";
}
