import { APPROVED_INDEX, type Approval, instanceIndex, stateAt } from "./approval.js";
import { askAnew } from "./asking-again.js";
import { applyLoss, applySettlement, type Receipt } from "./claim.js";
import { decodeApproval } from "./codec.js";
import { applyExpiry } from "./decide.js";
import { type Engine, loadIntactCall, toolOf, transition } from "./engine.js";
import { isRefusal, type Refusal } from "./errors.js";
import { mayRetry, retry, start } from "./execute.js";
import { forAll, forDue } from "./for-each.js";
import type { JsonObject } from "./json.js";
import { endDenials, endGrants } from "./judging/standing.js";
import { bindingOf } from "./record.js";
import { checkReceipt } from "./remote.js";
import { TIMED_OUT, timed } from "./timed.js";
import type { AnyTool, StatusReport } from "./tool.js";

/** Long enough for any commit's reply: a claim that has only just been made is not taken for a lost one. */
const STRANDED_AFTER = 60_000;

/**
 * Writes down what time has decided, starts what was approved elsewhere, and takes over from instances that died. Each is done
 * although another one fails: a record that cannot be read must not leave a crash unseen.
 */
export async function sweep(engine: Engine): Promise<void> {
  const failed: unknown[] = [];
  for (const step of [endDue, startApproved, endGrants, endDenials, loseStranded, recover])
    await step(engine).catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw failed[0];
}

function endDue(engine: Engine): Promise<void> {
  return forDue(engine, "approval", (record) => pastDue(engine, decodeApproval(record)));
}

function startApproved(engine: Engine): Promise<void> {
  return forAll(engine, APPROVED_INDEX, (approval) => startHere(engine, approval));
}

/** A claim whose run is not going on here: the store failed after the claim, or before its receipt could be kept. */
function loseStranded(engine: Engine): Promise<void> {
  return forAll(engine, instanceIndex(engine.lease.instance), async (approval) => {
    const { claimId = "", startedAt = 0 } = approval.execution ?? {};
    const old = engine.store.time() - startedAt > STRANDED_AFTER;
    if (old && !engine.running.has(claimId)) await lose(engine, approval, "no receipt");
  });
}

async function startHere(engine: Engine, approval: Approval): Promise<void> {
  const mine = approval.hosted && toolOf(engine, approval)?.execute !== undefined;
  if (!mine || stateAt(approval, engine.store.time()) !== "approved") return;
  const started = await start(engine, approval.approvalId);
  if (isRefusal(started)) await askAnew(engine, approval, started);
}

export async function pastDue(engine: Engine, approval: Approval): Promise<void> {
  const { approvalId, state } = approval;
  if (state === "executing") await lose(engine, approval, "no report");
  else await transition(engine, approvalId, applyExpiry);
}

async function lose(
  engine: Engine,
  { approvalId, tool, execution }: Approval,
  why: string,
): Promise<Approval | Refusal> {
  const lost = await transition(engine, approvalId, (current) => applyLoss(current, execution?.claimId, why));
  if (!isRefusal(lost)) engine.notice("call.unknown", { approvalId, tool, why });
  return lost;
}

/** Whatever a dead instance was running is unknown now, unless its tool may simply be tried again. */
export async function recover(engine: Engine): Promise<void> {
  for (const lease of await engine.lease.gone()) {
    let calls = 0;
    await forAll(engine, instanceIndex(lease.id), async (approval) => {
      calls += 1;
      await takeOver(engine, approval);
    });
    if (engine.lease.isOver(lease)) await engine.lease.forget(lease);
    // One that ran nothing may live: an idle instance lets its lease lapse.
    if (calls > 0) engine.notice("instance.gone", { instance: lease.id, calls });
  }
}

async function takeOver(engine: Engine, approval: Approval): Promise<void> {
  const lost = await lose(engine, approval, "crash");
  if (isRefusal(lost)) return;
  const here = await hostedCall(engine, approval);
  // Attempts are counted across restarts: a call that brings down its process must not do so for ever.
  if (here !== undefined && mayRetry(here.tool, lost))
    void engine.lease.during(() => retry(engine, here.tool, here.args, lost.approvalId));
  else if (here?.tool.status !== undefined) await checkStatus(engine, lost);
}

/** Asks the tool what became of an unknown execution. Whatever is not a clear answer leaves it unknown. */
export async function checkStatus(engine: Engine, approval: Approval): Promise<Approval> {
  const here = await hostedCall(engine, approval);
  if (here?.tool.status === undefined) return approval;
  let receipt: Receipt | undefined;
  try {
    const asked = here.tool.status(here.args, { idempotencyKey: approval.approvalId });
    const report: unknown = await timed(engine.clock, asked, engine.limits.previewTimeout);
    if (report !== TIMED_OUT && (report as StatusReport).type !== "unknown") receipt = checkReceipt(report as Receipt);
  } catch (error) {
    engine.notice("status.failed", { approvalId: approval.approvalId, why: (error as Error).message });
  }
  if (receipt === undefined) return approval;
  const known = receipt;
  const settled = await transition(engine, approval.approvalId, (current, now) =>
    applySettlement(current, known, "status check", now),
  );
  return isRefusal(settled) ? approval : settled;
}

/** The tool and arguments of a call, if this gate hosts the very tool that was approved. */
async function hostedCall(
  engine: Engine,
  approval: Approval,
): Promise<{ readonly tool: AnyTool; readonly args: JsonObject } | undefined> {
  const tool = toolOf(engine, approval);
  if (tool?.execute === undefined || !approval.hosted) return undefined;
  const call = await loadIntactCall(engine, approval);
  if (isRefusal(call)) return undefined;
  const { fingerprint, args } = bindingOf(call);
  return fingerprint === tool.fingerprint ? { tool, args } : undefined;
}
