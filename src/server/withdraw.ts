import { CountersignError } from "../core/errors.js";
import { type PersonPrincipal, personOf } from "./identity/index.js";
import type { Service } from "./service.js";

const PAGE = 25;
const PAGES = 80;

/**
 * Withdraws what an agent that was ended still asks of whoever ended it, so that nobody is asked for nothing. Whatever this does
 * not reach cannot be approved either: an agent that was ended is found out at the decision and at the claim.
 */
export async function withdrawCallsOf(
  { gate }: Pick<Service, "gate">,
  by: PersonPrincipal,
  agentId: string,
): Promise<void> {
  const person = personOf(by);
  let after = "";
  for (let page = 0; page < PAGES; page++) {
    const waiting = await gate.waiting(person, { limit: PAGE, after });
    for (const { approval } of waiting) {
      const { approvalId, workspaceId, requester } = approval;
      after = approvalId;
      if (requester.agentId !== agentId) continue;
      const caller = { ...requester, workspaceId };
      await gate.cancel({ approvalId }, caller, "the agent that asked was ended").catch(unlessResolved);
    }
    if (waiting.length < PAGE) return;
  }
}

/** Somebody was quicker. */
function unlessResolved(error: unknown): void {
  if (!(error instanceof CountersignError && error.code === "already_resolved")) throw error;
}
