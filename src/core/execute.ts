import type { Approval } from "./approval.js";
import { newEntry, shortHash } from "./audit.js";
import type { Caller } from "./call.js";
import { applyClaim, applyLoss, applyReceipt, applyRetry, type Receipt } from "./claim.js";
import { failureOf } from "./command.js";
import { type Engine, loadApproval, loadIntactCall, toolOf, transition } from "./engine.js";
import { errorOf, isRefusal, type Refusal, refuse } from "./errors.js";
import { failureText } from "./failure-text.js";
import { newId } from "./ids.js";
import type { Json, JsonObject } from "./json.js";
import type { Counts } from "./judging/budgets.js";
import { LateAbort } from "./late-abort.js";
import { claimCounts, previewChanged, rejudge } from "./recheck.js";
import { bindingOf, type CallRecord } from "./record.js";
import { isThenable, TIMED_OUT, timed } from "./timed.js";
import type { AnyTool, ExecuteContext } from "./tool.js";
import { deadlineOf, type WaitOptions } from "./wait.js";
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
  /** When this instance's lease ends; the claim has to stand by then. */
  readonly heldUntil: number;
}

/** Re-checks tool, policy, authority and preview for a call this gate hosts. */
export async function readyToClaim(engine: Engine, approval: Approval, call: CallRecord): Promise<Ready | Refusal> {
  const tool = toolOf(engine, approval);
  if (tool?.execute === undefined) return refuse("not_hosted", `"${approval.tool}" does not run here.`);
  const bound = bindingOf(call);
  const { args, fingerprint } = bound;
  if (tool.fingerprint !== fingerprint) {
    return refuse("tool_changed", `"${approval.tool}" is not the tool it was when it was shown. Ask again.`);
  }
  const starting = { approval, call, tool, bound };
  const judging = rejudge(engine, starting);
  const judged = judging instanceof Promise ? await judging : judging;
  if (isRefusal(judged)) return judged;
  const looking = previewChanged(engine, starting);
  const changed = looking instanceof Promise ? await looking : looking;
  if (changed) return changed;
  const holding = engine.lease.held();
  const heldUntil = holding instanceof Promise ? await holding : holding;
  const counts = claimCounts(engine, starting);
  return { tool, args, toolCallHash: approval.toolCallHash, claimId: newId(), epoch: judged.epoch, counts, heldUntil };
}

/** The call somebody wants to approve or claim. A row that was changed in the store is refused, and the attempt recorded. */
export async function callToRun(engine: Engine, approval: Approval, by: string): Promise<CallRecord> {
  const call = await loadIntactCall(engine, approval);
  if (!isRefusal(call)) return call;
  if (call.refused !== "not_found") {
    const { approvalId, workspaceId, toolCallHash } = approval;
    const entry = newEntry("call.refused", approvalId, { why: call.refused, hash: shortHash(toolCallHash), by });
    await engine.grouper.commit({ changeId: newId(), workspaceId, puts: [], entries: [entry] });
  }
  throw errorOf(call);
}

/** Claims an approved call that this gate hosts, and runs it. Resolves when the claim stands; the run goes on. */
export async function start(engine: Engine, approvalId: string): Promise<Approval | Refusal> {
  const approval = await loadApproval(engine, approvalId);
  if (approval === undefined) return refuse("not_found", "There is no such approval.");
  const call = await loadIntactCall(engine, approval);
  if (isRefusal(call)) return call;
  const ready = await readyToClaim(engine, approval, call);
  if (isRefusal(ready)) return ready;
  const claimed = await transition(engine, approval, (current, now) =>
    applyClaim(current, hostedClaim(engine, ready, current), now),
  );
  if (!isRefusal(claimed)) void runClaimed(engine, ready, claimed);
  return claimed;
}

/** This gate claims for the device that asked: the approval is bound to the requester, and the tool runs here. */
export function hostedClaim(
  engine: Engine,
  { claimId, toolCallHash, epoch, counts, heldUntil }: Ready,
  { requester }: Approval,
) {
  const device = requester.deviceId === undefined ? {} : { deviceId: requester.deviceId };
  return { claimId, instance: engine.lease.instance, toolCallHash, epoch, counts, heldUntil, ...device };
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
  engine.running.add(claimId);
  try {
    const abort = new LateAbort(signal);
    const run = invoke(tool, args, mostBytes(engine, tool, args), contextOf(claimed, abort));
    const timely = timed(engine.clock, run, tool.timeout ?? engine.limits.timeout);
    const receipt = timely instanceof Promise ? await timely : timely;
    if (receipt !== TIMED_OUT) return await finish(engine, claimed, claimId, receipt);
    abort.abort(new Error("the tool's time is over"));
    await overdue(engine, { tool, args, claimId }, claimed, run);
  } finally {
    engine.running.delete(claimId);
  }
}

