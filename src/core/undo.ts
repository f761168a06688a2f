import type { Person } from "./approval.js";
import type { Caller, ToolCall } from "./call.js";
import { type Engine, loadIntactCall, toolOf } from "./engine.js";
import { CountersignError, errorOf, isRefusal } from "./errors.js";
import type { Json, JsonObject } from "./json.js";
import type { Outcome } from "./outcome.js";
import { readable } from "./reading.js";
import { argsOf } from "./record.js";
import type { AnyTool } from "./tool.js";

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
  const { tool, args } = undoBy(undo, argsOf(held), execution?.result ?? null);
  return {
    call: { tool, args, summary: `Undoes ${approval.tool} ${approvalId}` },
    caller: {
      userId: person.userId,
      workspaceId,
      agentId: AGENT,
      sessionId: approval.requester.sessionId,
      surface: "inbox",
    },
  };
}

type Undo = NonNullable<NonNullable<AnyTool["rollback"]>["call"]>;

/** A tool's own word: one that says nothing of use knows no way back. */
function undoBy(undo: Undo, args: JsonObject, result: Json): ReturnType<Undo> {
  let said: Partial<ReturnType<Undo>> | undefined;
  try {
    said = undo(args, result);
  } catch {
    // As if it had none: what it threw is about its own work, and nobody's to read.
  }
  if (typeof said?.tool !== "string") {
    throw new CountersignError("not_supported", "Its tool could not say which call undoes it.");
  }
  return { tool: said.tool, args: said.args };
}

/** Nobody undoes one call more often in a day; after that the last answer stands. */
const MOST_TRIES = 20;
const NEVER_RAN: readonly Outcome["type"][] = ["denied", "expired", "cancelled"];

/**
 * Asks under a key that all who undo this call share, so that it is undone once. A try that ended without running is over: the
 * next one is a new question under the next key. What ran, however it ended, is never repeated by itself.
 */
export async function undoOnce(approvalId: string, ask: (key: string) => Promise<Outcome>): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    const outcome = await ask(`undo/${approvalId}${tries === 1 ? "" : `/${tries}`}`);
    // With an id it is an earlier question; without one it was refused just now, and asking again changes nothing.
    const isOver = NEVER_RAN.includes(outcome.type) && outcome.approvalId !== undefined;
    if (!isOver || tries === MOST_TRIES) return outcome;
  }
}
