import type { ApprovalView, DecidedView } from "../client/wire.js";
import type { Approval } from "../core/approval.js";
import type { Card } from "../core/card/card.js";
import type { Decided } from "../core/deciding.js";

/** Times leave the server as text that every language reads. */
export function wireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
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
