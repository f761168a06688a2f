import type { Approval } from "./approval.js";
import type { Caller } from "./call.js";
import { applyClaim, applyLoss, applyReceipt, applyRetry, type Receipt } from "./claim.js";
import { failureOf } from "./command.js";
import { type Engine, loadApproval, loadCall, transition } from "./engine.js";
import { isRefusal, type Refusal, refuse } from "./errors.js";
import { newId } from "./ids.js";
import type { Json, JsonObject } from "./json.js";
import type { Counts } from "./judging/budgets.js";
import { claimCounts, freshPreview, rejudge } from "./recheck.js";
import { bindingOf, type CallRecord } from "./record.js";
import { TIMED_OUT, timed } from "./timed.js";
import type { AnyTool, ExecuteContext } from "./tool.js";
import { keep, mostBytes } from "./withhold.js";

/** Attempts at one call of an idempotent tool; any other tool has one. */
const MAX_ATTEMPTS = 3;

/** A call that may be claimed now: what was approved is still what would run. */
export interface Ready {
  readonly tool: AnyTool;
  readonly args: JsonObject;
  readonly toolCallHash: string;
  readonly claimId: string;
  readonly epoch: number;
  readonly counts: Counts;
}

/** Re-checks tool, policy, authority and preview for a call this gate hosts. */
export async function readyToClaim(engine: Engine, approval: Approval, call: CallRecord): Promise<Ready | Refusal> {
  const tool = engine.registry.find(approval.tool);
  if (tool?.execute === undefined) return refuse("not_hosted", `"${approval.tool}" does not run here.`);
  const { args, fingerprint } = bindingOf(call);
  if (tool.fingerprint !== fingerprint) {
    return refuse("tool_changed", `"${approval.tool}" is not the tool it was when it was shown. Ask again.`);
  }
  const judged = await rejudge(engine, approval, call, tool, args);
  if (isRefusal(judged)) return judged;
  const changed = await freshPreview(engine, tool, args, call.preview);
  if (changed) return changed;
  await engine.lease.held();
  const counts = claimCounts(engine, approval, call, tool, args);
  return { tool, args, toolCallHash: approval.toolCallHash, claimId: newId(), epoch: judged.epoch, counts };
}

/** Claims an approved call that this gate hosts, and runs it. Resolves when the claim stands; the run goes on. */
export async function start(engine: Engine, approvalId: string): Promise<Approval | Refusal> {
  const approval = await loadApproval(engine, approvalId);
  const call = approval && (await loadCall(engine, approval));
  if (approval === undefined || call === undefined) return refuse("not_found", "There is no such approval.");
  const ready = await readyToClaim(engine, approval, call);
  if (isRefusal(ready)) return ready;
  const claimed = await transition(engine, approval, (current, now) =>
    applyClaim(current, hostedClaim(engine, ready, current), now),
  );
  if (!isRefusal(claimed)) void runClaimed(engine, ready, claimed);
  return claimed;
}

/** This gate claims for the device that asked: the approval is bound to the requester, and the tool runs here. */
export function hostedClaim(engine: Engine, { claimId, toolCallHash, epoch, counts }: Ready, { requester }: Approval) {
  const device = requester.deviceId === undefined ? {} : { deviceId: requester.deviceId };
  return { claimId, instance: engine.lease.instance, toolCallHash, epoch, counts, ...device };
}

/** Runs what was claimed, once per claim, and records how it ended. Never rejects. */
export function runClaimed(
  engine: Engine,
  ready: Pick<Ready, "tool" | "args" | "claimId">,
  claimed: Approval,
  signal?: AbortSignal,
): Promise<void> {
  return engine.lease.during(() => attempt(engine, ready, claimed, signal));
}

async function attempt(
  engine: Engine,
  { tool, args, claimId }: Pick<Ready, "tool" | "args" | "claimId">,
  claimed: Approval,
  signal?: AbortSignal,
): Promise<void> {
  const { approvalId } = claimed;
  const abort = new AbortController();
  const run = invoke(
    tool,
    args,
    mostBytes(engine, tool, args),
    contextOf(claimed, signal === undefined ? abort.signal : AbortSignal.any([abort.signal, signal])),
  );
  const receipt = await timed(engine.clock, run, tool.timeout ?? engine.limits.timeout);
  if (receipt !== TIMED_OUT) return finish(engine, claimed, claimId, receipt);
  abort.abort(new Error("the tool's time is over"));
  if (tool.idempotent && (claimed.execution?.attempt ?? 1) < MAX_ATTEMPTS) return retry(engine, tool, args, approvalId);
  // Whether it acted is unknown, unless and until it answers after all.
  await quietly(engine, approvalId, () =>
    transition(engine, approvalId, (current) => applyLoss(current, claimId, "timeout")),
  );
  engine.notice("call.unknown", { approvalId, tool: tool.name, why: "timeout" });
  void run.then((late) => finish(engine, claimed, claimId, late));
}

