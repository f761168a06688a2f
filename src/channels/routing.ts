import { randomInt } from "node:crypto";
import type { Approval } from "../core/approval.js";
import { newId, randomPooled } from "../core/ids.js";
import { type Delivery, sessionKeyOf } from "./book.js";
import type { ChannelName, Chat } from "./channel.js";
import type { DeskContext } from "./desk-context.js";
import { HOPELESS_AFTER } from "./waiting.js";

interface Target {
  readonly channel: ChannelName;
  readonly chat: Chat;
  readonly userId?: string;
}

/** Puts a new question, or a new revision of one, into the outbox: for the chat it came from, its approvers and its groups. */
export async function route(context: DeskContext, approval: Approval): Promise<void> {
  for (const target of await targetsOf(context, approval)) await enqueue(context, approval, target);
  context.hurry();
}

async function targetsOf(context: DeskContext, approval: Approval): Promise<readonly Target[]> {
  const { book, directory, channels, groups } = context;
  const linked = (await directory.reach(approval)).filter(({ account }) => channels.has(account.channel));
  const firsts = linked.filter((each, at) => linked.findIndex(({ userId }) => userId === each.userId) === at);
  const origin = await book.chatOf(sessionKeyOf({ ...approval.requester, workspaceId: approval.workspaceId }));
  const owner = linked.find(({ account, chat }) => account.channel === origin?.channel && chat.id === origin.chat.id);
  return [
    ...(origin === undefined ? [] : [{ ...origin, ...(owner === undefined ? {} : { userId: owner.userId }) }]),
    ...firsts.map(({ account, chat, userId }) => ({ channel: account.channel, chat, userId })),
    ...groups
      .filter(({ workspaceId }) => workspaceId === approval.workspaceId)
      .map(({ channel, chatId }) => ({ channel, chat: { kind: "group" as const, id: chatId } })),
  ];
}

/** A card did not get there: the person's next account is tried. Where nobody is left to try, that is said aloud. */
export async function escalate(context: DeskContext, failed: Delivery): Promise<void> {
  const { gate, book, directory, channels, clock, notice } = context;
  const question = await gate.hostCard(failed.approvalId, failed.locale);
  if (question === undefined || question.approval.state !== "pending") return;
  const { approval } = question;
  const tried = await book.ofApproval(approval.approvalId);
  const untried = (await directory.reach(approval)).find(
    ({ account, chat, userId }) =>
      channels.has(account.channel) &&
      (failed.userId === undefined || userId === failed.userId) &&
      !tried.some((each) => each.channel === account.channel && each.chat.id === chat.id),
  );
  if (untried !== undefined) {
    const { account, chat, userId } = untried;
    await enqueue(context, approval, { channel: account.channel, chat, userId });
    context.hurry();
    return;
  }
  const open = (await book.ofApproval(approval.approvalId)).some(
    ({ state, attempts }) => state === "sent" || (state === "queued" && attempts < HOPELESS_AFTER),
  );
  const event = `unreached/${approval.approvalId}/${approval.toolCallHash}`;
  const now = clock.now();
  if (open || !(await book.first(event, now, now + 86_400_000))) return;
  notice("approval.unreached", { approvalId: approval.approvalId });
  // In the chain, so that the agent's stream, the inbox and the operator hear of it instead of waiting for a silent end.
  await gate.note({
    eventId: newId(),
    workspaceId: approval.workspaceId,
    type: "approval.unreached",
    ref: approval.approvalId,
    content: { tool: approval.tool },
    tightens: false,
  });
}

async function enqueue(context: DeskContext, approval: Approval, { channel, chat, userId }: Target): Promise<void> {
  const { book, clock, locales } = context;
  const open = await book.openIn(channel, chat.id);
  await book.add({
    id: randomPooled(16).toString("base64url"),
    version: 1,
    workspaceId: approval.workspaceId,
    approvalId: approval.approvalId,
    toolCallHash: approval.toolCallHash,
    channel,
    chat,
    ...(userId === undefined ? {} : { userId }),
    locale: locales[channel],
    code: freeCode(open.map(({ code }) => code)),
    state: "queued",
    shows: "question",
    wants: "question",
    approvable: false,
    attempts: 0,
    dueAt: clock.now(),
    expiresAt: approval.decideBy,
    misses: 0,
    askedAgain: false,
    reminded: false,
  });
}

/** Two digits that no other open question of the chat has; with all of them taken, one that names several names none. */
function freeCode(taken: readonly string[]): string {
  const free = Array.from({ length: 90 }, (_, at) => String(at + 10)).filter((code) => !taken.includes(code));
  return free[randomInt(Math.max(1, free.length))] ?? "99";
}
