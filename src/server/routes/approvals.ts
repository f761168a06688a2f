import { z } from "zod";
import type { ApprovalView } from "../../client/wire.js";
import type { Approval, Person } from "../../core/approval.js";
import { CountersignError } from "../../core/errors.js";
import { everyWaiting } from "../../core/views.js";
import { decideAllAs, decideAs } from "../deciding.js";
import { problemOf } from "../http/problem.js";
import { type AnyRoute, type Exact, ok, route } from "../http/route.js";
import { type Assertion, decidesUpTo, personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { decidedView, listedCard, MOST_DRAWN, viewOf } from "../views.js";
import { approvalQuery, approvalView, decided, decisionBody, decisionsBody, listed } from "../wire/approval.js";
import { approvalParams, count, id, locale, problem, riskTier, text } from "../wire/common.js";

const decision = "approval.decide" as const;

const pendingQuery = z.strictObject({
  after: id.optional(),
  limit: count(1, 100).optional(),
  locale: locale.optional(),
  tool: text(128).optional(),
  riskTier: riskTier.optional(),
  /** The agent that asks. */
  agent: id.optional(),
  session: id.optional(),
});
type PendingQuery = Exact<z.output<typeof pendingQuery>>;

/** What people do with what waits for them. No key passes here. */
export function approvalRoutes(service: Service): AnyRoute[] {
  const { gate } = service;
  const { names } = service.identity;
  return [
    route({
      method: "get",
      path: "/v1/approvals",
      tag: "Approvals",
      summary:
        "What waits for you, oldest first; all of it, or what fits. The card of a long call is left out: read that one alone",
      access: "person",
      permission: decision,
      query: pendingQuery,
      answers: {
        200: {
          description: "A page",
          schema: z.object({ approvals: z.array(approvalView), next: id.optional() }),
        },
      },
      handle: async ({ by, query }) => ok(await page(service, personOf(by), query)),
    }),
    route({
      method: "get",
      path: "/v1/approvals/{approvalId}",
      tag: "Approvals",
      summary: "One approval with its card",
      access: "person",
      params: approvalParams,
      query: approvalQuery.extend({ listed }),
      answers: { 200: { description: "The approval", schema: approvalView } },
      async handle({ by, params: { approvalId }, query }) {
        const person = personOf(by);
        const approval = await gate.approval(approvalId, person);
        const card = await gate.cardToDraw(approval);
        const drawn = query.listed === undefined ? card?.drawListed(query.locale) : listedCard(card, query.locale);
        return { status: 200, body: await viewOf(names, approval, drawn) };
      },
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/decision",
      tag: "Approvals",
      summary: "Approve or deny, naming the call that was shown",
      access: "person",
      permission: decision,
      params: approvalParams,
      body: decisionBody,
      answers: { 200: { description: "Taken", schema: decided } },
      async handle({ by, params, body }) {
        const { assertion, ...answer } = body;
        // Its form is the verifier's matter: what it cannot read, it refuses.
        const proof = assertion === undefined ? {} : { assertion: assertion as unknown as Assertion };
        return {
          status: 200,
          body: decidedView(await decideAs(service, by, { approvalId: params.approvalId, ...answer, ...proof })),
        };
      },
    }),
    route({
      method: "post",
      path: "/v1/approvals/decisions",
      tag: "Approvals",
      summary: "Several answers at once, each with its own result; never for the highest risk",
      access: "person",
      permission: decision,
      body: decisionsBody,
      answers: {
        200: {
          description: "One result for each, in their order",
          schema: z.object({ results: z.array(z.union([decided, problem])) }),
        },
      },
      async handle({ by, body: { decisions } }) {
        if (decidesUpTo(by) !== "R4" && decisions.some((each) => each.decision === "approve")) {
          throw new CountersignError("step_up_required", "A terminal approves one at a time.");
        }
        const results = await decideAllAs(service, by, decisions);
        return ok({
          results: results.map((result) => (result instanceof Error ? problemOf(result) : decidedView(result))),
        });
      },
    }),
  ];
}

/** A filter that nothing fits must not read everything there is in one request; whoever wants more asks on. */
const MOST_READ = 1_000;

async function page({ gate, identity }: Service, person: Person, query: PendingQuery) {
  const { limit = 50 } = query;
  const approvals: ApprovalView[] = [];
  let [drawn, read] = [0, 0];
  for await (const { approval, card } of everyWaiting(gate, person, query.after)) {
    if (card !== undefined && fits(approval, query)) {
      const shown = listedCard(card, query.locale);
      approvals.push(await viewOf(identity.names, approval, shown));
      drawn += shown === undefined ? 0 : card.length();
    }
    read += 1;
    if (approvals.length === limit || drawn > MOST_DRAWN || read === MOST_READ)
      return { approvals, next: approval.approvalId };
  }
  return { approvals };
}

function fits({ tool, riskTier: tier, requester }: Approval, query: PendingQuery): boolean {
  if (query.tool !== undefined && tool !== query.tool) return false;
  if (query.riskTier !== undefined && tier !== query.riskTier) return false;
  if (query.agent !== undefined && requester.agentId !== query.agent) return false;
  return query.session === undefined || requester.sessionId === query.session;
}