/** Another attempt at an idempotent tool's call, under the same key and a new fence. */
export async function retry(engine: Engine, tool: AnyTool, args: JsonObject, approvalId: string): Promise<void> {
  await quietly(engine, approvalId, async () => {
    await engine.lease.held();
    const claimId = newId();
    const again = await transition(engine, approvalId, (current, now) =>
      applyRetry(current, claimId, engine.lease.instance, now),
    );
    if (!isRefusal(again)) await attempt(engine, { tool, args, claimId }, again);
  });
}

async function finish(engine: Engine, claimed: Approval, claimId: string, { value, ...receipt }: Told): Promise<void> {
  const { approvalId } = claimed;
  await quietly(engine, approvalId, async () => {
    const done = await transition(
      engine,
      claimed,
      (current, now) => applyReceipt(current, claimId, receipt, now),
      // Whoever waits in this process gets the whole result, also when it was too large to keep.
      (next) =>
        value === undefined || next.execution === undefined
          ? next
          : { ...next, execution: { ...next.execution, result: value } },
    );
    if (!isRefusal(done) && done.execution?.withheld) engine.notice("result.withheld", { approvalId, tool: done.tool });
    if (isRefusal(done)) engine.notice("receipt.refused", { approvalId, why: done.refused });
  });
}

/** The effect may have happened and cannot be written down now: after a restart it is listed as unknown, which is the truth. */
async function quietly(engine: Engine, approvalId: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    engine.notice("receipt.lost", { approvalId, why: messageOf(error) });
    engine.waiters.lost(approvalId);
  }
}

/** Runs an allowed read. It has no record: a crash loses nothing but its line in the log. */
export async function runRead(
  engine: Engine,
  tool: AnyTool,
  args: JsonObject,
  caller: Caller,
  signal: AbortSignal = NEVER,
): Promise<ReadReceipt> {
  const { userId, workspaceId, sessionId, agentId } = caller;
  const context = {
    approvalId: undefined,
    idempotencyKey: "",
    attempt: 1,
    signal,
    userId,
    workspaceId,
    sessionId,
    agentId,
  };
  try {
    const value: unknown = await timed(
      engine.clock,
      tool.execute?.(args, context),
      tool.timeout ?? engine.limits.timeout,
    );
    if (value === TIMED_OUT) return { type: "failed", error: "it did not answer in time" };
    const failed = failureOf(tool, value);
    return failed === undefined ? { type: "succeeded", value } : { type: "failed", error: failed.message };
  } catch (error) {
    return { type: "failed", error: messageOf(error) };
  }
}

type ReadReceipt =
  | { readonly type: "succeeded"; readonly value: unknown }
  | { readonly type: "failed"; readonly error: string };

const NEVER = new AbortController().signal;

function contextOf({ approvalId, requester, workspaceId, execution }: Approval, signal: AbortSignal): ExecuteContext {
  const { userId, sessionId, agentId } = requester;
  return {
    approvalId,
    idempotencyKey: approvalId,
    attempt: execution?.attempt ?? 1,
    signal,
    userId,
    workspaceId,
    sessionId,
    agentId,
  };
}

/** A receipt, with the whole result where only a part of it is kept. */
type Told = Receipt & { readonly value?: Json };

/** Where a write happens. A throw is a failure, told by its message; this promise never rejects. */
async function invoke(tool: AnyTool, args: JsonObject, most: number, context: ExecuteContext): Promise<Told> {
  try {
    const value: unknown = await tool.execute?.(args, context);
    const failed = failureOf(tool, value);
    return failed === undefined
      ? { type: "succeeded", ...keep(value, most) }
      : { type: "failed", error: failed.message };
  } catch (error) {
    return { type: "failed", error: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 2_000);
}
