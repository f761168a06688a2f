import { z } from "zod";
import { APPROVAL_STATES, type Approval } from "../../core/approval.js";
import { CountersignError } from "../../core/errors.js";
import { linesAnswer } from "../http/files.js";
import { type AnyRoute, ok, route } from "../http/route.js";
import { may, type PersonPrincipal, readerOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { isAutoApproved, viewOf } from "../views.js";
import { historyPage } from "../wire/approval.js";
import { count, id, locale, text } from "../wire/common.js";

const tag = "History";

/** `auto_approved` is what ran without a question: by a rule, a grant, a setting or a mode. */
const state = z.enum([...APPROVAL_STATES, "auto_approved"]);

const historyQuery = z.strictObject({
  state: state.optional(),
  tool: text(128).optional(),
  before: id.optional(),
  limit: count(1, 100).optional(),
  /** Your own calls, those of one of your agents, or for owners and auditors everybody's. */
  view: z.union([z.enum(["mine", "workspace"]), z.string().regex(/^agent:.{1,190}$/)]).optional(),
  /** With a language, your own calls carry their cards in it for as long as what was asked is kept. */
  locale: locale.optional(),
});
type Query = {
  readonly state?: z.output<typeof state>;
  readonly tool?: string;
  readonly before?: string;
  readonly limit?: number;
  readonly view?: string;
  readonly locale?: z.output<typeof locale>;
};

/** What became of calls: who asked, who answered, where it ended, how long it took. */
export function historyRoutes(service: Service): AnyRoute[] {
  const { gate, identity } = service;
  return [
    route({
      method: "get",
      path: "/v1/history",
      tag,
      summary: "Calls that are over or under way, newest first",
      access: "person",
      permission: "approval.read",
      query: historyQuery,
      answers: {
        200: { description: "A page", schema: historyPage },
      },
      handle: async ({ by, query }) => ok(await page(service, by, query)),
    }),
    route({
      method: "get",
      path: "/v1/history/export",
      tag,
      summary: "All your calls with their cards, one JSON object a line",
      access: "person",
      permission: "approval.read",
      perMinute: 6,
      query: z.strictObject({ locale: locale.optional() }),
      answers: { 200: { description: "JSON lines", type: "application/x-ndjson" } },
      async handle({ by, query }) {
        const person = readerOf(by);
        async function* lines(): AsyncGenerator<string> {
          for (let before = ""; ; ) {
            const past = await gate.history(person, { before, limit: BATCH });
            for (const approval of past) {
              const card = await gate.pastCard(approval.approvalId, person, query.locale);
              yield `${JSON.stringify(await viewOf(identity.names, approval, card))}\n`;
            }
            if (past.length < BATCH) return;
            before = past.at(-1)?.approvalId ?? before;
          }
        }
        return linesAnswer(lines(), "application/x-ndjson", "countersign-history.jsonl");
      },
    }),
    route({
      method: "delete",
      path: "/v1/history",
      tag,
      summary: "Erase what was said in your calls that are over, and you from them; the audit chain still verifies",
      access: "person",
      permission: "approval.read",
      perMinute: 6,
      answers: {
        200: {
          description: "What is gone, and what was still open",
          schema: z.object({
            calls: z.number().int(),
            entries: z.number().int(),
            open: z.number().int(),
            unreadable: z.number().int(),
          }),
        },
      },
      async handle({ by }) {
        if (by.session.kind !== "web") {
          throw new CountersignError(
            "not_permitted",
            "History is erased in the browser: a program can drive a terminal.",
          );
        }
        return ok(await service.proof.retention.erasePerson(by.workspaceId, by.userId));
      },
    }),
  ];
}

const BATCH = 100;
/** A filter that nothing fits must not read a whole workspace in one request; whoever wants more asks on. */
const MAX_ROUNDS = 10;

async function page(service: Service, by: PersonPrincipal, query: Query) {
  const { userIds, agentId } = await whose(service, by, query.view ?? "mine");
  const limit = query.limit ?? 50;
  const items: Approval[] = [];
  const seen = () => Promise.all(items.map((item) => seenBy(service, by, item, query.locale)));
  let before = query.before ?? "";
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const batch = await newest(service, by, userIds, before);
    for (const approval of batch) {
      before = approval.approvalId;
      if (!fits(approval, query, agentId)) continue;
      if (items.push(approval) === limit) return { items: await seen(), next: before };
    }
    if (batch.length < BATCH) return { items: await seen() };
  }
  return { items: await seen(), next: before };
}

/** The newest of several people's calls, merged. */
async function newest({ gate }: Service, by: PersonPrincipal, userIds: readonly string[], before: string) {
  const person = readerOf(by);
  const each = await Promise.all(userIds.map((userId) => gate.history(person, { before, limit: BATCH, userId })));
  return each
    .flat()
    .sort((a, b) => (a.approvalId < b.approvalId ? 1 : -1))
    .slice(0, BATCH);
}

async function whose(
  { identity }: Service,
  by: PersonPrincipal,
  view: string,
): Promise<{ readonly userIds: readonly string[]; readonly agentId?: string }> {
  if (view === "mine") return { userIds: [by.userId] };
  if (view === "workspace") {
    if (!may(by, "audit.read")) throw new CountersignError("not_permitted", "This view is for owners and auditors.");
    return { userIds: await identity.members.everybody(by.workspaceId) };
  }
  const agentId = view.slice("agent:".length);
  const agent = (await identity.agents.list(by)).find((one) => one.agentId === agentId);
  if (agent === undefined) throw new CountersignError("not_found", "There is no such agent here.");
  return { userIds: [agent.ownerId], agentId };
}

function fits(approval: Approval, query: Query, agentId: string | undefined): boolean {
  if (agentId !== undefined && approval.requester.agentId !== agentId) return false;
  if (query.tool !== undefined && approval.tool !== query.tool) return false;
  if (query.state === undefined) return true;
  return query.state === "auto_approved" ? isAutoApproved(approval) : approval.state === query.state;
}

/** Overseeing is knowing that something ran and how it ended; what was asked and given back is for the person it ran for. */
async function seenBy(service: Service, by: PersonPrincipal, approval: Approval, inLocale?: Query["locale"]) {
  const { gate, identity } = service;
  const own = approval.requester.userId === by.userId;
  const card =
    own && inLocale !== undefined ? await gate.pastCard(approval.approvalId, readerOf(by), inLocale) : undefined;
  const view = await viewOf(identity.names, approval, card);
  if (own || view.execution === undefined) return view;
  const { result: _, ...execution } = view.execution;
  return { ...view, execution };
}
