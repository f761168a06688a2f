import type { ApprovalView, DecidedView } from "../client/wire.js";
import type { SessionView } from "../client/wire-people.js";
import type { Approval } from "../core/approval.js";
import type { Card } from "../core/card/card.js";
import type { Decided } from "../core/deciding.js";
import { showName } from "../core/text/inline.js";
import type { Locale } from "../core/tool.js";
import type { CardToDraw } from "../core/views.js";
import type { Names, Session } from "./identity/index.js";

/** Times leave the server as text that every language reads. */
export function wireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

type Timed<T, K extends keyof T> = Omit<T, K> & { readonly [P in K]: string | Extract<T[P], null> };

/** The same value with the named times as text; what has not happened stays null. */
export function withTimes<T extends object, K extends keyof T>(value: T, ...keys: readonly K[]): Timed<T, K> {
  const times = keys.map((key) => {
    const at = value[key] as number | null;
    return [key, at === null ? null : wireTime(at)];
  });
  return { ...value, ...Object.fromEntries(times) };
}

export function wireSession({ userId: _own, ...session }: Session): SessionView {
  return withTimes(session, "createdAt", "expiresAt", "strongAuthAt");
}

/** Let through without a question: by a rule, a grant, a setting or a mode. */
export function isAutoApproved({ resolution, execution }: Approval): boolean {
  return resolution === undefined && execution !== undefined;
}

export async function viewOf(names: Names, approval: Approval, card?: Card): Promise<ApprovalView> {
  const { requester, audience, resolution, execution, requestedAt, handedTo } = approval;
  const { userId, agentId, sessionId } = requester;
  const called = await calling(names, approval);
  return {
    approvalId: approval.approvalId,
    state: approval.state,
    tool: approval.tool,
    toolCallHash: approval.toolCallHash,
    riskTier: approval.riskTier,
    revision: approval.revision,
    requestedAt: wireTime(requestedAt),
    expiresAt: wireTime(approval.state === "approved" ? (approval.claimBy ?? approval.decideBy) : approval.decideBy),
    requester: { userId, agentId, sessionId, ...called("userName", userId), ...called("agentName", agentId) },
    audience,
    votes: approval.votes.map(({ userId: voter, at, assurance }) => ({
      userId: voter,
      ...called("userName", voter),
      at: wireTime(at),
      assurance,
    })),
    ...(resolution === undefined
      ? {}
      : { resolution: { ...resolution, ...called("byName", resolution.by), at: wireTime(resolution.at) } }),
    ...(execution === undefined ? {} : { execution: executionView(execution) }),
    autoApproved: isAutoApproved(approval),
    ...(resolution === undefined ? {} : { decidedIn: Math.max(0, resolution.at - requestedAt) }),
    ...(approval.supersedes === undefined ? {} : { supersedes: approval.supersedes }),
    ...(approval.replacedBy === undefined ? {} : { replacedBy: approval.replacedBy }),
    ...(handedTo === undefined
      ? {}
      : { handedTo: { ...handedTo, ...called("userName", handedTo.userId), ...called("byName", handedTo.by) } }),
    ...(approval.erasedAt === undefined ? {} : { erasedAt: wireTime(approval.erasedAt) }),
    ...(card === undefined ? {} : { card }),
  };
}

/** A longer call's card is drawn for whoever reads it alone: every device reads lists, whenever anything happens. */
const LONGEST_LISTED = 65_536;
/** Characters of calls that are drawn for one answer. */
export const MOST_DRAWN = 8 * LONGEST_LISTED;

/** As lists and messages show it; none of one that they leave out. */
export function listedCard(card: CardToDraw | undefined, locale?: Locale): Card | undefined {
  return card !== undefined && card.length() <= LONGEST_LISTED ? card.drawListed(locale) : undefined;
}

export function viewsOf(names: Names, approvals: readonly Approval[]): Promise<ApprovalView[]> {
  return Promise.all(approvals.map((approval) => viewOf(names, approval)));
}

/** Puts a name beside an id. Somebody chose it, so it is made safe like every text on a card. */
async function calling(names: Names, { workspaceId, requester, votes, resolution, handedTo }: Approval) {
  const ids = [
    requester.userId,
    requester.agentId,
    resolution?.by,
    handedTo?.userId,
    handedTo?.by,
    ...votes.map(({ userId }) => userId),
  ];
  const known = new Map<string, string>();
  for (const id of new Set(ids)) {
    const name = id === undefined ? undefined : await names.nameOf(workspaceId, id);
    if (id !== undefined && name !== undefined) known.set(id, showName(name));
  }
  return <Key extends string>(key: Key, id: string | undefined): { readonly [K in Key]?: string } => {
    const name = id === undefined ? undefined : known.get(id);
    return name === undefined ? {} : ({ [key]: name } as { readonly [K in Key]?: string });
  };
}

function executionView(execution: NonNullable<Approval["execution"]>) {
  const { startedAt, finishedAt, result, withheld, error } = execution;
  return {
    startedAt: wireTime(startedAt),
    ...(finishedAt === undefined ? {} : { finishedAt: wireTime(finishedAt) }),
    // A withheld result is what its release is for.
    ...(result === undefined || withheld === true ? {} : { result }),
    ...(withheld === undefined ? {} : { withheld }),
    ...(error === undefined ? {} : { error }),
  };
}

export function decidedView(answer: Decided): DecidedView {
  const { resolution, ...rest } = answer;
  if (resolution === undefined) return rest;
  return { resolution: { ...resolution, at: wireTime(resolution.at) }, ...rest };
}
