import { z } from "zod";
import { CountersignError } from "../../core/errors.js";
import { type AnyRoute, DONE, ok, route } from "../http/route.js";
import { type KeyView, type PersonPrincipal, readerOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { wireTime, withTimes } from "../views.js";
import { agentView, issuedKey, keyView, newAgent, rotation, scopes, usage } from "../wire/agents.js";
import { id } from "../wire/common.js";
import { withdrawCallsOf } from "../withdraw.js";

const tag = "Agents and keys";
const create = "key.create" as const;
const agentParams = z.strictObject({ agentId: id });

/** Agents with their keys. Whose they are, and what weakens, is identity's rule. */
export function agentRoutes(service: Service): AnyRoute[] {
  const { agents, apiKeys } = service.identity;
  return [
    route({
      method: "get",
      path: "/v1/agents",
      tag,
      summary: "Your agents; for an owner all of the workspace",
      access: "person",
      answers: { 200: { description: "Agents, ended ones too", schema: z.object({ agents: z.array(agentView) }) } },
      async handle({ by }) {
        const views = await agents.list(by);
        return ok({ agents: views.map((view) => withTimes(view, "createdAt", "revokedAt")) });
      },
    }),
    route({
      method: "post",
      path: "/v1/agents",
      tag,
      summary: "Make an agent; its key is shown this once",
      access: "person",
      permission: create,
      perMinute: 30,
      secret: true,
      body: newAgent,
      answers: { 201: { description: "Shown once", schema: issuedKey } },
      handle: async ({ by, body }) => ({ status: 201, body: withTimes(await agents.create(by, body), "expiresAt") }),
    }),
    route({
      method: "patch",
      path: "/v1/agents/{agentId}",
      tag,
      summary: "Give it other scopes",
      access: "person",
      permission: create,
      params: agentParams,
      body: z.strictObject({ scopes }),
      answers: { 204: { description: "Changed" } },
      async handle({ by, params, body }) {
        await agents.setScopes(by, params.agentId, body.scopes);
        return DONE;
      },
    }),
    route({
      method: "delete",
      path: "/v1/agents/{agentId}",
      tag,
      summary: "End it with all its keys, devices and tokens, at once; what waits is withdrawn",
      access: "person",
      params: agentParams,
      answers: { 204: { description: "Ended" } },
      async handle({ by, params }) {
        await agents.revoke(by, params.agentId);
        await withdrawCallsOf(service, by, params.agentId);
        return DONE;
      },
    }),
    route({
      method: "get",
      path: "/v1/agents/{agentId}/keys",
      tag,
      summary: "Its keys, without their secrets",
      access: "person",
      params: agentParams,
      answers: { 200: { description: "Keys, ended ones too", schema: z.object({ keys: z.array(keyView) }) } },
      handle: async ({ by, params }) => ok({ keys: (await apiKeys.list(by, params.agentId)).map(wireKey) }),
    }),
    route({
      method: "post",
      path: "/v1/agents/{agentId}/keys/rotate",
      tag,
      summary: "A new secret; the old one goes on for the overlap",
      access: "person",
      permission: create,
      perMinute: 30,
      secret: true,
      params: agentParams,
      body: rotation,
      answers: { 201: { description: "Shown once", schema: issuedKey } },
      async handle({ by, params, body: { keyId, ...terms } }) {
        const named = keyId ?? (await onlyLiveKey(service, by, params.agentId));
        return { status: 201, body: withTimes(await apiKeys.rotate(by, named, terms), "expiresAt") };
      },
    }),
    route({
      method: "delete",
      path: "/v1/keys/{keyId}",
      tag,
      summary: "Revoke a key; from this moment it is refused everywhere",
      access: "person",
      params: z.strictObject({ keyId: id }),
      answers: { 204: { description: "Revoked" } },
      async handle({ by, params }) {
        await apiKeys.revoke(by, params.keyId);
        return DONE;
      },
    }),
    route({
      method: "get",
      path: "/v1/agents/{agentId}/usage",
      tag,
      summary: "What it did lately",
      access: "person",
      params: agentParams,
      answers: { 200: { description: "Requests by key, calls by state and tool", schema: usage } },
      handle: async ({ by, params }) => ok(await usageOf(service, by, params.agentId)),
    }),
  ];
}

function wireKey(view: KeyView) {
  return withTimes(view, "createdAt", "expiresAt", "revokedAt", "lastUsedAt");
}

/** Which of several is meant is not guessed. */
async function onlyLiveKey({ identity, clock }: Service, by: PersonPrincipal, agentId: string): Promise<string> {
  const keys = await identity.apiKeys.list(by, agentId);
  const live = keys.filter((key) => key.revokedAt === null && key.supersededBy === null && key.expiresAt > clock.now());
  const [only, ...others] = live;
  if (only !== undefined && others.length === 0) return only.keyId;
  if (only === undefined) throw new CountersignError("not_found", "There is no live key of such an agent here.");
  throw new CountersignError("invalid_request", "It has several live keys: name one.", { path: "body.keyId" });
}

const LOOKED_AT = 500;

async function usageOf({ identity, gate, clock }: Service, by: PersonPrincipal, agentId: string) {
  await identity.flush();
  const agent = (await identity.agents.list(by)).find((view) => view.agentId === agentId);
  if (agent === undefined) throw new CountersignError("not_found", "There is no such agent here.");
  const keys = (await identity.apiKeys.list(by, agentId)).map(wireKey);
  const past = await gate.history(readerOf(by), { userId: agent.ownerId, limit: LOOKED_AT });
  const calls = past.filter(({ requester }) => requester.agentId === agentId);
  const used = keys.map((key) => key.lastUsedAt ?? "").toSorted();
  return {
    agentId,
    requests: keys.reduce((sum, key) => sum + key.useCount, 0),
    lastUsedAt: used.at(-1) || null,
    keys,
    calls: tally(calls.map(({ state }) => state)),
    tools: Object.entries(tally(calls.map(({ tool }) => tool)))
      .map(([tool, times]) => ({ tool, calls: times }))
      .toSorted((a, b) => b.calls - a.calls),
    days: byDay(
      calls.map(({ requestedAt }) => requestedAt),
      clock.now(),
    ),
    counted: calls.length,
  };
}

const DAYS = 14;
const DAY = 86_400_000;

function byDay(times: readonly number[], now: number) {
  const dayOf = (time: number) => wireTime(time).slice(0, 10);
  const counts = tally(times.map(dayOf));
  const days = Array.from({ length: DAYS }, (_, index) => dayOf(now - (DAYS - 1 - index) * DAY));
  return days.map((day) => ({ day, calls: counts[day] ?? 0 }));
}

function tally(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(counts);
}
