import { z } from "zod";
import { newId } from "../../core/ids.js";
import { type Evidence, exportEvidence, verifyEvidence } from "../../proof/index.js";
import { fileAnswer } from "../http/files.js";
import { type AnyRoute, DONE, ok, route } from "../http/route.js";
import { type PersonPrincipal, personOf, readerOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { viewsOf, wireTime } from "../views.js";
import { approvalView } from "../wire/approval.js";
import { timeline } from "../wire/audit.js";
import { approvalParams, json } from "../wire/common.js";
import { outcome } from "../wire/outcome.js";
import { answerWith, OUTCOMES } from "./calls.js";

const tag = "Afterwards";
const permission = "approval.decide" as const;
const access = "person" as const;
const approvals = z.object({ approvals: z.array(approvalView) });

/** What needs a person although its question is over; registered before the routes that take any approval's id. */
export function looseEndRoutes({ gate, identity: { names } }: Service): AnyRoute[] {
  return [
    route({
      method: "get",
      path: "/v1/approvals/unknown",
      tag,
      summary: "Executions nobody can tell about",
      access,
      permission,
      answers: { 200: { description: "Those that concern you", schema: approvals } },
      handle: async ({ by }) => ok({ approvals: await viewsOf(names, await gate.unknownFor(personOf(by))) }),
    }),
    route({
      method: "get",
      path: "/v1/approvals/withheld",
      tag,
      summary: "Results that were larger than they had said, and wait for a release",
      access,
      permission,
      answers: { 200: { description: "Those you may release", schema: approvals } },
      handle: async ({ by }) => ok({ approvals: await viewsOf(names, await gate.withheld(personOf(by))) }),
    }),
  ];
}

/** What a person may do once a question is answered, and how they see what became of it. */
export function aftermathRoutes(service: Service): AnyRoute[] {
  const { gate } = service;
  return [
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/settle",
      tag,
      summary: "Say what became of an unknown execution; without a receipt the tool's own check is asked",
      access,
      permission,
      perMinute: 30,
      params: approvalParams,
      body: z.strictObject({
        receipt: z
          .discriminatedUnion("type", [
            z.strictObject({ type: z.literal("succeeded"), result: json.optional() }),
            z.strictObject({ type: z.literal("failed"), error: z.string().max(10_000) }),
          ])
          .optional(),
      }),
      answers: OUTCOMES,
      handle: async ({ by, params, body }) =>
        answerWith(await gate.settle(params.approvalId, personOf(by), body.receipt)),
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/release",
      tag,
      summary: "Hand a withheld result over to whoever called",
      access,
      permission,
      params: approvalParams,
      body: z.strictObject({}),
      answers: { 200: { description: "Released", schema: outcome } },
      handle: async ({ by, params }) => answerWith(await gate.release(params.approvalId, personOf(by))),
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/lift-denial",
      tag,
      summary: "Let a denied call be asked again before its cool-down is over",
      access,
      permission,
      params: approvalParams,
      body: z.strictObject({}),
      answers: { 204: { description: "Lifted" } },
      async handle({ by, params }) {
        await gate.liftDenial(params.approvalId, personOf(by));
        return DONE;
      },
    }),
    route({
      method: "post",
      path: "/v1/approvals/{approvalId}/undo",
      tag,
      summary: "Take a call that succeeded back, by a new call that is gated like any other",
      access,
      permission,
      perMinute: 30,
      params: approvalParams,
      body: z.strictObject({}),
      answers: OUTCOMES,
      handle: async ({ by, params }) => answerWith(await gate.undo(params.approvalId, personOf(by))),
    }),
    route({
      method: "get",
      path: "/v1/approvals/{approvalId}/timeline",
      tag,
      summary: "Step by step, as the audit log tells it, and whether its chain holds",
      access,
      permission: "approval.read",
      perMinute: 120,
      params: approvalParams,
      answers: {
        200: {
          description: "The call's own entries",
          schema: timeline,
        },
      },
      handle: async ({ by, params }) => ok(await timelineOf(service, by, params.approvalId)),
    }),
    route({
      method: "get",
      path: "/v1/approvals/{approvalId}/proof",
      tag,
      summary: "Evidence that others can verify without this server; that it was taken is written down",
      access,
      permission: "approval.read",
      perMinute: 30,
      params: approvalParams,
      answers: { 200: { description: "An evidence file", type: "application/json" } },
      async handle({ by, params: { approvalId } }) {
        await gate.record(approvalId, readerOf(by));
        // It holds every argument, hidden ones too: who took it stands in the log before it leaves.
        await gate.note({
          eventId: newId(),
          workspaceId: by.workspaceId,
          type: "evidence.exported",
          content: { by: by.userId, approval: approvalId },
          tightens: false,
        });
        const evidence = await exportEvidence(gate.store, approvalId);
        return fileAnswer(evidence, "application/json", `countersign-${approvalId}.json`);
      },
    }),
  ];
}

async function timelineOf({ gate, proof }: Service, by: PersonPrincipal, approvalId: string) {
  await gate.record(approvalId, readerOf(by));
  const evidence = JSON.parse(await exportEvidence(gate.store, approvalId)) as Evidence;
  const keys = proof.signingKey === undefined ? [] : [proof.signingKey.publicKey];
  const { verdict, facts, problem } = await verifyEvidence(evidence, keys);
  const { seq, hash, time } = await gate.head(by.workspaceId);
  return {
    entries: facts.map((fact) => ({ ...fact, time: wireTime(fact.time), ref: approvalId })),
    chain: {
      verified: verdict !== "broken",
      signed: verdict === "valid",
      ...(problem === undefined ? {} : { problem }),
      head: { seq, hash: Buffer.from(hash).toString("hex"), time: wireTime(time) },
    },
  };
}
