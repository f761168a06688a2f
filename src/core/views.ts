import {
  type Approval,
  checkAudience,
  groupIndex,
  type Person,
  personIndex,
  roleIndexes,
  stateAt,
  unknownIndex,
} from "./approval.js";
import type { Card } from "./card/card.js";
import { renderCard } from "./card/render.js";
import { type Edit, revisedBy } from "./decide.js";
import { type Engine, loadApproval, loadIntactCall, toolOf } from "./engine.js";
import { isRefusal } from "./errors.js";
import { tellFailed } from "./for-each.js";
import { merged, readPage } from "./pages.js";
import type { CallRecord } from "./record.js";
import type { Soon } from "./soon.js";
import type { Locale } from "./tool.js";

export interface Page {
  readonly after?: string;
  readonly limit?: number;
  /** The language of the cards. */
  readonly locale?: Locale;
}

/** What waits for this person, oldest first. Fewer than asked for means that there are no more. */
export async function pendingFor(
  engine: Engine,
  person: Person,
  { after = "", limit = 100 }: Page = {},
): Promise<Approval[]> {
  const { workspaceId: ws, userId } = person;
  const indexes = [
    personIndex(ws, userId),
    ...roleIndexes(ws, person.roles ?? []),
    ...(person.groups ?? []).map((group) => groupIndex(ws, group)),
  ];
  return readPage(
    engine,
    merged(engine.store, indexes),
    { from: after, limit },
    (approval) => stateAt(approval, engine.store.time()) === "pending" && checkAudience(approval, person) === undefined,
  );
}

/** Executions nobody can tell about; they wait for a person or the tool's own check. */
export async function unknownIn(
  engine: Engine,
  workspaceId: string,
  { after = "", limit = 100 }: Page = {},
): Promise<Approval[]> {
  return readPage(engine, merged(engine.store, [unknownIndex(workspaceId)]), { from: after, limit });
}

/** With `edit` it is the card of the revision that the edit would make. */
export async function cardOf(
  engine: Engine,
  known: Approval,
  locale: Locale = "en",
  edit?: Edit,
): Promise<Card | undefined> {
  const approval = edit === undefined ? known : revisedBy(known, edit);
  return (await cardToDraw(engine, approval, edit?.call))?.draw(locale);
}

/** A card of which everything is read and nothing drawn: that is a matter of the reader's language, and of time. */
export interface CardToDraw {
  /** Characters that there are to draw. Drawing takes time and room by them, and an agent may send a million. */
  readonly length: () => number;
  readonly draw: (locale?: Locale) => Card;
  /** The same among others: none where it cannot be drawn, which is told of and hides nothing. */
  readonly drawListed: (locale?: Locale) => Card | undefined;
}

/** A question with its card; one whose call cannot be shown has none. */
export interface Waiting {
  readonly approval: Approval;
  readonly card: CardToDraw | undefined;
}

/** What waits for this person, oldest first, before anything is drawn. */
export async function waitingFor(engine: Engine, person: Person, page?: Page): Promise<Waiting[]> {
  const approvals = await pendingFor(engine, person, page);
  return Promise.all(approvals.map(async (approval) => ({ approval, card: await cardToDraw(engine, approval) })));
}

/** Read at once: each may hold a megabyte. */
const AT_ONCE = 25;

/** All that waits for this person, oldest first, read while it is gone through. */
export async function* everyWaiting(
  gate: { waiting(person: Person, page?: Page): Promise<Waiting[]> },
  person: Person,
  from = "",
): AsyncGenerator<Waiting> {
  for (let after = from; ; ) {
    const page = await gate.waiting(person, { after, limit: AT_ONCE });
    yield* page;
    if (page.length < AT_ONCE) return;
    after = page.at(-1)?.approval.approvalId ?? after;
  }
}

/** Reads what a card is drawn from. `known` is its call row, if at hand. */
export function cardToDraw(engine: Engine, approval: Approval, known?: CallRecord): Soon<CardToDraw | undefined> {
  const isAllKnown = approval.supersedes === undefined && engine.people?.nameOf === undefined;
  if (known === undefined || !isAllKnown) return readCard(engine, approval, known);
  return drawable(engine, approval, known, undefined, NO_NAMES);
}

async function readCard(
  engine: Engine,
  approval: Approval,
  known: CallRecord | undefined,
): Promise<CardToDraw | undefined> {
  const call = known ?? (await shownCall(engine, approval));
  if (call === undefined) return undefined;
  const before = approval.supersedes === undefined ? undefined : await loadApproval(engine, approval.supersedes);
  // A plan of another workspace, person or agent is nobody's business here, whatever the call names.
  const mayShow =
    before?.workspaceId === approval.workspaceId &&
    before.requester.userId === approval.requester.userId &&
    before.requester.agentId === approval.requester.agentId;
  const superseded = before !== undefined && mayShow ? await shownCall(engine, before) : undefined;
  const names = engine.people?.nameOf === undefined ? NO_NAMES : await namesOf(engine, approval);
  return drawable(engine, approval, call, superseded, names);
}

function drawable(
  engine: Engine,
  approval: Approval,
  call: CallRecord,
  superseded: CallRecord | undefined,
  names: ReadonlyMap<string, string>,
): CardToDraw {
  const draw = (locale: Locale = "en") => {
    const find = (name: string) => toolOf(engine, approval, name);
    const source = { approval, call, tool: find(approval.tool), superseded, names, find };
    return renderCard(source, locale, engine.mask);
  };
  return {
    length: () => lengthOf(call) + (superseded === undefined ? 0 : lengthOf(superseded)),
    draw,
    drawListed(locale) {
      try {
        return draw(locale);
      } catch (error) {
        tellFailed(engine, approval.approvalId, error);
        return undefined;
      }
    },
  };
}

/** By everything that is as long as its sender likes. */
function lengthOf({ canonical, preview, alternatives, proposed }: CallRecord): number {
  const more = [preview, alternatives, proposed].filter((part) => part !== undefined);
  return canonical.length + (more.length === 0 ? 0 : JSON.stringify(more).length);
}

/** What is shown must be what was held: a row that was changed in the store is not drawn, and told of. */
async function shownCall(engine: Engine, approval: Approval): Promise<CallRecord | undefined> {
  const call = engine.waiters.atHand.call(approval) ?? (await loadIntactCall(engine, approval));
  if (!isRefusal(call)) return call;
  if (call.refused !== "not_found")
    engine.notice("call.refused", { approvalId: approval.approvalId, why: call.refused });
  return undefined;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** What those are called who asked and who have answered. Without a directory, or without a name in it, the id stands. */
async function namesOf({ people }: Engine, approval: Approval): Promise<ReadonlyMap<string, string>> {
  const { workspaceId, requester, votes } = approval;
  const names = new Map<string, string>();
  for (const id of new Set([requester.userId, requester.agentId, ...votes.map(({ userId }) => userId)])) {
    const name = await people?.nameOf?.(workspaceId, id);
    if (name !== undefined) names.set(id, name);
  }
  return names;
}
