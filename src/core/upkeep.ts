import { APPROVED_INDEX, type Approval, instanceIndex, stateAt } from "./approval.js";
import { applyLoss, applySettlement, type Receipt } from "./claim.js";
import { decodeApproval } from "./codec.js";
import { applyExpiry } from "./decide.js";
import { type Engine, loadCall, transition } from "./engine.js";
import { isRefusal } from "./errors.js";
import { retry, start } from "./execute.js";
import { type JsonObject, toPlainJson } from "./json.js";
import { endStanding } from "./judging/standing.js";
import { bindingOf } from "./record.js";
import type { AnyTool } from "./tool.js";

const PAGE = 200;

/** Writes down what time has decided, starts what was approved elsewhere, and takes over from instances that died. */
export async function sweep(engine: Engine): Promise<void> {
  for (const record of await engine.store.due("approval", PAGE)) await pastDue(engine, decodeApproval(record));
  for (const record of await engine.store.list(APPROVED_INDEX, "", PAGE)) {
    const approval = decodeApproval(record);
    const mine = approval.hosted && engine.registry.find(approval.tool)?.execute !== undefined;
    if (mine && stateAt(approval, engine.store.time()) === "approved") await start(engine, approval.approvalId);
  }
  await endStanding(engine);
  await recover(engine);
}

export async function pastDue(engine: Engine, approval: Approval): Promise<void> {
  const { approvalId, state } = approval;
  if (state === "executing")
    await transition(engine, approvalId, (current) => applyLoss(current, approval.execution?.claimId, "no report"));
  else await transition(engine, approvalId, applyExpiry);
}

/** Whatever a dead instance was running is unknown now, unless its tool may simply be tried again. */
export async function recover(engine: Engine): Promise<void> {
  for (const lease of await engine.lease.gone()) {
    for (;;) {
      const running = await engine.store.list(instanceIndex(lease.id), "", PAGE);
      if (running.length === 0) break;
      for (const record of running) await takeOver(engine, decodeApproval(record));
    }
    await engine.lease.forget(lease);
    engine.notice("instance.gone", { instance: lease.id });
  }
}

async function takeOver(engine: Engine, approval: Approval): Promise<void> {
  const { approvalId } = approval;
  const lost = await transition(engine, approvalId, (current) =>
    applyLoss(current, approval.execution?.claimId, "crash"),
  );
  if (isRefusal(lost)) return;
  engine.notice("call.unknown", { approvalId, tool: approval.tool, why: "crash" });
  const here = await hostedCall(engine, approval);
  if (here?.tool.idempotent) void engine.lease.during(() => retry(engine, here.tool, here.args, approvalId));
  else if (here?.tool.status !== undefined) await checkStatus(engine, lost);
}

/** Asks the tool what became of an unknown execution. Whatever is not a clear answer leaves it unknown. */
export async function checkStatus(engine: Engine, approval: Approval): Promise<Approval> {
  const here = await hostedCall(engine, approval);
  if (here?.tool.status === undefined) return approval;
  let receipt: Receipt | undefined;
  try {
    const report = await here.tool.status(here.args, { idempotencyKey: approval.approvalId });
    if (report.type === "succeeded")
      receipt = { type: "succeeded", ...(report.result === undefined ? {} : { result: toPlainJson(report.result) }) };
    else if (report.type === "failed") receipt = { type: "failed", error: report.error };
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
  const tool = engine.registry.find(approval.tool);
  const call = tool?.execute === undefined || !approval.hosted ? undefined : await loadCall(engine, approval);
  if (tool === undefined || call === undefined) return undefined;
  const { fingerprint, args } = bindingOf(call);
  return fingerprint === tool.fingerprint ? { tool, args } : undefined;
}
