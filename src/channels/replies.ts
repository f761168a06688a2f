import { loadApproval } from "../core/engine.js";
import { type Reply, readCodedReply } from "../core/read-reply.js";
import { escapeText } from "../core/text/escape.js";
import type { Shown } from "../core/text/shown.js";
import { answerer, type Said } from "./answers.js";
import type { Delivery } from "./book.js";
import type { Message } from "./channel.js";
import type { DeskContext } from "./desk-context.js";
import { isOpen } from "./memory-book.js";
import { update, whenSent } from "./refresh.js";
import { channelWords, replyWordsIn } from "./words.js";

/** Whether a message was an answer, and is used up by that, or goes on to the agent. */
export type Heard = "consumed" | "passed";

/** An answer to the question on this card. */
export interface Answer extends Said {
  readonly delivery: Delivery;
}

/** Wrong numbers in one chat, after which numbers open nothing there. */
const MAX_MISSES = 5;
/** Some platforms tell their time by the second, and show a card in two messages. */
const CLOCK_ROUNDS = 3_000;
const LINK = /^\/?(?:link|start|连接|关联)\s+([A-Za-z0-9-]{8,64})$/u;

/** Reads a message as an answer to what is open in its chat: by this person, to this question. Decides nothing. */
export async function read(context: DeskContext, message: Message): Promise<Heard | Answer> {
  // Words that somebody quotes, forwards or changes later were not said as an answer.
  if (message.secondHand) return "passed";
  if (await link(context, message)) return "consumed";
  const open = await standing(context, message);
  if (!open.some((delivery) => isAfter(message, delivery, CLOCK_ROUNDS))) return "passed";
  const readings = await readFor(context, message, open);
  const clear = [...readings.values()].find(({ reading }) => reading !== "unclear");
  if (clear === undefined) return unclear(context, message, open);
  const meant = meantBy(message, clear, open);
  if (meant === "other") return "passed";
  if (meant === "which") return askWhich(context, message, open);
  if (meant === "unknown") return missed(context, message, open);
  // What says yes in one workspace need not in the next: the words of the one that is meant count.
  const { reading, code } = readings.get(meant.workspaceId) ?? { reading: "unclear" };
  if (reading === "unclear") return unclear(context, message, open);
  if (code !== undefined && meant.misses >= MAX_MISSES) return missed(context, message, [meant]);
  return { delivery: meant, decision: reading, namesCard: code !== undefined || message.replyTo !== undefined };
}

/** The message as each workspace reads it that has a question open here. */
async function readFor(
  context: DeskContext,
  { text }: Message,
  open: readonly Delivery[],
): Promise<ReadonlyMap<string, Reply>> {
  const workspaces = [...new Set(open.map(({ workspaceId }) => workspaceId))];
  return new Map(
    await Promise.all(
      workspaces.map(async (workspaceId): Promise<[string, Reply]> => {
        const { words } = await context.replyRules(workspaceId);
        return [workspaceId, readCodedReply(text, words)];
      }),
    ),
  );
}

/** The open questions of the chat. One that is being sent may be seen already: it is waited for, and counts. */
async function standing(context: DeskContext, { account, chat }: Message): Promise<readonly Delivery[]> {
  const open = await context.book.openIn(account.channel, chat.id);
  const settled = await Promise.all(open.map(({ id }) => whenSent(context, id)));
  return settled.filter((delivery) => delivery !== undefined && isOpen(delivery)) as readonly Delivery[];
}

/** What was written before the card stood there cannot speak of it (attack E10, seed flaw F-E4). */
function isAfter({ at, sequence }: Message, delivery: Delivery, leeway = 0): boolean {
  if (delivery.state !== "sent") return false;
  if (sequence !== undefined && delivery.sequence !== undefined) return sequence > delivery.sequence;
  return at >= (delivery.sentAt ?? Number.POSITIVE_INFINITY) - leeway;
}

