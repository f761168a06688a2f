import type { Approval } from "./approval.js";
import { assess } from "./assess.js";
import { bindCall } from "./call.js";
import { type Engine, toolOf } from "./engine.js";
import { CountersignError } from "./errors.js";
import type { Asked } from "./hold.js";
import { callerOf } from "./recheck.js";
import { bindingOf, type CallRecord } from "./record.js";
import { validateArgs } from "./schema.js";

/** The call of a record, once more through schema, classification and judgement, with the given arguments. */
export async function assessRecorded(
  engine: Engine,
  approval: Approval,
  record: CallRecord,
  sent: unknown,
  byPerson: boolean,
): Promise<Asked> {
  const tool = toolOf(engine, approval);
  if (tool === undefined) throw new CountersignError("unknown_tool", `"${approval.tool}" is not known here.`);
  const args = await validateArgs(tool.name, tool.inputSchema, sent);
  const caller = callerOf(approval, record);
  const { confidence, summary, model, runId, alternatives } = record;
  const { context } = bindingOf(record);
  const call = {
    tool: tool.name,
    args,
    supersedes: approval.approvalId,
    ...(confidence === undefined ? {} : { confidence }),
    ...(summary === undefined ? {} : { summary }),
    ...(model === undefined ? {} : { model }),
    ...(runId === undefined ? {} : { runId }),
    ...(alternatives === undefined ? {} : { alternatives }),
    ...(context === undefined ? {} : { context }),
  };
  const canonical = bindCall(tool, args, caller, context);
  const circumstances = { toolCallHash: canonical.hash, byPerson };
  return { call, caller, tool, canonical, ...(await assess(engine, call, caller, tool, args, circumstances)) };
}
