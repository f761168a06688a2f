import { type Approval, checkAudience, type Person, stateAt } from "../core/approval.js";
import { loadApproval } from "../core/engine.js";
import { type CountersignError, toCountersignError } from "../core/errors.js";
import { escapeText } from "../core/text/escape.js";
import type { Shown } from "../core/text/shown.js";
import type { Locale } from "../core/tool.js";
import type { Delivery } from "./book.js";
import type { Account } from "./channel.js";
import type { DeskContext } from "./desk-context.js";
import { channelWords, replyWordsIn } from "./words.js";

/** What became of an answer, in words for whoever gave it. */
export interface Told {
  readonly kind: "success" | "info" | "error";
  readonly text: Shown;
}

/** The person behind an account, if they may answer this; otherwise what to tell them. */
export async function answerer(
  { directory }: DeskContext,
  account: Account,
  approval: Approval,
  locale: Locale,
): Promise<Person | Told> {
  const words = channelWords(locale);
  const person = await directory.person(account, approval.workspaceId);
  if (person === undefined) return { kind: "error", text: words.stranger };
  if (checkAudience(approval, person) !== undefined) return { kind: "error", text: words.notAudience };
  return { ...person, surface: account.channel };
}

export interface Said {
  readonly decision: "approve" | "deny";
  /** By its button, its number or a reply to it; a bare word means whatever happens to be open. */
  readonly namesCard: boolean;
}

/** One person's answer to the question that stands on this card. The gate says whether it counts. */
export async function decideFrom(
  context: DeskContext,
  delivery: Delivery,
  account: Account,
  { decision, namesCard }: Said,
): Promise<Told> {
  const { gate, directory } = context;
  const words = channelWords(delivery.locale);
  const approval = await loadApproval({ store: gate.store }, delivery.approvalId);
  if (approval === undefined) return { kind: "error", text: words.notFound };
  const known = await answerer(context, account, approval, delivery.locale);
  if (!("userId" in known)) return known;
  const who: Person = namesCard && known.assurance === "channel" ? { ...known, assurance: "card" } : known;
  if (stateAt(approval, gate.store.time()) !== "pending") return ended(context, approval, who, delivery.locale);
  if (decision === "approve") {
    const here = delivery.approvable && (await directory.mayApproveOn(delivery.channel, approval.riskTier, who.userId));
    if (!here) return { kind: "error", text: words.elsewhere };
  }
  try {
    const decided = await gate.decide(
      {
        approvalId: delivery.approvalId,
        decision,
        toolCallHash: delivery.toolCallHash,
        ...(delivery.cardHash === undefined ? {} : { cardHash: delivery.cardHash }),
      },
      who,
    );
    if (decided.resolution === undefined) {
      const now = await loadApproval({ store: gate.store }, delivery.approvalId);
      return { kind: "success", text: words.voted(now?.votes.length ?? 1, approval.audience.quorum) };
    }
    return {
      kind: "success",
      text: await resolved(context, delivery.workspaceId, decided.resolution, delivery.locale),
    };
  } catch (error) {
    return refusal(context, delivery, who, toCountersignError(error));
  }
}

/** Somebody was faster, or the time is over. Whoever decided it themselves hears that again, as after a redelivery. */
async function ended(context: DeskContext, approval: Approval, who: Person, locale: Locale): Promise<Told> {
  const words = channelWords(locale);
  const { resolution } = approval;
  if (resolution?.by === undefined) return { kind: "info", text: words.tooLate };
  const text = await resolved(context, approval.workspaceId, resolution, locale);
  return { kind: resolution.by === who.userId ? "success" : "info", text };
}

async function resolved(
  { directory }: DeskContext,
  workspaceId: string,
  { type, by }: NonNullable<Approval["resolution"]>,
  locale: Locale,
): Promise<Shown> {
  const words = channelWords(locale);
  const name = by === undefined ? undefined : escapeText(await directory.name(workspaceId, by));
  if (type === "denied") return words.deniedBy(name ?? ("–" as Shown));
  return name === undefined ? words.approvedByRules : words.approvedBy(name);
}

async function refusal(
  context: DeskContext,
  { approvalId, locale, code }: Delivery,
  who: Person,
  error: CountersignError,
): Promise<Told> {
  const words = channelWords(locale);
  const approval = await loadApproval({ store: context.gate.store }, approvalId);
  switch (error.code) {
    case "already_resolved":
    case "expired":
      return approval === undefined ? { kind: "info", text: words.tooLate } : ended(context, approval, who, locale);
    case "step_up_required": {
      const here = approval?.audience.assurance === "card";
      const { yes } = replyWordsIn(locale);
      return { kind: "error", text: here ? words.wordIsNotEnough(yes, code as Shown) : words.elsewhere };
    }
    case "self_approval":
      return { kind: "error", text: words.notYours };
    case "user_mismatch":
    case "family_mismatch":
      return { kind: "error", text: words.notAudience };
    case "hash_mismatch":
    case "hash_required":
      return { kind: "info", text: words.changed };
    case "store_failed":
    case "queue_full":
      // Nobody knows what became of it; whoever brought the answer may bring it again.
      throw error;
    default:
      context.notice("channel.decide_failed", { code: error.code });
      return { kind: "error", text: words.trouble };
  }
}
