import { type Approval, stateAt } from "./approval.js";
import type { Engine } from "./engine.js";
import { CountersignError, errorOf, type Refusal, refuse } from "./errors.js";
import { showName } from "./text/inline.js";

/** The refusal of an answer that nobody waits for any more. */
export function notPending(approval: Approval, now: number): Refusal | undefined {
  const state = stateAt(approval, now);
  if (state === "pending") return undefined;
  if (state === "expired") return refuse("expired", "Too late: the time to decide is over. Nothing ran.");
  const { by, type: resolved = state } = approval.resolution ?? {};
  return refuse("already_resolved", tooLate(resolved, by), {
    approvalId: approval.approvalId,
    ...(by === undefined ? {} : { decidedBy: by, resolved }),
  });
}

/** The refusal as it is told: whoever was faster by their name, where people have names here. */
export async function refusalOf({ people }: Engine, workspaceId: string, refusal: Refusal): Promise<CountersignError> {
  const { decidedBy, resolved } = refusal.details ?? {};
  if (decidedBy === undefined || resolved === undefined) return errorOf(refusal);
  const name = await people?.nameOf?.(workspaceId, decidedBy);
  if (name === undefined) return errorOf(refusal);
  const details = { ...refusal.details, decidedByName: showName(name) };
  return new CountersignError(refusal.refused, tooLate(resolved, name), details);
}

function tooLate(resolved: string, by: string | undefined): string {
  return `This was ${resolved}${by === undefined ? "" : ` by ${showName(by)}`} before your answer came.`;
}
