import type { Caller } from "../core/call.js";
import type { Locale } from "../core/tool.js";
import type { ChannelName, Chat } from "./channel.js";

/** What the message in the chat shows. */
export type Showing = "question" | "approved" | "ended" | "changed";

/** One card in one chat: what was asked there, and what the message shows now. */
export interface Delivery {
  /** Random; the buttons carry it and nothing else. */
  readonly id: string;
  readonly version: number;
  readonly workspaceId: string;
  readonly approvalId: string;
  readonly toolCallHash: string;
  readonly channel: ChannelName;
  readonly chat: Chat;
  /** The person whose private chat it is; absent in groups. */
  readonly userId?: string;
  readonly locale: Locale;
  /** Two digits that tell it from the other open questions of the chat. */
  readonly code: string;
  /** `queued`: to be sent; `sent`: stands in the chat; `failed`: never got there. */
  readonly state: "queued" | "sent" | "failed";
  /** What the message shows, and what it should show; they differ while a redraw is due. */
  readonly shows: Showing;
  readonly wants: Showing;
  /** Whether a yes may be given here; known once the card was drawn. */
  readonly approvable: boolean;
  readonly cardHash?: string;
  readonly attempts: number;
  /** When something is to be done about it next; null when nothing is. */
  readonly dueAt: number | null;
  readonly messageId?: string;
  readonly quotedAs?: readonly string[];
  readonly sentAt?: number;
  readonly sequence?: number;
  /** The question's own end. */
  readonly expiresAt: number;
  /** Wrong codes that were tried in this chat against it. */
  readonly misses: number;
  /** Whether the person was asked again after an unclear answer: once. */
  readonly askedAgain: boolean;
  readonly reminded: boolean;
}

/** Where channels keep what they have sent. It knows no rule; several instances may share it. */
export interface Book {
  /** False when this chat was told of this very call already. */
  add(delivery: Delivery): Promise<boolean>;
  get(id: string): Promise<Delivery | undefined>;
  /** Replaces the version that `delivery` was read at; false when somebody was faster. */
  save(delivery: Delivery): Promise<boolean>;
  /** What is due, the longest waiting first. */
  due(now: number, limit: number): Promise<readonly Delivery[]>;
  ofApproval(approvalId: string): Promise<readonly Delivery[]>;
  /** Questions that stand in a chat, or are on their way there, and have not ended. */
  openIn(channel: ChannelName, chatId: string): Promise<readonly Delivery[]>;
  /** True for whoever names the event first, or once the time is over for which it was remembered before. */
  first(event: string, now: number, until: number): Promise<boolean>;
  /** An event that was named is remembered until then. */
  keep(event: string, until: number): Promise<void>;
  /** How far a workspace's chain was followed. */
  cursor(workspaceId: string): Promise<number | undefined>;
  moveCursor(workspaceId: string, seq: number): Promise<void>;
  /** The chat that a session speaks in, by its key (`sessionKeyOf`). */
  chatOf(sessionKey: string): Promise<SessionChat | undefined>;
  rememberChat(sessionKey: string, chat: SessionChat): Promise<void>;
  /** Forgets what is past: events whose time is over, and deliveries that ended before. */
  sweep(now: number, endedBefore: number): Promise<void>;
}

/**
 * A session as one person's: agents choose the names of their sessions, and a name alone must not bring somebody's question
 * into a chat of others (I11).
 */
export function sessionKeyOf(whose: Pick<Caller, "workspaceId" | "userId" | "sessionId">): string {
  return JSON.stringify([whose.workspaceId, whose.userId, whose.sessionId]);
}

export interface SessionChat {
  readonly channel: ChannelName;
  readonly chat: Chat;
}
