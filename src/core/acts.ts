import { answer } from "./answer.js";
import { checkAudience, type Person, stateAt } from "./approval.js";
import { holdAgain } from "./asking-again.js";
import { ChainVerifier, newEntry, type Verification } from "./audit.js";
import type { Caller } from "./call.js";
import { applySettlement, type Receipt } from "./claim.js";
import { applyCancel } from "./decide.js";
import { type Engine, forgetHead, transition } from "./engine.js";
import { CountersignError, errorOf, isRefusal, refuse } from "./errors.js";
import { newId } from "./ids.js";
import { locate } from "./locate.js";
import type { Outcome } from "./outcome.js";
import { checkRequester, ownCall } from "./own-call.js";
import { checkReceipt } from "./remote.js";
import { DEFAULT_ROLES } from "./roles.js";
import { checkStatus, pastDue } from "./upkeep.js";
import { vouched } from "./vouch.js";

const PAGE = 1_000;

/** The requesting side withdraws its call. */
export async function cancel(
  engine: Engine,
  by: { readonly approvalId?: string; readonly confirmationToken?: string },
  caller: Caller,
  reason?: string,
): Promise<Outcome> {
  const { approvalId } = await ownCall(engine, by, caller);
  const ended = await transition(engine, approvalId, (current, now) =>
    applyCancel(current, caller.userId, reason, now),
  );
  if (isRefusal(ended)) throw errorOf(ended);
  return answer(engine, ended);
}

/** Expired is no dead end: either side may put the question again. */
export async function askAgain(engine: Engine, approvalId: string, who: Person | Caller): Promise<Outcome> {
  const approval = await locate(engine, { approvalId });
  const stranger =
    "kind" in who
      ? checkAudience(approval, await vouched(engine, who, approval.workspaceId))
      : checkRequester(approval, who);
  if (stranger) throw errorOf(stranger);
  const state = stateAt(approval, engine.store.time());
  if (state !== "expired")
    throw errorOf(refuse("already_resolved", `Only what expired can be asked again; this is ${state}.`));
  if (approval.state !== "expired") await pastDue(engine, approval);
  return answer(engine, await holdAgain(engine, approval));
}

/** A person, or the tool's own check, settles an execution nobody could tell about. */
export async function settle(engine: Engine, approvalId: string, person: Person, receipt?: Receipt): Promise<Outcome> {
  const approval = await locate(engine, { approvalId });
  const who = await vouched(engine, person, approval.workspaceId);
  const mine =
    who?.kind === "person" && who.workspaceId === approval.workspaceId && who.userId === approval.requester.userId;
  const stranger = mine ? undefined : checkAudience(approval, who);
  if (stranger) throw errorOf(stranger);
  if (approval.state !== "unknown")
    throw errorOf(refuse("already_resolved", `It is ${approval.state}; only an unknown outcome is settled.`));
  if (receipt === undefined) return answer(engine, await checkStatus(engine, approval));
  const known = checkReceipt(receipt);
  const settled = await transition(engine, approvalId, (current, now) =>
    applySettlement(current, known, person.userId, now),
  );
  if (isRefusal(settled)) throw errorOf(settled);
  return answer(engine, settled);
}

export async function pause(engine: Engine, workspaceId: string, paused: boolean, person: Person): Promise<void> {
  if (person?.kind !== "person" || person.workspaceId !== workspaceId) {
    throw new CountersignError("family_mismatch", "Only a person of the workspace can pause it.");
  }
  const { roles = [] } = await vouched(engine, person, workspaceId);
  if (!paused) {
    // Stopping is for everybody; letting everything run again is for those who answer for it.
    if (engine.people !== undefined && !roles.some((role) => DEFAULT_ROLES.includes(role)))
      throw new CountersignError("not_permitted", `Ending a pause needs the role ${DEFAULT_ROLES.join(" or ")}.`);
    await engine.weaken?.(person, "workspace.resumed");
  }
  const entry = newEntry(paused ? "workspace.paused" : "workspace.resumed", "", { by: person.userId });
  await engine.grouper.commit({ changeId: newId(), workspaceId, puts: [], entries: [entry], paused, tighten: paused });
  forgetHead(engine, workspaceId);
}

/** Reads the chain page by page; the head is taken first, so that entries written meanwhile do not confuse it. */
export async function verify(engine: Engine, workspaceId: string): Promise<Verification> {
  const head = await engine.store.checkpoint(workspaceId);
  const verifier = new ChainVerifier(workspaceId, head.seq === 0 ? [] : [head]);
  for (let after = 0; after < head.seq; ) {
    const page = await engine.store.entries(workspaceId, after, PAGE);
    if (page.length === 0) break;
    for (const entry of page) {
      const bad = verifier.add(entry);
      if (bad) return bad;
    }
    after = page.at(-1)?.seq ?? head.seq;
  }
  return verifier.end();
}
