import type { Approval } from "./approval.js";
import type { Caller } from "./call.js";
import type { Engine } from "./engine.js";
import { errorOf, type Refusal, refuse } from "./errors.js";
import { locate } from "./locate.js";

/** Whether the caller is the one that asked: person, agent, session and, where bound, device. */
export function checkRequester(approval: Approval, caller: Caller): Refusal | undefined {
  const { requester } = approval;
  if (caller.workspaceId !== approval.workspaceId)
    return refuse("family_mismatch", "This call belongs to another workspace.");
  if (
    caller.userId !== requester.userId ||
    caller.agentId !== requester.agentId ||
    caller.sessionId !== requester.sessionId
  ) {
    return refuse("user_mismatch", "Another person, agent or session made this call.");
  }
  const bound = requester.deviceId !== undefined && requester.deviceId !== caller.deviceId;
  return bound ? refuse("device_mismatch", "This call was made from another device.") : undefined;
}

/** A call of this caller's own, as it is stored. Throws for anybody else's. */
export async function ownCall(engine: Engine, by: Parameters<typeof locate>[1], caller: Caller): Promise<Approval> {
  const approval = await locate(engine, by);
  const stranger = checkRequester(approval, caller);
  if (stranger) throw errorOf(stranger);
  return approval;
}

/** The same where it runs in this process: how it ends is told here first, so that whoever waits needs nothing read. */
export function ownRunning(engine: Engine, approvalId: string, caller: Caller): Approval | undefined {
  const running = runningHere(engine, approvalId);
  return running !== undefined && checkRequester(running, caller) === undefined ? running : undefined;
}

export function runningHere(engine: Engine, approvalId: string): Approval | undefined {
  const atHand = engine.waiters.atHand.approval(approvalId);
  return atHand?.execution !== undefined && engine.running.has(atHand.execution.claimId) ? atHand : undefined;
}

/**
 * The same for a move that needs nothing but the call's own version: as this process last saw it, else as it is stored. Nobody is
 * told no by what was true a moment ago, and if somebody was faster, the commit tells.
 */
export async function ownToMove(engine: Engine, approvalId: string, caller: Caller): Promise<Approval> {
  const atHand = engine.waiters.atHand.approval(approvalId);
  if (atHand !== undefined && checkRequester(atHand, caller) === undefined) return atHand;
  return ownCall(engine, { approvalId }, caller);
}
