import { CountersignError } from "../core/errors.js";
import { everyWaiting } from "../core/views.js";
import { type PersonPrincipal, personOf } from "./identity/index.js";
import type { Service } from "./service.js";

/** An owner may have a whole company's questions before them. */
const MOST_READ = 2_000;

/**
 * Withdraws what an agent that was ended still asks of whoever ended it, so that nobody is asked for nothing. Whatever this does
 * not reach cannot be approved either: an agent that was ended is found out at the decision and at the claim.
 */
export async function withdrawCallsOf(
  { gate }: Pick<Service, "gate">,
  by: PersonPrincipal,
  agentId: string,
): Promise<void> {
  let read = 0;
  for await (const { approval } of everyWaiting(gate, personOf(by))) {
    const { approvalId, workspaceId, requester } = approval;
    if (requester.agentId === agentId) {
      const caller = { ...requester, workspaceId };
      await gate.cancel({ approvalId }, caller, "the agent that asked was ended").catch(unlessResolved);
    }
    read += 1;
    if (read === MOST_READ) return;
  }
}

/** Somebody was quicker. */
function unlessResolved(error: unknown): void {
  if (!(error instanceof CountersignError && error.code === "already_resolved")) throw error;
}
