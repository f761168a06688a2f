import { type Approval, checkAudience, type Person, withheldIndex } from "./approval.js";
import { newEntry, shortHash } from "./audit.js";
import { type Engine, loadApproval } from "./engine.js";
import { CountersignError, errorOf } from "./errors.js";
import { readAll } from "./for-each.js";
import { type Asked, callRecord, isOutdated, newRecord, overseersOf, rulesChanged, tryCreate } from "./hold.js";
import { newId } from "./ids.js";
import type { Json, JsonObject } from "./json.js";
import { amountOf } from "./judging/budgets.js";
import { rewriteChange } from "./record.js";
import { MAX_RESULT } from "./result.js";
import { DEFAULT_ROLES } from "./roles.js";
import type { AnyTool } from "./tool.js";
import { memberOf } from "./vouch.js";

/** A result as it is kept and told. */
export interface Kept {
  readonly result?: Json;
  /** Told to whoever waits here, where it is too large to keep. */
  readonly value?: Json;
  readonly withheld?: boolean;
  readonly resultOmitted?: string;
}

/**
 * The most a call may give back unseen: the threshold, or what its question said it would be. Without a threshold, anything; where
 * the host cannot say whether there is one, nothing.
 */
export function mostBytes(engine: Engine, tool: AnyTool, args: JsonObject): number {
  let bytes: number | undefined;
  try {
    ({ bytes } = engine.thresholds());
  } catch {
    return 0;
  }
  if (bytes === undefined) return Number.POSITIVE_INFINITY;
  try {
    return Math.max(bytes, amountOf({ tool, args, call: { tool: tool.name }, caller: NOBODY_CALLS }, "bytes") ?? 0);
  } catch {
    return bytes;
  }
}

const NOBODY_CALLS = { userId: "", workspaceId: "", sessionId: "", agentId: "" };

/** Results are told, not hashed: whatever JSON can say of them is kept, up to a size. */
export function keep(value: unknown, most: number): Kept {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    return { resultOmitted: "it is not JSON" };
  }
  if (text === undefined) return {};
  const result = JSON.parse(text) as Json;
  const bytes = most === Number.POSITIVE_INFINITY ? 0 : Buffer.byteLength(text);
  if (bytes > most) {
    if (text.length <= MAX_RESULT) return { result, withheld: true };
    return { resultOmitted: `it has ${bytes} bytes, more than was said and more than can be kept for a person to see` };
  }
  return text.length > MAX_RESULT ? { value: result, resultOmitted: `it has ${text.length} characters` } : { result };
}

/** A plain read has no record; one whose result is too large for its caller gets one, so that a person can release it. */
export async function withholdRead(engine: Engine, asked: Asked, value: unknown): Promise<Approval | undefined> {
  const { tool, canonical } = asked;
  const most = mostBytes(engine, tool, canonical.args);
  const kept = most === Number.POSITIVE_INFINITY ? {} : keep(value, most);
  if (!kept.withheld && (kept.resultOmitted === undefined || kept.value !== undefined)) return undefined;
  const now = engine.store.time();
  const { value: _handedOver, ...shown } = kept;
  const execution = { claimId: newId(), instance: "", attempt: 1, startedAt: now, finishedAt: now, ...shown };
  const next: Approval = { ...newRecord(asked, "succeeded", now, overseersOf(engine, asked)), execution };
  const entry = newEntry("result.withheld", next.approvalId, { tool: tool.name, hash: shortHash(canonical.hash) });
  const created = await tryCreate(engine, { next, call: callRecord(asked), entries: [entry] }, asked);
  if (isOutdated(created)) throw rulesChanged();
  engine.notice("result.withheld", { approvalId: next.approvalId, tool: tool.name });
  return created.approval;
}

/** Results that wait for this person's release. */
export async function withheldFor(engine: Engine, person: Person): Promise<Approval[]> {
  const who = await memberOf(engine, person);
  const records = await engine.store.list(withheldIndex(who.workspaceId), "", 1_000);
  return readAll(engine, records).filter((approval) => mayRelease(approval, who));
}

/** Hands a withheld result over: from now on the caller's `resume` gives it. */
export async function release(engine: Engine, approvalId: string, person: Person): Promise<Approval> {
  const who = await memberOf(engine, person);
  for (;;) {
    const approval = await loadApproval(engine, approvalId);
    if (approval === undefined || approval.workspaceId !== who.workspaceId)
      throw new CountersignError("not_found", "There is no such approval.");
    if (!mayRelease(approval, who)) {
      const stranger = checkAudience(approval, who);
      throw stranger ? errorOf(stranger) : new CountersignError("user_mismatch", "Others may release this result.");
    }
    const { execution } = approval;
    if (execution?.withheld !== true) throw new CountersignError("already_resolved", "Nothing is withheld here.");
    const { withheld: _released, ...shown } = execution;
    const next = { ...approval, execution: shown };
    const entry = newEntry("result.released", approvalId, { by: who.userId });
    const applied = await engine.grouper.commit(rewriteChange(approval, next, [entry]));
    if (applied.ok) {
      const released = { ...next, version: approval.version + 1 };
      engine.waiters.changed(released);
      return released;
    }
    if (applied.refused !== "version")
      throw new CountersignError("store_failed", `The result was not released: ${applied.refused}.`);
  }
}

function mayRelease(approval: Approval, person: Person): boolean {
  if (approval.workspaceId !== person.workspaceId) return false;
  const answers = (person.roles ?? []).some((role) => DEFAULT_ROLES.includes(role));
  return answers || person.userId === approval.requester.userId || checkAudience(approval, person) === undefined;
}
