import { type Approval, checkAudience, historyIndex, type Person, unknownIndex } from "./approval.js";
import { type Engine, loadApproval } from "./engine.js";
import { CountersignError } from "./errors.js";
import { readAll } from "./for-each.js";
import { readPage } from "./pages.js";
import { memberOf } from "./vouch.js";

/** Roles that may read everything that happened in their workspace. */
const OVERSEERS: readonly string[] = ["owner", "auditor"];

/** How far back to start, newest first. */
export interface Past {
  /** Only what is older than this approval. */
  readonly before?: string;
  readonly limit?: number;
  /** Whose calls: one's own unless said. Another person's are for roles that may read the audit log. */
  readonly userId?: string;
}

/** What became of a person's calls, newest first. Fewer than asked for means that there are no more. */
export async function pastOf(
  engine: Engine,
  person: Person,
  { before = "", limit = 50, userId = person.userId }: Past,
): Promise<Approval[]> {
  const who = await memberOf(engine, person);
  if (userId !== who.userId && !overlooks(who)) {
    throw new CountersignError("not_permitted", "Other people's history is for owners and auditors.");
  }
  const index = historyIndex(who.workspaceId, userId);
  return readPage(
    engine,
    (from, most) => engine.store.latest(index, from, most),
    { from: before, limit },
    (approval) => isOf(approval, who.workspaceId, userId),
  );
}

/** Hosts choose their ids: with a slash in one, the keys of two people in two workspaces can be the same. */
export function isOf({ workspaceId, requester }: Approval, ofWorkspace: string, userId: string): boolean {
  return workspaceId === ofWorkspace && requester.userId === userId;
}

/** One record for whoever may know what became of it: its audience, the person it was made for, owners and auditors. */
export async function readable(engine: Engine, approvalId: string, person: Person): Promise<Approval> {
  const who = await memberOf(engine, person);
  const approval = await loadApproval(engine, approvalId);
  if (approval === undefined || approval.workspaceId !== who.workspaceId || !mayRead(approval, who)) {
    throw new CountersignError("not_found", "There is no such approval.");
  }
  return approval;
}

/** Executions nobody can tell about, among those this person may read. */
export async function unknownFor(engine: Engine, person: Person): Promise<Approval[]> {
  const who = await memberOf(engine, person);
  const records = await engine.store.list(unknownIndex(who.workspaceId), "", 1_000);
  return readAll(engine, records).filter((approval) => mayRead(approval, who));
}

function mayRead(approval: Approval, person: Person): boolean {
  const mine = approval.requester.userId === person.userId;
  return mine || overlooks(person) || checkAudience(approval, person) === undefined;
}

function overlooks({ roles = [] }: Person): boolean {
  return roles.some((role) => OVERSEERS.includes(role));
}
