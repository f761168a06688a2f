import { type Approval, stateAt } from "./approval.js";
import type { Caller } from "./call.js";
import { applyCancel } from "./decide.js";
import { type Engine, loadApproval, loadCall, transition } from "./engine.js";
import { CountersignError, isRefusal } from "./errors.js";
import { endedOutcome, type Outcome, pendingMessage, unknown } from "./outcome.js";
import { argsOf } from "./record.js";
import { mintToken } from "./remote.js";
import { diffJson } from "./text/diff.js";
import { pastDue } from "./upkeep.js";
import { cardOf } from "./views.js";
import { type WaitOptions, waitFor } from "./wait.js";

/**
 * What is told of a record as it stands. Only the requesting side is handed the token of a call that runs elsewhere: each one
 * voids the one before, so telling anybody else would take it away from the agent.
 */
export async function answer(
  engine: Engine,
  known: Approval,
  confirmationToken?: string,
  toRequester = true,
): Promise<Outcome> {
  const approval = await present(engine, known);
  const replacement = approval.replacedBy === undefined ? undefined : await loadApproval(engine, approval.replacedBy);
  // The question was put again because the world moved: the new one is the answer to the old.
  if (replacement !== undefined) return answer(engine, replacement.approval, undefined, toRequester);
  return (await ended(engine, approval)) ?? pending(engine, approval, confirmationToken, toRequester);
}

async function ended(engine: Engine, approval: Approval): Promise<Outcome | undefined> {
  const call = approval.revision > 1 ? await loadCall(engine, approval) : undefined;
  const changes = call?.proposed === undefined ? [] : diffJson(call.proposed, argsOf(call));
  return endedOutcome(approval, changes);
}

async function pending(
  engine: Engine,
  approval: Approval,
  confirmationToken: string | undefined,
  toRequester: boolean,
): Promise<Outcome> {
  const card = await cardOf(engine, approval);
  if (card === undefined) throw new CountersignError("not_found", "The call of this approval is gone.");
  const claimable = approval.state === "approved" && !approval.hosted;
  const token = claimable && toRequester ? await mintToken(engine, approval.approvalId) : undefined;
  return {
    type: "pending",
    code: "TOOL_BLOCKED_PENDING_APPROVAL",
    approvalId: approval.approvalId,
    message: pendingMessage(approval),
    card,
    expiresAt: card.expiresAt,
    ...(confirmationToken === undefined ? {} : { confirmationToken }),
    ...(token === undefined ? {} : { token }),
  };
}

/** The record with what time has already decided written down. */
async function present(engine: Engine, approval: Approval): Promise<Approval> {
  if (stateAt(approval, engine.store.time()) === approval.state) return approval;
  await pastDue(engine, approval);
  return (await loadApproval(engine, approval.approvalId))?.approval ?? approval;
}

/** Waits for the end, or for the moment a call that runs elsewhere may be claimed, and tells what it came to. */
export async function settled(
  engine: Engine,
  known: Approval,
  caller: Caller,
  options: WaitOptions,
  confirmationToken?: string,
): Promise<Outcome> {
  const reached = await waitFor(engine, known, isSettled, options);
  switch (reached.type) {
    case "reached": {
      const { replacedBy } = reached.approval;
      const replacement = replacedBy === undefined ? undefined : await loadApproval(engine, replacedBy);
      return replacement === undefined
        ? answer(engine, reached.approval)
        : settled(engine, replacement.approval, caller, options);
    }
    case "lost":
      return unknown(known.approvalId);
    case "aborted": {
      const withdrawn = await transition(engine, known.approvalId, (current, now) =>
        applyCancel(current, caller.userId, "the caller gave up", now),
      );
      return answer(engine, isRefusal(withdrawn) ? await fresh(engine, known) : withdrawn);
    }
    case "deadline":
      return answer(engine, await fresh(engine, known), confirmationToken);
    default:
      return reached satisfies never;
  }
}

function isSettled(approval: Approval): boolean {
  return endedOutcome(approval, []) !== undefined || (approval.state === "approved" && !approval.hosted);
}

async function fresh(engine: Engine, known: Approval): Promise<Approval> {
  return (await loadApproval(engine, known.approvalId))?.approval ?? known;
}
