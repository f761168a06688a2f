import { type Approval, checkAudience, type Person } from "./approval.js";
import { newEntry } from "./audit.js";
import { type Engine, transition } from "./engine.js";
import { isRefusal, type Refusal, refuse } from "./errors.js";
import { notPending, refusalOf } from "./late-answer.js";
import { locate } from "./locate.js";
import type { Move } from "./record.js";
import { ofAudience } from "./vouch.js";

const MAX_NOTE = 1_000;

/** One approver asks another of the same audience to answer. Nobody gains or loses a right by it. */
export async function handOver(
  engine: Engine,
  approvalId: string,
  { to, note }: { readonly to: string; readonly note?: string },
  person: Person,
): Promise<Approval> {
  const approval = await locate(engine, { approvalId });
  const by = await ofAudience(engine, approval, person);
  const target = await memberNamed(engine, approval, to);
  const handed = await transition(engine, approval, (current, now) => applyHandOver(current, by, target, note, now));
  if (isRefusal(handed)) throw await refusalOf(engine, approval.workspaceId, handed);
  return handed;
}

/** The other person as the directory knows them; without one, by the name alone. */
async function memberNamed({ people }: Engine, { workspaceId }: Approval, userId: string): Promise<Person | undefined> {
  const bare: Person = { kind: "person", userId, workspaceId };
  if (people === undefined) return bare;
  const member = await people.member(workspaceId, userId);
  return member && { ...bare, ...member };
}

export function applyHandOver(
  approval: Approval,
  by: Person,
  to: Person | undefined,
  note: string | undefined,
  now: number,
): Move | Refusal {
  const late = notPending(approval, now);
  if (late) return late;
  const stranger = checkAudience(approval, by);
  if (stranger) return stranger;
  if (to === undefined || checkAudience(approval, to) !== undefined)
    return refuse("user_mismatch", "Only somebody who may answer this can be asked to.");
  if (to.userId === by.userId) return refuse("invalid_decision", "It is yours already.");
  const isEditor = approval.requester.userId === to.userId || approval.editors.includes(to.userId);
  if (approval.audience.notRequester && isEditor)
    return refuse("self_approval", "Somebody other than the requester and the editor has to approve this.");
  if (note !== undefined && note.length > MAX_NOTE)
    return refuse("invalid_decision", `A note has at most ${MAX_NOTE} characters.`);
  return {
    next: { ...approval, handedTo: { userId: to.userId, by: by.userId } },
    entries: [newEntry("approval.handed_over", approval.approvalId, { by: by.userId, to: to.userId, note })],
    guards: { before: approval.decideBy },
  };
}