/** A reply to a card means that card; a number the card that has it; the bare word the only open card of a private chat. */
function meantBy(
  message: Message,
  { code }: Reply,
  open: readonly Delivery[],
): Delivery | "other" | "which" | "unknown" {
  const { replyTo, chat } = message;
  const byNumber = code === undefined ? undefined : open.filter((delivery) => delivery.code === code);
  if (replyTo !== undefined) {
    const answered = quotedBy(message, open);
    // Answering one card with another one's number means neither.
    if (answered === undefined) return "other";
    return byNumber === undefined || byNumber.includes(answered) ? answered : "unknown";
  }
  const [only] = byNumber ?? open;
  // Who knows the number has seen the card, whatever the platform's clock rounds to.
  const leeway = byNumber === undefined ? 0 : CLOCK_ROUNDS;
  const one =
    (byNumber ?? open).length === 1 && only !== undefined && isAfter(message, only, leeway) ? only : undefined;
  if (byNumber !== undefined) return one ?? "unknown";
  return chat.kind === "private" && one !== undefined ? one : "which";
}

/** The card that a message is a reply to. */
function quotedBy({ replyTo }: Message, open: readonly Delivery[]): Delivery | undefined {
  return open.find(({ messageId, quotedAs = [] }) => [messageId, ...quotedAs].includes(replyTo));
}

/** The question stays open, the message goes on to the agent, and the person is asked once more; or it counts as a no. */
async function unclear(context: DeskContext, message: Message, open: readonly Delivery[]): Promise<Heard | Answer> {
  const { gate, book } = context;
  const meant =
    message.replyTo === undefined
      ? message.chat.kind === "private" && open.length === 1
        ? open.find((delivery) => isAfter(message, delivery))
        : undefined
      : quotedBy(message, open);
  const approval = meant && (await loadApproval({ store: gate.store }, meant.approvalId));
  if (meant === undefined || approval === undefined) return "passed";
  if (!("userId" in (await answerer(context, message.account, approval, meant.locale)))) return "passed";
  if ((await context.replyRules(meant.workspaceId)).unclear === "cancel") {
    return { delivery: meant, decision: "deny", namesCard: false };
  }
  if (meant.askedAgain) return "passed";
  await update(book, meant.id, (current) => ({ ...current, askedAgain: true }));
  const { yes, no } = replyWordsIn(meant.locale);
  await say(context, message, channelWords(meant.locale).askAgain(yes, no, meant.code as Shown));
  return "passed";
}

/** Says which questions are open, to somebody who may answer one of them; nothing is decided. */
async function askWhich(context: DeskContext, message: Message, open: readonly Delivery[]): Promise<Heard> {
  const words = channelWords(context.locales[message.account.channel]);
  const lines: Shown[] = [];
  for (const { approvalId, code, locale } of open) {
    const question = await context.gate.hostCard(approvalId, locale);
    if (question === undefined) continue;
    const who = await answerer(context, message.account, question.approval, locale);
    if ("userId" in who) lines.push(words.openLine(code as Shown, question.card.humanSummary));
  }
  if (lines.length === 0) {
    // In a group people say yes and no to each other all day; only whoever talks to the bot is told.
    if (message.chat.kind === "group") return "passed";
    await say(context, message, words.stranger);
    return "consumed";
  }
  await say(context, message, words.needsCode(lines));
  return "consumed";
}

async function missed(context: DeskContext, message: Message, open: readonly Delivery[]): Promise<Heard> {
  const words = channelWords(context.locales[message.account.channel]);
  const locked = open.every(({ misses }) => misses >= MAX_MISSES);
  for (const { id } of locked ? [] : open) {
    await update(context.book, id, (current) => ({ ...current, misses: current.misses + 1 }));
  }
  await say(context, message, locked ? words.locked : words.wrongCode);
  return "consumed";
}

/** `link CODE` in a private chat connects the account to the person who was given the code. */
async function link(context: DeskContext, message: Message): Promise<boolean> {
  const code = message.chat.kind === "private" ? LINK.exec(message.text.trim())?.[1] : undefined;
  if (code === undefined) return false;
  const words = channelWords(context.locales[message.account.channel]);
  const name = await context.directory.link(code, message.account, message.chat);
  await say(context, message, name === undefined ? words.linkRefused : words.linked(escapeText(name)));
  return true;
}

/** Said on a best effort: an answer counts whether or not its echo gets through. */
export async function say(
  { channels, notice }: DeskContext,
  { account, chat, messageId }: Message,
  text: Shown,
): Promise<void> {
  try {
    await channels.get(account.channel)?.say(chat, text, messageId);
  } catch (error) {
    notice("channel.say_failed", { channel: account.channel, why: (error as Error).message });
  }
}
