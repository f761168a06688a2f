import { z } from "zod";
import type { Caller } from "../../core/call.js";
import type { Outcome } from "../../core/outcome.js";
import { callerFor, checkScope } from "../callers.js";
import { headersOf, passed } from "../http/limits.js";
import { type Answer, type AnyRoute, route } from "../http/route.js";
import type { Principal } from "../identity/index.js";
import type { Service } from "../service.js";
import { callBody, claimAnswer, claimBody, finishBody, session } from "../wire/call.js";
import { approvalParams, count, text } from "../wire/common.js";
import { outcome } from "../wire/outcome.js";

const MAX_WAIT = 60;

/** Seconds for which the request may wait for a person; without it the answer comes at once. */
const seconds = { wait: count(0, MAX_WAIT).optional() };

export const OUTCOMES: AnyRoute["answers"] = {
  200: { description: "How it ended", schema: outcome },
  202: { description: "It waits for a person, or for its claim", schema: outcome },
  403: { description: "Denied by the rules or by a person", schema: outcome },
};

/** The status says what an agent has to do next, the body says everything. */
export function answerWith(told: Outcome, headers: Readonly<Record<string, string>> = {}): Answer {
  const status = told.type === "pending" ? 202 : told.type === "denied" ? 403 : 200;
  return { status, body: told, headers };
}

/** What agents do: ask, look, claim, report, withdraw. Nothing here decides. */
export function callRoutes(service: Service): AnyRoute[] {
  const { gate } = service;
  return [
    route({
      method: "post",
      path: "/v1/calls",
      tag: "Calls",
      summary: "Ask for a tool call",
      access: "caller",
      query: z.strictObject(seconds),
      body: callBody,
      answers: OUTCOMES,
      async handle({ by, body, query, request }) {
        const { sessionId, lineage, tool: name, ...call } = body;
        const caller = callerFor(by, { sessionId, lineage });
        checkScope(gate, by, name);
        const key = request.header("idempotency-key");
        const asked = { tool: name, ...call, ...(key === undefined ? {} : { idempotencyKey: key }) };
        const headers = await countWrite(service, by, asked);
        const wait = waitOf(service, query.wait);
        const told = await gate.submit(asked, caller, wait?.());
        if (told.type !== "pending" || told.token !== undefined) return answerWith(told, headers);
        return answerWith((await waited(service, told.approvalId, caller, wait)) ?? told, headers);
      },
    }),
    route({
      method: "get",
      path: "/v1/calls/{approvalId}",
      tag: "Calls",
      summary: "How a call of yours stands; waits for a change when told to",
      access: "caller",
      params: approvalParams,
      query: z.strictObject({ ...seconds, ...session }),
      answers: OUTCOMES,
      async handle({ by, params, query }) {
        const caller = callerFor(by, query);
        const { approvalId } = params;
        const told = await waited(service, approvalId, caller, waitOf(service, query.wait));
        return answerWith(told ?? (await gate.resume(approvalId, caller)));
      },
    }),
    route({
      method: "post",
      path: "/v1/calls/{approvalId}/cancel",
      tag: "Calls",
      summary: "Withdraw a call of yours, until it is claimed",
      access: "caller",
      params: approvalParams,
      body: z.strictObject({ reason: text(1_000).optional(), ...session }),
      answers: { 200: { description: "Withdrawn", schema: outcome } },
      async handle({ by, params, body }) {
        return { status: 200, body: await gate.cancel(params, callerFor(by, body), body.reason) };
      },
    }),
    route({
      method: "post",
      path: "/v1/calls/{approvalId}/ask-again",
      tag: "Calls",
      summary: "Put an expired question of yours again",
      access: "caller",
      params: approvalParams,
      body: z.strictObject(session),
      answers: OUTCOMES,
      async handle({ by, params, body }) {
        return answerWith(await gate.askAgain(params.approvalId, callerFor(by, body)));
      },
    }),
    route({
      method: "post",
      path: "/v1/calls/{approvalId}/claim",
      tag: "Calls",
      summary: "Claim an approved call of yours: get the arguments to run with, once",
      access: "caller",
      params: approvalParams,
      body: z.strictObject(session),
      answers: { 200: { description: "Run exactly this, then report", schema: claimAnswer } },
      async handle({ by, params, body }) {
        return { status: 200, body: await gate.claimOwn(params.approvalId, callerFor(by, body)) };
      },
    }),
    route({
      method: "post",
      path: "/v1/tokens/claim",
      tag: "Tokens",
      summary: "Spend an approval's token: get the arguments to run with, once",
      access: "caller",
      body: claimBody,
      answers: { 200: { description: "Run exactly this, then report", schema: claimAnswer } },
      async handle({ by, body: { sessionId, ...input } }) {
        return { status: 200, body: await gate.claim(input, callerFor(by, { sessionId })) };
      },
    }),
    route({
      method: "post",
      path: "/v1/tokens/finish",
      tag: "Tokens",
      summary: "Report how a claimed call ended",
      access: "caller",
      body: finishBody,
      answers: { 200: { description: "Written down", schema: outcome } },
      async handle({ by, body: { sessionId, ...receipt } }) {
        return { status: 200, body: await gate.finish(receipt, callerFor(by, { sessionId })) };
      },
    }),
  ];
}

/** How long a request may still wait. */
type Wait = () => { readonly deadline: number };

/** Tells what is left, not the moment of its end: the gate waits by a clock of its own. None for no seconds. */
function waitOf({ clock }: Service, wait = 0): Wait | undefined {
  const end = clock.now() + wait * 1_000;
  return wait === 0 ? undefined : () => ({ deadline: Math.max(0, end - clock.now()) });
}

/**
 * How the call stands after a wait; undefined for none. A connection that breaks is not a withdrawal: the call lives on, and
 * whoever comes back finds it. So it is when the server closes: it says how the call stands, and the next one is asked again.
 */
async function waited(
  { gate, live: { closing } }: Service,
  approvalId: string,
  caller: Caller,
  wait: Wait | undefined,
): Promise<Outcome | undefined> {
  if (wait === undefined || closing.aborted) return undefined;
  return new Promise((resolve, reject) => {
    const look = () => void gate.resume(approvalId, caller).then(resolve, reject);
    closing.addEventListener("abort", look, { once: true });
    gate
      .resume(approvalId, caller, wait())
      .then(resolve, reject)
      .finally(() => closing.removeEventListener("abort", look));
  });
}

/** Writes of a caller are limited, in all and for each tool, provider and model; reads are not. */
async function countWrite(
  { gate, identity }: Service,
  by: Principal,
  { tool: name, model }: { readonly tool: string; readonly model?: string | undefined },
): Promise<Record<string, string>> {
  const tool = gate.registry.find(name, by.kind === "agent" ? by : undefined);
  if (tool?.effect === "read") return {};
  const verdict = await identity.limits.countWrite(by, {
    tool: name,
    ...(tool?.actionType === undefined ? {} : { action: tool.actionType }),
    ...(tool?.provider === undefined ? {} : { provider: tool.provider }),
    ...(model === undefined ? {} : { model }),
  });
  return headersOf(passed(verdict));
}
