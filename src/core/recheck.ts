import { type Approval, type Audience, mayApprove, type Person, type Vote } from "./approval.js";
import { assess, runPreview } from "./assess.js";
import type { Binding, Caller, ToolCall } from "./call.js";
import type { Engine } from "./engine.js";
import { type Refusal, refuse } from "./errors.js";
import { audienceOf } from "./hold.js";
import type { Requirement } from "./judge.js";
import { type Counts, countsOfApproved } from "./judging/budgets.js";
import type { People } from "./ports.js";
import type { CallRecord } from "./record.js";
import type { Soon } from "./soon.js";
import type { AnyTool } from "./tool.js";

/*
 * What is looked at again just before a call starts, because the world may have moved since it was approved: the policy,
 * whether agent and approvers still may, and what the call would touch.
 */

/** A call on the way to its start: the approval, what was asked, and the tool that would run it. */
export interface Starting {
  readonly approval: Approval;
  readonly call: CallRecord;
  readonly tool: AnyTool;
  readonly bound: Binding;
}

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

/** The call as its agent stated it, as far as judging goes by that. */
function statedIn({ call: { confidence }, tool, bound: { args, context } }: Starting): ToolCall {
  return {
    tool: tool.name,
    args,
    ...(confidence === undefined ? {} : { confidence }),
    ...(context === undefined ? {} : { context }),
  };
}

/**
 * Judges under the present epoch and policy, unless both are those it was judged under. What is denied now is not started; what
 * asks for more, or for others, than have approved it neither.
 */
export function rejudge(engine: Engine, starting: Starting): Soon<{ readonly epoch: number } | Refusal> {
  const { people } = engine;
  const { approval } = starting;
  const judged = () => (isUnderSameRules(engine, starting) ? { epoch: approval.epoch } : judgeAgain(engine, starting));
  return people === undefined ? judged() : lostAuthority(engine, people, approval).then((lost) => lost ?? judged());
}

function isUnderSameRules(engine: Engine, { approval, call }: Starting): boolean {
  const known = engine.heads.get(approval.workspaceId);
  return known?.epoch === approval.epoch && !known.paused && call.policy === engine.policyVersion?.();
}

async function judgeAgain(engine: Engine, starting: Starting): Promise<{ readonly epoch: number } | Refusal> {
  const { approval, call, tool, bound } = starting;
  const caller = callerOf(approval, call);
  // It was approved or let through: what was denied besides says nothing to it.
  const { verdict, epoch } = await assess(engine, statedIn(starting), caller, tool, bound.args, { byPerson: true });
  if (verdict.type === "deny") return refuse("policy_denied", verdict.reason ?? "The policy denies this now.");
  if (verdict.type === "confirm" && !(await enough(engine, approval, call, verdict.requirement))) {
    return refuse("policy_denied", "The policy now asks for more approvals than this call has, or for other people's.");
  }
  return { epoch };
}

/** Whether those who approved are as many as are asked for now, and among the people who are. */
async function enough(
  engine: Engine,
  approval: Approval,
  call: CallRecord,
  required: Requirement = {},
): Promise<boolean> {
  const { persons, roles, groups } = approval.audience;
  // A requirement that names nobody leaves the question with the people it was put to.
  const audience = audienceOf(callerOf(approval, call), [{ persons, roles, groups }, required]);
  let votes = 0;
  for (const vote of approval.votes) if (await countsFor(engine, approval, audience, vote)) votes += 1;
  return votes >= audience.quorum;
}

async function countsFor(
  engine: Engine,
  approval: Approval,
  audience: Audience,
  { userId, assurance }: Vote,
): Promise<boolean> {
  const known = { kind: "person" as const, userId, workspaceId: approval.workspaceId, assurance };
  const passes = (way: Pick<Person, "roles" | "groups">) =>
    mayApprove({ ...approval, audience }, { ...known, ...way }) === undefined;
  if (engine.people !== undefined) {
    const member = await engine.people.member(approval.workspaceId, userId);
    return member !== undefined && passes(member);
  }
  // Nobody remembers by which role or group they came in, so every one that let them in has to be asked for still.
  const { persons, roles, groups } = approval.audience;
  const ways = persons.includes(userId)
    ? [{}]
    : [...roles.map((role) => ({ roles: [role] })), ...groups.map((group) => ({ groups: [group] }))];
  return ways.length > 0 && ways.every(passes);
}

/** What an approved call takes from budgets. One that was allowed took it when it was let through. */
export function claimCounts(engine: Engine, starting: Starting): Counts {
  const { approval, call, tool, bound } = starting;
  if (approval.reserved !== undefined) return [];
  const { preview } = call;
  const stated = { tool, args: bound.args, call: statedIn(starting), caller: callerOf(approval, call) };
  const spending = preview === undefined ? stated : { preview, ...stated };
  try {
    return countsOfApproved(spending, engine.budgets(spending), engine.store.time());
  } catch {
    // The card said that nobody knows what this takes, and a person approved it.
    return [];
  }
}

/** Whoever asked must still be somebody who could. */
export async function requesterEnded(
  { people }: Engine,
  { workspaceId, requester }: Approval,
): Promise<Refusal | undefined> {
  const goesOn = (await people?.mayAsk?.(workspaceId, requester.agentId)) ?? true;
  return goesOn ? undefined : refuse("authority_lost", "The agent that asked for this was ended. Nothing runs.");
}

/** Whoever asked, and whoever approved, must still be somebody who may. */
async function lostAuthority(engine: Engine, people: People, approval: Approval): Promise<Refusal | undefined> {
  const ended = await requesterEnded(engine, approval);
  if (ended) return ended;
  const lapsed = await lapsedVoters(people, approval);
  if (lapsed.length === 0) return undefined;
  return refuse("authority_lost", "Somebody who approved this may no longer do so. Others are asked anew.");
}

/** Those whose yes counts no longer. Without a directory the host vouched once, at the decision. */
export async function lapsedVoters(people: People, approval: Approval): Promise<readonly string[]> {
  const lapsed: string[] = [];
  for (const { userId, assurance } of approval.votes) {
    const member = await people.member(approval.workspaceId, userId);
    const person = { kind: "person" as const, userId, assurance, workspaceId: approval.workspaceId, ...member };
    if (member === undefined || mayApprove(approval, person)) lapsed.push(userId);
  }
  return lapsed;
}

/** Another digest means another state of the world than the one that was shown. */
export function previewChanged(engine: Engine, starting: Starting): Soon<Refusal | undefined> {
  return starting.call.preview?.digest === undefined ? undefined : lookAgain(engine, starting);
}

async function lookAgain(engine: Engine, { approval, call, tool, bound }: Starting): Promise<Refusal | undefined> {
  const { workspaceId, requester } = approval;
  const now = await runPreview(engine, tool, bound.args, { workspaceId, ...requester });
  const same = now !== undefined && now !== "failed" && now.digest === call.preview?.digest;
  return same ? undefined : refuse("preview_changed", "What this call would do has changed since it was shown.");
}
