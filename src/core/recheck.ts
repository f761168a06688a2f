import { type Approval, mayApprove } from "./approval.js";
import { assess, runPreview } from "./assess.js";
import type { Caller } from "./call.js";
import type { Engine } from "./engine.js";
import { type Refusal, refuse } from "./errors.js";
import type { JsonObject } from "./json.js";
import { type Counts, countsOfApproved } from "./judging/budgets.js";
import type { CallRecord } from "./record.js";
import type { AnyTool } from "./tool.js";

/*
 * What is looked at again just before a call starts, because the world may have moved since it was approved: the policy,
 * whether the approvers may still approve, and what the call would touch.
 */

/** The caller as the record remembers it. */
export function callerOf(approval: Approval, call: CallRecord): Caller {
  const { userId, agentId, sessionId, deviceId } = approval.requester;
  return {
    userId,
    agentId,
    sessionId,
    workspaceId: approval.workspaceId,
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(call.lineage === undefined ? {} : { lineage: call.lineage }),
    ...(call.surface === undefined ? {} : { surface: call.surface }),
    ...(call.scope === undefined ? {} : { scope: call.scope }),
  };
}

/** Judges under the workspace's present epoch. What is denied now is not started; what asks for more than it got neither. */
export async function rejudge(
  engine: Engine,
  approval: Approval,
  call: CallRecord,
  tool: AnyTool,
  args: JsonObject,
): Promise<{ readonly epoch: number } | Refusal> {
  const lost = await lostAuthority(engine, approval);
  if (lost) return lost;
  const known = engine.heads.get(approval.workspaceId);
  if (known?.epoch === approval.epoch && !known.paused) return { epoch: approval.epoch };
  const stated = { tool: tool.name, args, ...(call.confidence === undefined ? {} : { confidence: call.confidence }) };
  // It was approved or let through: what was denied besides says nothing to it.
  const { verdict, epoch } = await assess(engine, stated, callerOf(approval, call), tool, args, { byPerson: true });
  if (verdict.type === "deny") return refuse("policy_denied", verdict.reason ?? "The policy denies this now.");
  if (verdict.type === "confirm" && approval.votes.length < (verdict.requirement?.quorum ?? 1)) {
    return refuse("policy_denied", "The policy now asks for more approvals than this call has.");
  }
  return { epoch };
}

/** What an approved call takes from budgets. One that was allowed took it when it was let through. */
export function claimCounts(
  engine: Engine,
  approval: Approval,
  call: CallRecord,
  tool: AnyTool,
  args: JsonObject,
): Counts {
  if (approval.reserved !== undefined) return [];
  const { preview } = call;
  const stated = { tool, args, call: { tool: tool.name, args }, caller: callerOf(approval, call) };
  const spending = preview === undefined ? stated : { ...stated, preview };
  try {
    return countsOfApproved(spending, engine.budgets(spending), engine.store.time());
  } catch {
    // The card said that nobody knows what this takes, and a person approved it.
    return [];
  }
}

/** Whoever approved must still be somebody who may. Without a directory the host vouched once, at the decision. */
async function lostAuthority(engine: Engine, approval: Approval): Promise<Refusal | undefined> {
  if (engine.people === undefined) return undefined;
  for (const vote of approval.votes) {
    const member = await engine.people.member(approval.workspaceId, vote.userId);
    const person = { kind: "person" as const, userId: vote.userId, workspaceId: approval.workspaceId, ...member };
    if (member === undefined || mayApprove(approval, person)) {
      return refuse("authority_lost", `${vote.userId} approved this and may no longer do so.`);
    }
  }
  return undefined;
}

/** Another digest means another state of the world than the one that was shown. */
export async function freshPreview(
  engine: Engine,
  tool: AnyTool,
  args: JsonObject,
  shown: CallRecord["preview"],
): Promise<Refusal | undefined> {
  if (shown?.digest === undefined) return undefined;
  const now = await runPreview(engine, tool, args);
  const same = now !== undefined && now !== "failed" && now.digest === shown.digest;
  return same ? undefined : refuse("preview_changed", "What this call would do has changed since it was shown.");
}
