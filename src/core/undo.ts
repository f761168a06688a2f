import type { Person } from "./approval.js";
import type { Caller, ToolCall } from "./call.js";
import { type Engine, loadIntactCall, toolOf } from "./engine.js";
import { CountersignError, errorOf, isRefusal } from "./errors.js";
import { readable } from "./reading.js";
import { argsOf } from "./record.js";

/** All undoing is by one agent, so that two people who undo the same call do it once. */
const AGENT = "undo";

/** The call that takes another one back, as its tool says it, and who makes it. It is judged like any other. */
export async function undoOf(
  engine: Engine,
  approvalId: string,
  person: Person,
): Promise<{ readonly call: ToolCall; readonly caller: Caller }> {
  const approval = await readable(engine, approvalId, person);
  const { state, execution, workspaceId } = approval;
  if (state !== "succeeded")
    throw new CountersignError("not_supported", `It is ${state}; only what succeeded can be undone.`);
  const undo = toolOf(engine, approval)?.rollback?.call;
  if (undo === undefined) throw new CountersignError("not_supported", "Its tool knows no call that undoes it.");
  const held = await loadIntactCall(engine, approval);
  if (isRefusal(held)) throw errorOf(held);
  if (execution?.resultOmitted !== undefined)
    throw new CountersignError("not_supported", "Its result was not kept, so what would undo it is not known.");
  const { tool, args } = undo(argsOf(held), execution?.result ?? null);
  return {
    call: { tool, args, idempotencyKey: `undo/${approvalId}`, summary: `Undoes ${approval.tool} ${approvalId}` },
    caller: {
      userId: person.userId,
      workspaceId,
      agentId: AGENT,
      sessionId: approval.requester.sessionId,
      surface: "inbox",
    },
  };
}
