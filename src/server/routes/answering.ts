import { z } from "zod";
import type { Card } from "../../core/card/card.js";
import { CountersignError } from "../../core/errors.js";
import { groupSimilar } from "../../core/judging/similar.js";
import type { Locale } from "../../core/tool.js";
import { everyWaiting, type Waiting } from "../../core/views.js";
import { type AnyRoute, ok, route } from "../http/route.js";
import { personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { decidedView, listedCard, MOST_DRAWN, viewOf, wireTime } from "../views.js";
import { approvalQuery, approvalView, decided, decisionScope } from "../wire/approval.js";
import { card, shownValue } from "../wire/card.js";
import { approvalParams, hash, id, json, riskTier, text, time } from "../wire/common.js";
import { outcome } from "../wire/outcome.js";
import { ceremony } from "../wire/people.js";
import { grantPreview, grantSuggestion } from "../wire/standing.js";
import { answerWith } from "./calls.js";

const tag = "Approvals";
const permission = "approval.decide" as const;
const access = "person" as const;
const args = z.record(z.string(), json);

/** What is like what, for one look; registered before the routes that take any approval's id. */
export function groupRoutes({ gate }: Service): AnyRoute[] {
  return [
    route({
      method: "get",
      path: "/v1/approvals/groups",
      tag,
      summary:
        "What waits for you, similar questions together, oldest first, as many as one answer holds; the highest risk always alone, and long calls left out",
      access,
      permission,
      query: approvalQuery,
      answers: {
        200: {
          description: "Groups in the order they came",
          schema: z.object({
            groups: z.array(
              z.object({
                tool: z.string(),
                riskTier,
                cards: z.array(card),
                shown: z.array(z.object({ approvalId: id, toolCallHash: hash })),
              }),
            ),
          }),
        },
      },
      handle: async ({ by, query }) =>
        ok({ groups: groupSimilar(await drawn(everyWaiting(gate, personOf(by)), query.locale)) }),
    }),
  ];
}

/** As many cards as one answer has room for; nobody decides long calls by the dozen. */
async function drawn(all: AsyncIterable<Waiting>, locale: Locale | undefined): Promise<Card[]> {
  const cards: Card[] = [];
  let left = MOST_DRAWN;
  for await (const { card: toDraw } of all) {
    const shown = listedCard(toDraw, locale);
    if (shown === undefined || toDraw === undefined) continue;
    cards.push(shown);
    left -= toDraw.length();
    if (left <= 0) break;
  }
  return cards;
}

/** What a person may do with a question besides answering it. */
export function answeringRoutes(service: Service): AnyRoute[] {
  const { gate } = service;
  return [
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/draft",
      tag,
      summary: "The card as it would be with other arguments; stores nothing",
      access,
      permission,
      params: approvalParams,
      query: approvalQuery,
      body: z.strictObject({ args }),
      answers: { 200: { description: "The card after the edit, with the difference", schema: z.object({ card }) } },
      async handle({ by, params, body, query }) {
        const drafted = await gate.draft(params.approvalId, body.args, personOf(by), query.locale);
        if (drafted === undefined) throw new CountersignError("not_found", "What was asked is not kept any more.");
        return ok({ card: drafted });
      },
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/dry-run",
      tag,
      summary: "Let the tool say what it would do, without doing it",
      access,
      permission,
      perMinute: 30,
      params: approvalParams,
      body: z.strictObject({}),
      answers: {
        200: {
          description: "The tool's own word, for exactly this call",
          schema: z.object({ result: json, ranAt: time, toolCallHash: hash }),
        },
      },
      async handle({ by, params }) {
        const { ranAt, ...ran } = await gate.dryRun(params.approvalId, personOf(by));
        return ok({ ...ran, ranAt: wireTime(ranAt) });
      },
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/step-up",
      tag,
      summary: "Begin to answer by passkey over exactly this call; its assertion goes into the decision",
      access,
      permission,
      perMinute: 60,
      params: approvalParams,
      body: z.strictObject({ decision: z.enum(["approve", "deny"]), toolCallHash: hash, args: args.optional() }),
      answers: { 200: { description: "What to ask of the authenticator", schema: ceremony } },
      async handle({ by, params: { approvalId }, body }) {
        const person = personOf(by);
        const { toolCallHash } = await gate.approval(approvalId, person);
        if (toolCallHash !== body.toolCallHash) {
          throw new CountersignError("hash_mismatch", "The call has changed since it was shown. Look again.");
        }
        const edited = body.args === undefined ? undefined : await gate.draft(approvalId, body.args, person);
        const signs = { approvalId, decision: body.decision, toolCallHash: edited?.toolCallHash ?? toolCallHash };
        return ok(await service.identity.stepUp.begin(by, signs));
      },
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/reveal",
      tag,
      summary: "Show one hidden value; written down before it is told",
      access,
      permission,
      perMinute: 60,
      secret: true,
      params: approvalParams,
      body: z.strictObject({ label: text(1_000) }),
      answers: { 200: { description: "The value", schema: z.object({ value: shownValue }) } },
      handle: async ({ by, params, body }) =>
        ok({ value: await gate.reveal(params.approvalId, body.label, personOf(by)) }),
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/hand-over",
      tag,
      summary: "Ask another person of the audience to answer",
      access,
      permission,
      perMinute: 60,
      params: approvalParams,
      body: z.strictObject({ to: id, note: text(1_000).optional() }),
      answers: { 200: { description: "Handed over", schema: z.object({ approval: approvalView }) } },
      handle: async ({ by, params, body }) =>
        ok({
          approval: await viewOf(service.identity.names, await gate.handOver(params.approvalId, body, personOf(by))),
        }),
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/withdraw",
      tag,
      summary: "Take your yes back, until the call is claimed",
      access,
      permission,
      params: approvalParams,
      body: z.strictObject({}),
      answers: { 200: { description: "Taken back", schema: decided } },
      handle: async ({ by, params }) => ok(decidedView(await gate.withdraw(params.approvalId, personOf(by)))),
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/ask-again",
      tag,
      summary: "Put an expired question again",
      access,
      permission,
      perMinute: 60,
      params: approvalParams,
      body: z.strictObject({}),
      answers: { 202: { description: "It waits again, under a new id", schema: outcome } },
      handle: async ({ by, params }) => answerWith(await gate.askAgain(params.approvalId, personOf(by))),
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/grant-preview",
      tag,
      summary: "What a yes of this scope would cover beyond this call",
      access,
      permission,
      params: approvalParams,
      query: approvalQuery,
      body: z.strictObject({ scope: decisionScope }),
      answers: { 200: { description: "In words", schema: grantPreview } },
      handle: async ({ by, params, body, query }) =>
        ok(await gate.describeGrant(params.approvalId, body.scope, personOf(by), query.locale)),
    }),
    route({
      method: "get",
      path: "/v1/approvals/{approvalId}/grant-suggestions",
      tag,
      summary: "At most three grants that fit this call, narrowest first",
      access,
      permission,
      params: approvalParams,
      query: approvalQuery,
      answers: {
        200: {
          description: "None where none may be given",
          schema: z.object({ suggestions: z.array(grantSuggestion) }),
        },
      },
      async handle({ by, params, query }) {
        const suggestions = await gate.suggestGrants(params.approvalId, personOf(by), query.locale);
        return ok({
          suggestions: suggestions.map(({ kind: _, text: sentence, ...rest }) => ({ ...rest, sentence })),
        });
      },
    }),
  ];
}
