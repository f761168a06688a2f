import type { Person } from "./approval.js";
import { newEntry, shortHash } from "./audit.js";
import { type Engine, loadIntactCall, toolOf } from "./engine.js";
import { CountersignError, errorOf, isRefusal, refuse } from "./errors.js";
import { newId } from "./ids.js";
import type { Json } from "./json.js";
import { notPending, refusalOf } from "./late-answer.js";
import { locate } from "./locate.js";
import { argsOf } from "./record.js";
import { TIMED_OUT, timed } from "./timed.js";
import { ofAudience } from "./vouch.js";
import { keep } from "./withhold.js";

/** What a tool says it would do, for exactly the call that waits. */
export interface DryRun {
  readonly result: Json;
  readonly ranAt: number;
  readonly toolCallHash: string;
}

/**
 * Lets the tool try the held call without effect, for a person of the audience. That it was tried is written down before the
 * result is told. What the tool gives back is its own word: it changes neither the call nor its tier.
 */
export async function dryRun(engine: Engine, approvalId: string, person: Person): Promise<DryRun> {
  const approval = await locate(engine, { approvalId });
  const who = await ofAudience(engine, approval, person);
  const late = notPending(approval, engine.store.time());
  if (late) throw await refusalOf(engine, approval.workspaceId, late);
  const call = await loadIntactCall(engine, approval);
  if (isRefusal(call)) throw errorOf(call);
  const tool = toolOf(engine, approval);
  if (tool?.dryRun === undefined) throw new CountersignError("not_supported", "This tool has no dry run.");
  const { result, error } = await attempt(engine, () => tool.dryRun?.(argsOf(call)));
  const { workspaceId, toolCallHash } = approval;
  const entry = newEntry("approval.dry_run", approvalId, {
    by: who.userId,
    hash: shortHash(toolCallHash),
    as: error === undefined ? "ended" : "failed",
  });
  const applied = await engine.grouper.commit({ changeId: newId(), workspaceId, puts: [], entries: [entry] });
  if (!applied.ok) throw errorOf(refuse("store_failed", "It could not be written down, so it is not shown."));
  if (error !== undefined) throw new CountersignError("not_supported", `The dry run failed: ${error}`);
  return { result: result ?? null, ranAt: applied.time, toolCallHash };
}

async function attempt(
  engine: Engine,
  run: () => unknown,
): Promise<{ readonly result?: Json; readonly error?: string }> {
  try {
    const value = await timed(engine.clock, run(), engine.limits.previewTimeout);
    if (value === TIMED_OUT) return { error: "it took too long" };
    const { result, resultOmitted } = keep(value, Number.POSITIVE_INFINITY);
    if (resultOmitted !== undefined) return { error: resultOmitted };
    return result === undefined ? {} : { result };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
