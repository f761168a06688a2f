import type { Channel } from "../../src/channels/channel.js";

/** A message as the people in a chat see it on the stand-in now. */
export interface SeenMessage {
  readonly id: string;
  /** Everything readable, headings and labels included, one line each. */
  readonly text: string;
  /** Buttons that can still be pressed; links are not among them. */
  readonly buttons: readonly string[];
  readonly links: readonly string[];
  /** Mentions, links and formats that the platform made out of plain words. Must stay empty. */
  readonly markup: readonly string[];
}

export interface SayOptions {
  readonly replyTo?: string;
  /** Milliseconds after the stand-in's present; negative for words that were said before. */
  readonly shift?: number;
  readonly forwarded?: boolean;
  readonly edited?: boolean;
  /** A bot, or the app itself, says it. */
  readonly machine?: boolean;
  /** How many times the platform delivers it. */
  readonly times?: number;
}

export interface ClickOptions {
  readonly times?: number;
  /** Pretends that the button stood on another message, or in another chat. */
  readonly messageId?: string;
  readonly chatId?: string;
  /** A value that no button has. */
  readonly value?: string;
}

/**
 * A platform on loopback, as strict as its documents: it checks tokens and signatures, enforces limits and deadlines, delivers
 * again what was not acknowledged, and can be slow, busy or gone. The channel under test reaches it by its official library.
 */
export interface StandIn {
  /** A channel set up for this stand-in; a second one is another instance of the same app. */
  channel(): Channel;
  /** Ids of people and chats as the platform writes them. `private` is the chat of that person with the bot. */
  readonly people: { readonly ann: string; readonly bob: string; readonly eve: string };
  readonly tenant: string;
  readonly chats: { readonly ann: string; readonly bob: string; readonly eve: string; readonly team: string };
  /** What stands in a chat, oldest first. */
  seen(chatId: string): readonly SeenMessage[];
  /** Somebody writes; resolves when the platform got its acknowledgement, or gave up. `atBot` mentions the bot, as groups need. */
  say(person: string, chatId: string, text: string, options?: SayOptions): Promise<void>;
  /** Somebody presses a button, named by its label; resolves to the short notice that they get, if any. */
  click(person: string, messageId: string, label: string, options?: ClickOptions): Promise<string | undefined>;
  /** The next `count` requests are answered 429 (`busy`) or 5xx (`down`). */
  fail(how: "busy" | "down", count: number): void;
  /** Nobody answers at all until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Limits, deadlines and rules of the platform that the channel broke. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}
