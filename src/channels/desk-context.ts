import type { Gate } from "../core/gate.js";
import type { Clock, Notice } from "../core/ports.js";
import type { ReplyWords } from "../core/read-reply.js";
import type { ReplyRules, Unclear } from "../core/reply-rules.js";
import type { Locale } from "../core/tool.js";
import type { Book } from "./book.js";
import type { Channel, ChannelName, Message } from "./channel.js";
import type { Directory } from "./directory.js";

/** A group that hears of every question of its workspace. */
export interface GroupChat {
  readonly workspaceId: string;
  readonly channel: ChannelName;
  readonly chatId: string;
}

export interface DeskOptions {
  readonly gate: Gate;
  readonly channels: readonly Channel[];
  readonly directory: Directory;
  readonly book: Book;
  /** Whose questions are brought to chats. */
  readonly workspaces: () => Promise<readonly string[]>;
  /** Where the web app is, for "Open full view". */
  readonly origin?: string;
  readonly groups?: readonly GroupChat[];
  /** Chinese for Feishu and DingTalk and English for the others, unless said. */
  readonly locales?: Partial<Record<ChannelName, Locale>>;
  /** Words that count besides the usual ones, in every workspace. A workspace may add its own. */
  readonly words?: ReplyWords;
  /** What an unclear answer does where a workspace has not said: the person is asked once more; or, as seed E has it, it cancels. */
  readonly unclear?: Unclear;
  /** Messages that answer nothing: for the agent. */
  readonly passOn?: (message: Message) => Promise<void>;
  readonly clock?: Clock;
  readonly notice?: Notice;
}

/** What the parts of a desk share. */
export interface DeskContext {
  readonly gate: Gate;
  readonly channels: ReadonlyMap<ChannelName, Channel>;
  readonly directory: Directory;
  readonly book: Book;
  readonly origin?: string;
  readonly groups: readonly GroupChat[];
  readonly locales: Readonly<Record<ChannelName, Locale>>;
  /** How a workspace wants answers read at this moment. */
  readonly replyRules: (workspaceId: string) => Promise<ReplyRules>;
  readonly clock: Clock;
  readonly notice: Notice;
  /** Something is due now: the outbox looks. */
  readonly hurry: () => void;
  /** Aborted once the desk closes: nothing is tried again from then on. */
  readonly closing: AbortSignal;
}
