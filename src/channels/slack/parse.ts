import { z } from "zod";
import type { Account, Chat, Click, Message } from "../channel.js";
import { ACTIONS } from "./draw.js";
import { hasQuote, plainTextOf } from "./text.js";

const ts = z.string().regex(/^\d{1,12}\.\d{6}$/);
const id = z.string().min(1);

const written = z.object({
  ts,
  user: id.optional(),
  text: z.string().optional(),
  thread_ts: ts.optional(),
  subtype: z.string().optional(),
  bot_id: z.unknown().optional(),
  app_id: z.unknown().optional(),
  bot_profile: z.unknown().optional(),
  user_team: id.optional(),
  team: id.optional(),
  attachments: z
    .array(z.object({ is_share: z.unknown().optional(), is_msg_unfurl: z.unknown().optional() }))
    .optional(),
  blocks: z.array(z.object({ elements: z.array(z.object({ type: z.string().optional() })).optional() })).optional(),
});
type Written = z.infer<typeof written>;

const event = z.object({
  type: z.literal("event_callback"),
  event_id: id,
  team_id: id.optional(),
  context_team_id: id.nullish(),
  authorizations: z.array(z.object({ team_id: id.nullish() })).optional(),
  event: z.looseObject({ type: z.string(), subtype: z.string().optional() }),
});
type Told = z.infer<typeof event>;

/** An edit says what the message is now. */
const changed = z.object({ channel: id, message: written });
const said = written.extend({ channel: id });

const actions = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id, team_id: id.optional() }),
  team: z.object({ id }).nullish(),
  container: z.object({ type: z.string(), message_ts: ts.optional(), channel_id: id.optional() }),
  actions: z.array(
    z.object({ action_id: z.string(), type: z.string(), value: z.string().optional(), action_ts: z.string() }),
  ),
});

/** Who the app is, as Slack said when it was asked. */
export interface Self {
  readonly teamId: string;
  readonly botUserId: string;
}

type Heard =
  | { readonly type: "click"; readonly click: Click; readonly chat: Chat }
  | { readonly type: "message"; readonly message: Message }
  /** Of a workspace that this app's token is not for. */
  | { readonly type: "foreign" }
  /** Something that says nothing to us. */
  | { readonly type: "other" };

/** What a person can have sent with words of their own in it. */
const OWN_WORDS = new Set([undefined, "thread_broadcast", "file_share"]);

/** Reads a body whose sender was verified; undefined when it has not the form that Slack documents. */
export function parse(raw: unknown, self: Self): Heard | undefined {
  const kind = (raw as { type?: unknown } | null)?.type;
  if (kind === "block_actions") {
    const read = actions.safeParse(raw);
    return read.success ? clickOf(read.data) : undefined;
  }
  if (kind !== "event_callback") return typeof kind === "string" ? { type: "other" } : undefined;
  const read = event.safeParse(raw);
  return read.success ? toldOf(read.data, self) : undefined;
}

function clickOf({ user, team, container, actions: [action] }: z.infer<typeof actions>): Heard | undefined {
  const { message_ts: messageId, channel_id: chatId } = container;
  if (action === undefined || messageId === undefined || chatId === undefined) return { type: "other" };
  // A button that opens a link reports it too.
  if (action.action_id !== ACTIONS.approve && action.action_id !== ACTIONS.deny) return { type: "other" };
  const tenant = user.team_id ?? team?.id;
  if (action.value === undefined || tenant === undefined) return undefined;
  return {
    type: "click",
    chat: chatOf(chatId),
    click: {
      // Slack numbers no clicks; one person presses one card once at a time.
      eventId: `${chatId}:${messageId}:${user.id}:${action.action_ts}`,
      account: accountOf(tenant, user.id),
      messageId,
      chatId,
      value: action.value,
    },
  };
}

function toldOf(told: Told, self: Self): Heard | undefined {
  const teams = [told.team_id, told.context_team_id, ...(told.authorizations ?? []).map(({ team_id }) => team_id)];
  if (!teams.includes(self.teamId)) return { type: "foreign" };
  const { type, subtype } = told.event;
  if (type !== "message" && type !== "app_mention") return { type: "other" };
  if (subtype === "message_deleted") return { type: "other" };
  const edited = subtype === "message_changed";
  const read = edited ? changed.safeParse(told.event) : said.safeParse(told.event);
  if (!read.success) return undefined;
  const { channel } = read.data;
  const message = "message" in read.data ? read.data.message : read.data;
  return messageOf(message, channel, edited ? told.event_id : undefined, told, self);
}

function messageOf(message: Written, channel: string, editId: string | undefined, told: Told, self: Self): Heard {
  const text = plainTextOf(message.text ?? "", self.botUserId);
  const tenant = message.user_team ?? message.team ?? told.team_id;
  const { user, thread_ts: root } = message;
  if (user === undefined || tenant === undefined || text === "") return { type: "other" };
  const fromApp = [message.bot_id, message.app_id, message.bot_profile].some(
    (mark) => mark !== undefined && mark !== null,
  );
  const machine = fromApp || !OWN_WORDS.has(message.subtype) || user === self.botUserId || user === "USLACKBOT";
  return {
    type: "message",
    message: {
      // The same message comes twice where the app hears the channel and its own mentions.
      eventId: editId ?? `${channel}:${message.ts}`,
      messageId: message.ts,
      account: accountOf(tenant, user),
      chat: chatOf(channel),
      text,
      ...(root === undefined || root === message.ts ? {} : { replyTo: root }),
      ...timeOf(message.ts),
      from: machine ? "machine" : "person",
      secondHand: editId !== undefined || isPassedOn(message),
    },
  };
}

/** Shared messages come as attachments, quoted ones as a block or with the mark of a quote. */
function isPassedOn({ attachments = [], blocks = [], text = "" }: Written): boolean {
  return (
    attachments.some(({ is_share, is_msg_unfurl }) => is_share === true || is_msg_unfurl === true) ||
    blocks.some(({ elements = [] }) => elements.some(({ type }) => type === "rich_text_quote")) ||
    hasQuote(text)
  );
}

/** A message's name is its time in microseconds, so it also says which came first. */
export function timeOf(messageTs: string): { readonly at: number; readonly sequence: number } {
  const sequence = Number(messageTs.replace(".", ""));
  return { at: Math.floor(sequence / 1000), sequence };
}

function accountOf(tenant: string, user: string): Account {
  return { channel: "slack", tenant, id: user };
}

/** Direct messages with the app begin with D; whatever else there is has other people in it. */
function chatOf(channel: string): Chat {
  return { kind: channel.startsWith("D") ? "private" : "group", id: channel };
}
