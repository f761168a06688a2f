import type { Approval, Person } from "../approval.js";
import { newEntry } from "../audit.js";
import type { Caller } from "../call.js";
import type { Signal } from "../classify.js";
import { type Engine, loadApproval } from "../engine.js";
import { CountersignError } from "../errors.js";
import type { Opinion } from "../judge.js";
import type { Put } from "../ports.js";
import { showName } from "../text/inline.js";
import { ofAudience } from "../vouch.js";
import { commitStanding, type Standing, standingPut } from "./standing.js";

/** An approver's no, remembered for a while. Withdrawn and expired questions are not: nobody said no to them. */
export interface Denial {
  readonly approvalId: string;
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly toolCallHash: string;
  readonly by: string;
  readonly reason?: string;
  readonly at: number;
  readonly until: number;
}

/** The put that goes into the commit of the decision itself. */
export function denialPut(denied: Approval, coolDown: number): Put | undefined {
  const { resolution, approvalId, workspaceId, requester, tool, toolCallHash } = denied;
  if (resolution?.type !== "denied" || resolution.by === undefined || coolDown <= 0) return undefined;
  const denial: Denial = {
    approvalId,
    workspaceId,
    sessionId: requester.sessionId,
    tool,
    toolCallHash,
    by: resolution.by,
    ...(resolution.reason === undefined ? {} : { reason: resolution.reason }),
    at: resolution.at,
    until: resolution.at + coolDown,
  };
  return standingPut("denial", approvalId, denial);
}

/** Which call is judged, as far as memory of denials goes. */
export interface Attempt {
  readonly toolCallHash: string | undefined;
  readonly tool: string;
  readonly sessionId: string;
  readonly now: number;
}

/** The same call is refused without a new question; so is the tool as a whole in this session once the breaker has tripped. */
export async function denialOpinions(
  { denials }: Standing,
  attempt: Attempt,
  breaker: number,
  nameOf: (userId: string) => Promise<string | undefined> | undefined = () => undefined,
): Promise<Opinion[]> {
  const recent = recentDenials(denials, attempt);
  const same = recent.find((denial) => denial.toolCallHash === attempt.toolCallHash);
  if (same !== undefined) {
    const why = same.reason === undefined ? "" : `: ${same.reason}`;
    const who = showName((await nameOf(same.by)) ?? same.by);
    return [refused([same], `${who} denied this very call a short while ago${why}`)];
  }
  if (breaker <= 0 || recent.length < breaker) return [];
  return [refused(recent, `${recent.length} calls of ${attempt.tool} were denied in this session a short while ago`)];
}

const PREFIX = "denial:";

function refused(denials: readonly Denial[], reason: string): Opinion {
  const rules = denials.map((denial) => `${PREFIX}${denial.approvalId}`);
  return { type: "deny", step: "remembered_denial", rules, reason };
}

/** After a no, the next try is not routine: its approver sees how often it was tried. */
export function denialSignals({ denials }: Standing, attempt: Attempt): Signal[] {
  const count = recentDenials(denials, attempt).length;
  if (count === 0) return [];
  const text = `People denied ${count} ${count === 1 ? "call" : "calls"} of this tool in this session a short while ago.`;
  return [{ source: "threshold", code: "denied_before", riskTier: "R2", text, fragment: String(count) }];
}

function recentDenials(denials: readonly Denial[], { tool, sessionId, now }: Attempt): Denial[] {
  return denials.filter((denial) => denial.tool === tool && denial.sessionId === sessionId && now < denial.until);
}

/** One of those who may answer the question lets it be put again. */
export async function liftDenial(engine: Engine, approvalId: string, person: Person): Promise<void> {
  const approval = await loadApproval(engine, approvalId);
  if (approval === undefined) throw new CountersignError("not_found", "There is no such approval.");
  const who = await ofAudience(engine, approval, person);
  await lift(engine, approval.workspaceId, [approvalId], who.userId);
}

/** A person has asked for the call in a message of their own: the denials that speak against it are lifted. */
export function liftFor(engine: Engine, rules: readonly string[], caller: Caller): Promise<void> {
  const ids = rules.map((rule) => rule.slice(PREFIX.length));
  return lift(engine, caller.workspaceId, ids, caller.userId);
}

async function lift(engine: Engine, workspaceId: string, ids: readonly string[], by: string): Promise<void> {
  for (const id of ids) {
    const record = await engine.store.get("denial", id);
    if (record === undefined) continue;
    await commitStanding(engine, {
      workspaceId,
      puts: [{ kind: "denial", id, version: record.version, value: null }],
      entries: [newEntry("denial.lifted", id, { by })],
    });
  }
}
