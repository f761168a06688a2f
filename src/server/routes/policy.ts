import { z } from "zod";
import type { Approval } from "../../core/approval.js";
import { decodeCall } from "../../core/codec.js";
import { CountersignError } from "../../core/errors.js";
import type { JsonObject } from "../../core/json.js";
import { argsOf, callId } from "../../core/record.js";
import { validateArgs } from "../../core/schema.js";
import { checkPolicy, explain, parsePolicy, type RecordedCall, replay } from "../../policy/index.js";
import { callerFor } from "../callers.js";
import { type AnyRoute, ok, route } from "../http/route.js";
import { type PersonPrincipal, readerOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { id, json, text } from "../wire/common.js";

const tag = "Policy";
const access = "person" as const;
const policyText = z.string().min(1).max(262_144);
const problem = z.object({
  path: z.string(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
  message: z.string(),
  suggestion: z.string().optional(),
});
/** Where the file stands is the host's matter. */
const POLICY_NAME = "countersign.policy.yaml";
const anything = z.record(z.string(), json);

/** The written rules: read them, check others, ask why, and see what other rules would have done. None of it changes a rule. */
export function policyRoutes(service: Service): AnyRoute[] {
  const { gate, policy } = service;
  return [
    route({
      method: "get",
      path: "/v1/policy",
      tag,
      summary: "The rules in force",
      access,
      answers: {
        200: {
          description: "Null where there is no policy",
          schema: z.object({
            policy: z
              .object({ name: z.string(), version: z.string(), rules: z.array(anything), defaults: anything })
              .nullable(),
          }),
        },
      },
      async handle() {
        const current = policy?.current();
        if (current === undefined) return ok({ policy: null });
        const { version, rules, defaults } = current;
        return ok({ policy: { name: POLICY_NAME, version, rules, defaults } });
      },
    }),
    route({
      method: "post",
      path: "/v1/policy/check",
      tag,
      summary: "What is wrong with a policy, with lines and columns; nothing is stored",
      access,
      perMinute: 60,
      body: z.strictObject({ text: policyText }),
      answers: {
        200: {
          description: "Problems refuse it, warnings do not",
          schema: z.object({
            ok: z.boolean(),
            version: z.string().optional(),
            problems: z.array(problem),
            warnings: z.array(problem),
          }),
        },
      },
      async handle({ body }) {
        const { policy: read, problems, warnings } = checkPolicy(body.text);
        return ok({ ok: read !== undefined, ...(read && { version: read.version }), problems, warnings });
      },
    }),
    route({
      method: "post",
      path: "/v1/policy/explain",
      tag,
      summary: "Why a call would be allowed, asked or denied, rule by rule; nothing runs",
      access,
      perMinute: 60,
      body: z.strictObject({
        call: z.strictObject({
          tool: text(128),
          args: anything.optional(),
          confidence: z.number().min(0).max(1).optional(),
          agentId: id.optional(),
        }),
        /** Another policy than the one in force. */
        text: policyText.optional(),
      }),
      answers: { 200: { description: "Signals, rules and the precedence", schema: anything } },
      async handle({ by, body: { call, text: other } }) {
        const { workspaceId } = by;
        const { agentId = `person:${by.userId}`, confidence } = call;
        // What an agent has declared is for those to see who see the agent.
        const seen = (await service.identity.agents.list(by)).some((agent) => agent.agentId === agentId);
        const tool = gate.registry.find(call.tool, seen ? { workspaceId, agentId } : undefined);
        if (tool === undefined) throw new CountersignError("unknown_tool", `There is no tool "${call.tool}" here.`);
        const args = await validateArgs(tool.name, tool.inputSchema, call.args);
        const rules = other === undefined ? policy?.current() : parsePolicy(other, POLICY_NAME);
        const caller = { ...callerFor(by), agentId };
        const at = service.clock.now();
        const told = explain(rules, { tool, args, caller, at, ...(confidence === undefined ? {} : { confidence }) });
        return ok(JSON.parse(JSON.stringify({ ...told, policy: rules?.version ?? null })));
      },
    }),
    route({
      method: "post",
      path: "/v1/policy/replay",
      tag,
      summary: "What other rules would have done with the calls of the last days",
      access,
      permission: "audit.read",
      perMinute: 6,
      body: z.strictObject({ text: policyText, days: z.number().int().min(1).max(30).optional() }),
      answers: { 200: { description: "Call by call and in numbers", schema: anything } },
      async handle({ by, body: { text: other, days = 7 } }) {
        const after = parsePolicy(other);
        const recorded = await recordedCalls(service, by, service.clock.now() - days * DAY);
        return ok(JSON.parse(JSON.stringify(replay(policy?.current(), after, recorded))));
      },
    }),
  ];
}

const DAY = 24 * 3_600_000;
const MOST = 1_000;

async function recordedCalls(service: Service, by: PersonPrincipal, since: number): Promise<RecordedCall[]> {
  const people = await service.identity.members.everybody(by.workspaceId);
  const past = await Promise.all(people.map((userId) => service.gate.history(readerOf(by), { userId, limit: MOST })));
  const recent = past.flat().filter(({ requestedAt }) => requestedAt >= since);
  const newest = recent.toSorted((a, b) => b.requestedAt - a.requestedAt).slice(0, MOST);
  return (await Promise.all(newest.map((approval) => recordedCall(service, approval)))).flat();
}

async function recordedCall({ gate }: Service, approval: Approval): Promise<RecordedCall[]> {
  const row = await gate.store.get("call", callId(approval.approvalId, 1));
  // Erased: neither what was asked nor what was said to it is known any more.
  if (row === undefined) return [];
  const { requester, workspaceId } = approval;
  const call = decodeCall(row);
  const tool = gate.registry.find(approval.tool, { workspaceId, agentId: requester.agentId });
  return [
    {
      id: approval.approvalId,
      name: approval.tool,
      args: argsOf(call) as JsonObject,
      reasons: call.reasons,
      verdict: call.verdict,
      caller: { ...requester, workspaceId, ...(call.surface === undefined ? {} : { surface: call.surface }) },
      at: approval.requestedAt,
      ...(tool === undefined ? {} : { tool }),
      ...(call.confidence === undefined ? {} : { confidence: call.confidence }),
    },
  ];
}
