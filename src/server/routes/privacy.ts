import { z } from "zod";
import { PRIVACY_LEVELS, type PrivacyLevel } from "../../core/privacy.js";
import { RETENTION } from "../../proof/index.js";
import { type AnyRoute, ok, route } from "../http/route.js";
import { may, type PersonPrincipal, personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { wireSession, wireTime, withTimes } from "../views.js";
import { json } from "../wire/common.js";
import { level, privacyView } from "../wire/workspace.js";
import { settingsView } from "./standing.js";

const tag = "Privacy";

/** The same for both levels but for the time: what a log needs to prove that it is whole. */
const CONTENT = [
  "the arguments of a call, and what its tool said it would do",
  "what the tool gave back, or its error",
  "reasons and notes that people wrote",
];
const AFTERWARDS = [
  "which tool, at what risk, when it was asked, answered and over",
  "for whom, by which agent and session, who answered and how sure that was",
  "how it ended",
  "hashes that show the log is complete",
];
const NEVER = [
  "network addresses and browser names",
  "API keys, sign-in links and session tokens; only their hashes",
  "private keys of devices and passkeys",
];

/** What is kept of people and their calls, at which level, and how they get or erase it. */
export function privacyRoutes(service: Service): AnyRoute[] {
  const { gate, proof } = service;
  const look = async (workspaceId: string) => ({
    level: await gate.privacy(workspaceId, proof.privacy),
    levels: PRIVACY_LEVELS.map((each: PrivacyLevel) => ({
      level: each,
      contentKeptFor: RETENTION[each],
      keptWhileContentIs: CONTENT,
      keptAfterwards: AFTERWARDS,
      neverKept: NEVER,
    })),
  });
  return [
    route({
      method: "get",
      path: "/v1/privacy",
      tag,
      summary: "What each level keeps, and which one holds here",
      access: "person",
      answers: { 200: { description: "Levels", schema: privacyView } },
      handle: async ({ by }) => ok(await look(by.workspaceId)),
    }),
    route({
      method: "put",
      path: "/v1/privacy",
      tag,
      summary: "Choose the level for this workspace",
      access: "person",
      permission: "workspace.manage",
      perMinute: 30,
      body: z.strictObject({ level }),
      answers: { 200: { description: "Chosen; less is erased with the next sweep", schema: privacyView } },
      async handle({ by, body }) {
        await gate.setPrivacy(body.level, personOf(by));
        return ok(await look(by.workspaceId));
      },
    }),
    route({
      method: "get",
      path: "/v1/me/export",
      tag,
      summary: "What is known about you here; your calls are at /v1/history/export",
      access: "person",
      perMinute: 6,
      answers: { 200: { description: "Your data", schema: z.record(z.string(), json) } },
      handle: async ({ by }) => ok(await ownData(service, by)),
    }),
  ];
}

async function ownData({ gate, identity, clock }: Service, by: PersonPrincipal) {
  const decides = may(by, "approval.decide");
  const agents = (await identity.agents.list(by)).filter(({ ownerId }) => ownerId === by.userId);
  const own = new Set(agents.map(({ agentId }) => agentId));
  const sessions = await identity.sessions.list(by.session);
  return {
    exportedAt: wireTime(clock.now()),
    userId: by.userId,
    ...(await identity.persons.profile(by.session)),
    workspaces: await identity.persons.workspaces(by.session),
    groups: by.groups,
    sessions: sessions.map(({ lastSeenAt, current: _, ...session }) => ({
      ...wireSession(session),
      lastSeenAt: wireTime(lastSeenAt),
    })),
    passkeys: (await identity.passkeys.list(by.session)).map((view) => withTimes(view, "createdAt", "lastUsedAt")),
    agents: agents.map((view) => withTimes(view, "createdAt", "revokedAt")),
    devices: (await identity.devices.list(by))
      .filter(({ agentId }) => own.has(agentId))
      .map((view) => withTimes(view, "requestedAt", "lastUsedAt")),
    ...(decides ? { settings: settingsView(await gate.settings(personOf(by))) } : {}),
    ...(decides ? { grants: (await gate.grants(personOf(by))).filter(({ givenBy }) => givenBy === by.userId) } : {}),
    calls: "/v1/history/export",
  };
}
