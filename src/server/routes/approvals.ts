import { z } from "zod";
import { CountersignError } from "../../core/errors.js";
import { decideAllAs, decideAs } from "../deciding.js";
import { problemOf } from "../http/problem.js";
import { type AnyRoute, ok, route } from "../http/route.js";
import { type Assertion, decidesUpTo, personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { decidedView, viewOf } from "../views.js";
import { approvalQuery, approvalView, decided, decisionBody, decisionsBody } from "../wire/approval.js";
import { approvalParams, count, id, locale, problem } from "../wire/common.js";

const decision = "approval.decide" as const;

/** What people do with what waits for them. No key passes here. */
export function approvalRoutes(service: Service): AnyRoute[] {
  const { gate } = service;
  const { names } = service.identity;
  return [
    route({
      method: "get",
      path: "/v1/approvals",
      tag: "Approvals",
      summary: "What waits for you, oldest first",
      access: "person",
      permission: decision,
      query: z.strictObject({ after: id.optional(), limit: count(1, 100).optional(), locale: locale.optional() }),
      answers: {
        200: {
          description: "A page",
          schema: z.object({ approvals: z.array(approvalView), next: id.optional() }),
        },
      },
      async handle({ by, query: { after, limit = 50, locale: language } }) {
        const person = personOf(by);
        const cards = await gate.pending(person, {
          limit,
          ...(after === undefined ? {} : { after }),
          ...(language === undefined ? {} : { locale: language }),
        });
        const approvals = await Promise.all(
          cards.map(async (drawn) => viewOf(names, await gate.approval(drawn.approvalId, person), drawn)),
        );
        const next = approvals.length === limit ? approvals.at(-1)?.approvalId : undefined;
        return { status: 200, body: { approvals, ...(next === undefined ? {} : { next }) } };
      },
    }),
    route({
      method: "get",
      path: "/v1/approvals/{approvalId}",
      tag: "Approvals",
      summary: "One approval with its card",
      access: "person",
      params: approvalParams,
      query: approvalQuery,
      answers: { 200: { description: "The approval", schema: approvalView } },
      async handle({ by, params: { approvalId }, query }) {
        const person = personOf(by);
        const approval = await gate.approval(approvalId, person);
        return { status: 200, body: await viewOf(names, approval, await gate.card(approvalId, person, query.locale)) };
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
        return { status: 200, body: decidedView(await decideAs(service, by, { ...params, ...answer, ...proof })) };
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
