export { checkReplyWords } from "../core/check-reply-words.js";
export { type Reading, type ReplyWords, readReply } from "../core/read-reply.js";
export type { Book, Delivery } from "./book.js";
export { type BusOptions, type InboundMessage, MessageBus, type OutboundMessage } from "./bus.js";
export {
  type Account,
  type Channel,
  ChannelError,
  type ChannelEvents,
  type ChannelName,
  type Chat,
  type Click,
  type ClickAnswer,
  type Delivered,
  type Message,
} from "./channel.js";
export { ConfirmationStore } from "./confirmation-store.js";
export { Desk } from "./desk.js";
export type { DeskOptions, GroupChat } from "./desk-context.js";
export { type DingtalkOptions, dingtalkChannel } from "./dingtalk/channel.js";
export type { Directory, LinkedAccount } from "./directory.js";
export type { CardFace, FaceButton, FaceSection } from "./face.js";
export { feishuChannel } from "./feishu/channel.js";
export { type FeishuOptions } from "./feishu/options.js";
export { fixedDirectory, type KnownPerson } from "./fixed-directory.js";
export { memoryBook } from "./memory-book.js";
export { slackChannel } from "./slack/channel.js";
export { type SlackOptions } from "./slack/setup.js";
export { telegramChannel } from "./telegram/channel.js";
export { type TelegramOptions } from "./telegram/setup.js";
