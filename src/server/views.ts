import type { ApprovalView, DecidedView, SessionView } from "../client/wire.js";
import type { Approval } from "../core/approval.js";
import type { Card } from "../core/card/card.js";
import type { Decided } from "../core/deciding.js";
import type { Session } from "./identity/index.js";

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

export function viewOf(approval: Approval, card?: Card): ApprovalView {
  const { requester, audience, resolution, execution, requestedAt } = approval;
  return {
    approvalId: approval.approvalId,
    state: approval.state,
    tool: approval.tool,
    toolCallHash: approval.toolCallHash,
    riskTier: approval.riskTier,
    revision: approval.revision,
    requestedAt: wireTime(requestedAt),
    expiresAt: wireTime(approval.state === "approved" ? (approval.claimBy ?? approval.decideBy) : approval.decideBy),
    requester: { userId: requester.userId, agentId: requester.agentId, sessionId: requester.sessionId },
    audience,
    votes: approval.votes.map(({ userId, at, assurance }) => ({ userId, at: wireTime(at), assurance })),
    ...(resolution === undefined ? {} : { resolution: { ...resolution, at: wireTime(resolution.at) } }),
    ...(execution === undefined ? {} : { execution: executionView(execution) }),
    autoApproved: resolution === undefined && execution !== undefined,
    ...(resolution === undefined ? {} : { decidedIn: Math.max(0, resolution.at - requestedAt) }),
    ...(approval.supersedes === undefined ? {} : { supersedes: approval.supersedes }),
    ...(approval.replacedBy === undefined ? {} : { replacedBy: approval.replacedBy }),
    ...(approval.handedTo === undefined ? {} : { handedTo: approval.handedTo }),
    ...(approval.erasedAt === undefined ? {} : { erasedAt: wireTime(approval.erasedAt) }),
    ...(card === undefined ? {} : { card }),
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
  return {
    ...rest,
    ...(resolution === undefined ? {} : { resolution: { ...resolution, at: wireTime(resolution.at) } }),
  };
}