/** The tool has not answered in its time. */
async function overdue(
  engine: Engine,
  { tool, args, claimId }: Pick<Ready, "tool" | "args" | "claimId">,
  claimed: Approval,
  run: Told | Promise<Told>,
): Promise<void> {
  const { approvalId } = claimed;
  if (mayRetry(tool, claimed)) return retry(engine, tool, args, approvalId);
  // Whether it acted is unknown, unless and until it answers after all.
  await quietly(engine, approvalId, () =>
    transition(engine, approvalId, (current) => applyLoss(current, claimId, "timeout")),
  );
  engine.notice("call.unknown", { approvalId, tool: tool.name, why: "timeout" });
  void Promise.resolve(run).then((late) => finish(engine, claimed, claimId, late));
}

export function mayRetry(tool: AnyTool, { execution }: Approval): boolean {
  return tool.idempotent && (execution?.attempt ?? 1) < MAX_ATTEMPTS;
}

/** Another attempt at an idempotent tool's call, under the same key and a new fence. */
export async function retry(engine: Engine, tool: AnyTool, args: JsonObject, approvalId: string): Promise<void> {
  await quietly(engine, approvalId, async () => {
    const heldUntil = await engine.lease.held();
    const claimId = newId();
    const { instance } = engine.lease;
    const again = await transition(engine, approvalId, (current, now) =>
      applyRetry(current, { claimId, instance, heldUntil }, now),
    );
    if (!isRefusal(again)) await attempt(engine, { tool, args, claimId }, again);
  });
}

function finish(engine: Engine, claimed: Approval, claimId: string, told: Told): Promise<void> {
  return quietly(engine, claimed.approvalId, () => writeReceipt(engine, claimed, claimId, told));
}

async function writeReceipt(
  engine: Engine,
  claimed: Approval,
  claimId: string,
  { value, ...receipt }: Told,
): Promise<void> {
  const { approvalId } = claimed;
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
}

/** The effect may have happened and cannot be written down now: it is listed as unknown later, which is the truth. */
async function quietly(engine: Engine, approvalId: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    engine.notice("receipt.lost", { approvalId, why: failureText(error) });
    engine.waiters.lost(approvalId);
  }
}

/** Runs an allowed read. It has no record: a crash loses nothing but its line in the log. */
export async function runRead(
  engine: Engine,
  tool: AnyTool,
  args: JsonObject,
  caller: Caller,
  { signal = NEVER, deadline }: WaitOptions = {},
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
    const timeout = tool.timeout ?? engine.limits.timeout;
    const now = engine.clock.now();
    const left =
      (deadlineOf({ ...(deadline === undefined ? {} : { deadline }) }, now) ?? Number.POSITIVE_INFINITY) - now;
    const value: unknown = await timed(engine.clock, tool.execute?.(args, context), Math.min(timeout, left));
    if (value === TIMED_OUT) return { type: "failed", error: "it did not answer in time" };
    const failed = failureOf(tool, value);
    return failed === undefined ? { type: "succeeded", value } : { type: "failed", error: failureText(failed.message) };
  } catch (error) {
    return { type: "failed", error: failureText(error) };
  }
}

type ReadReceipt =
  | { readonly type: "succeeded"; readonly value: unknown }
  | { readonly type: "failed"; readonly error: string };

const NEVER = new AbortController().signal;

function contextOf({ approvalId, requester, workspaceId, execution }: Approval, abort: LateAbort): ExecuteContext {
  const { userId, sessionId, agentId } = requester;
  return {
    approvalId,
    idempotencyKey: approvalId,
    attempt: execution?.attempt ?? 1,
    get signal() {
      return abort.signal;
    },
    userId,
    workspaceId,
    sessionId,
    agentId,
  };
}

/** A receipt, with the whole result where only a part of it is kept. */
type Told = Receipt & { readonly value?: Json };

/** Where a write happens. A throw is a failure, told by its message; nothing is thrown here. */
function invoke(tool: AnyTool, args: JsonObject, most: number, context: ExecuteContext): Told | Promise<Told> {
  try {
    const value: unknown = tool.execute?.(args, context);
    return isThenable(value) ? awaited(tool, value, most) : receiptOf(tool, value, most);
  } catch (error) {
    return { type: "failed", error: failureText(error) };
  }
}

async function awaited(tool: AnyTool, value: PromiseLike<unknown>, most: number): Promise<Told> {
  try {
    return receiptOf(tool, await value, most);
  } catch (error) {
    return { type: "failed", error: failureText(error) };
  }
}

function receiptOf(tool: AnyTool, value: unknown, most: number): Told {
  const failed = failureOf(tool, value);
  return failed === undefined
    ? { type: "succeeded", ...keep(value, most) }
    : { type: "failed", error: failureText(failed.message) };
}
