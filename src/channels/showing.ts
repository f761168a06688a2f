import { type Approval, type ApprovalState, type Assurance, stateAt } from "../core/approval.js";
import type { Card } from "../core/card/card.js";
import { leavesOf } from "../core/card/values.js";
import type { ReplyRules } from "../core/reply-rules.js";
import { escapeText } from "../core/text/escape.js";
import type { Shown } from "../core/text/shown.js";
import type { Delivery, Showing } from "./book.js";
import type { Channel } from "./channel.js";
import type { Directory } from "./directory.js";
import { type CardFace, type FaceButton, faceOf, shortFaceOf } from "./face.js";
import { type Bar, howToAnswer } from "./how-to-answer.js";
import { type ChannelWords, channelWords, replyWordsIn } from "./words.js";

/** What a message about this approval should show. */
export function showingOf(approval: Approval, delivery: Pick<Delivery, "toolCallHash">, now: number): Showing {
  const state = stateAt(approval, now);
  if (state !== "pending") return state === "approved" || state === "executing" ? "approved" : "ended";
  return approval.toolCallHash === delivery.toolCallHash ? "question" : "changed";
}

export interface Drawn {
  readonly face: CardFace;
  /** Whether the face offers a yes. */
  readonly approvable: boolean;
}

export interface DrawContext {
  readonly channel: Channel;
  readonly directory: Directory;
  readonly replyRules: (workspaceId: string) => Promise<ReplyRules>;
  /** Where the web app is; without one there is no full view to open. */
  readonly origin?: string;
}

/** The question as this chat may see it: with a yes only where all of it is shown and a yes from here could count. */
export async function drawQuestion(
  { channel, directory, replyRules, origin }: DrawContext,
  delivery: Delivery,
  approval: Approval,
  card: Card,
): Promise<Drawn> {
  const words = channelWords(delivery.locale);
  const bar = await barFor(directory, delivery, approval, card, words);
  const open = openButton(origin, approval, words);
  const rules = await replyRules(delivery.workspaceId);
  const parts = (why: Bar | undefined) => ({
    closing: howToAnswer(delivery, approval, rules, why),
    buttons: buttons(delivery, approval, words, why, open),
  });
  const whole = faceOf(card, parts(bar));
  if (channel.fits(whole)) return { face: whole, approvable: bar === undefined };
  const short = shortFaceOf(card, parts({ text: words.tooLarge, mayDeny: bar?.mayDeny ?? true }));
  return { face: short, approvable: false };
}

/** How it ended, in place of the question. */
export async function drawEnd(
  { channel, directory }: Pick<DrawContext, "channel" | "directory">,
  delivery: Delivery,
  approval: Approval,
  card: Card,
): Promise<CardFace> {
  const words = channelWords(delivery.locale);
  const parts = { closing: await ending(directory, delivery, approval, words), buttons: [] };
  const whole = faceOf(card, parts);
  return channel.fits(whole) ? whole : shortFaceOf(card, parts);
}

/** What somebody in a chat can prove at most. */
const PROVEN_HERE: readonly Assurance[] = ["host", "client", "channel", "card"];

/** Why a yes is not offered in this chat. */
async function barFor(
  directory: Directory,
  { channel, chat, userId }: Delivery,
  { audience, riskTier }: Approval,
  card: Card,
  words: ChannelWords,
): Promise<Bar | undefined> {
  if (audience.assurance !== undefined && !PROVEN_HERE.includes(audience.assurance)) {
    return { text: words.elsewhere, mayDeny: true };
  }
  if (!(await directory.mayApproveOn(channel, riskTier, userId))) return { text: words.elsewhere, mayDeny: true };
  const masked = card.arguments.flatMap(({ value }) => leavesOf(value)).some(({ kind }) => kind === "hidden");
  return chat.kind === "group" && masked ? { text: words.maskedInGroup, mayDeny: true } : undefined;
}

function buttons(
  { id, code, locale, userId }: Delivery,
  { requester }: Approval,
  words: ChannelWords,
  bar: Bar | undefined,
  open: readonly FaceButton[],
): readonly FaceButton[] {
  const { yes, no } = replyWordsIn(locale);
  const own = userId === requester.userId;
  const approve = {
    kind: "approve",
    label: own ? words.confirm : words.approve,
    value: valueOf(id, "approve"),
    says: `${yes} ${code}`,
  } as const;
  const deny = {
    kind: "deny",
    label: own ? words.cancel : words.deny,
    value: valueOf(id, "deny"),
    says: `${no} ${code}`,
  } as const;
  return [...(bar === undefined ? [approve] : []), ...((bar?.mayDeny ?? true) ? [deny] : []), ...open];
}

function openButton(origin: string | undefined, { approvalId }: Approval, words: ChannelWords): readonly FaceButton[] {
  if (origin === undefined) return [];
  return [{ kind: "open", label: words.openFull, url: `${origin}/approvals/${encodeURIComponent(approvalId)}` }];
}

/** What a button carries: which card, and which of its two buttons. */
function valueOf(id: string, decision: "approve" | "deny"): string {
  return `${id}.${decision === "approve" ? "a" : "d"}`;
}

export function readValue(value: string): { readonly id: string; readonly decision: "approve" | "deny" } | undefined {
  const [, id, letter] = /^([\w-]{16,40})\.([ad])$/.exec(value) ?? [];
  return id === undefined ? undefined : { id, decision: letter === "a" ? "approve" : "deny" };
}

async function ending(
  directory: Directory,
  { toolCallHash }: Delivery,
  approval: Approval,
  words: ChannelWords,
): Promise<readonly Shown[]> {
  const { resolution, state } = approval;
  if (state === "pending" && approval.toolCallHash !== toolCallHash) return [words.changed];
  const by =
    resolution?.by === undefined ? undefined : escapeText(await directory.name(approval.workspaceId, resolution.by));
  const reason = resolution?.reason === undefined ? [] : [words.reason(escapeText(resolution.reason))];
  switch (state) {
    case "denied":
      return [words.deniedBy(by ?? ("–" as Shown)), ...reason];
    case "cancelled":
      return [words.cancelled, ...reason];
    case "expired":
    case "pending":
      return [words.expired];
    default:
      return [by === undefined ? words.approvedByRules : words.approvedBy(by), ...progress(state, words)];
  }
}

function progress(state: ApprovalState, words: ChannelWords): readonly Shown[] {
  switch (state) {
    case "executing":
      return [words.running];
    case "succeeded":
      return [words.succeeded];
    case "failed":
      return [words.failed];
    case "unknown":
      return [words.unknown];
    default:
      return [];
  }
}
