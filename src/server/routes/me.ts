import { z } from "zod";
import type { Me } from "../../client/wire-people.js";
import { workspaceNamed } from "../http/credentials.js";
import { type AnyRoute, DONE, ok, route } from "../http/route.js";
import { assuranceOf, type Registration, type Session } from "../identity/index.js";
import type { Service } from "../service.js";
import { wireSession, withTimes } from "../views.js";
import { id } from "../wire/common.js";
import { ceremony, credential, listedSession, me, name, passkeyView, sessionView } from "../wire/people.js";
import { signedIn } from "./auth.js";

const tag = "You";

/** One's own account: sessions and passkeys. Nothing here concerns anybody else. */
export function meRoutes(service: Service): AnyRoute[] {
  const { identity } = service;
  return [
    route({
      method: "get",
      path: "/v1/me",
      tag,
      summary: "Who you are here",
      access: "session",
      answers: { 200: { description: "You", schema: me } },
      handle: async ({ by, request }) => ok(await whoIs(service, by, workspaceNamed(request))),
    }),
    route({
      method: "get",
      path: "/v1/me/sessions",
      tag,
      summary: "Where you are signed in",
      access: "session",
      answers: { 200: { description: "Your sessions", schema: z.object({ sessions: z.array(listedSession) }) } },
      async handle({ by }) {
        const sessions = await identity.sessions.list(by);
        return ok({
          sessions: sessions.map(({ lastSeenAt, current, ...session }) => ({
            ...wireSession(session),
            ...withTimes({ lastSeenAt }, "lastSeenAt"),
            current,
          })),
        });
      },
    }),
    route({
      method: "delete",
      path: "/v1/me/sessions/{sessionId}",
      tag,
      summary: "End one of your sessions, at once and everywhere",
      access: "session",
      params: z.strictObject({ sessionId: id }),
      answers: { 204: { description: "Ended" } },
      async handle({ by, params }) {
        await identity.sessions.revoke(by, params.sessionId);
        return DONE;
      },
    }),
    ...passkeyRoutes(service),
  ];
}

function passkeyRoutes(service: Service): AnyRoute[] {
  const { passkeys } = service.identity;
  return [
    route({
      method: "get",
      path: "/v1/me/passkeys",
      tag,
      summary: "Your passkeys",
      access: "session",
      answers: { 200: { description: "Your passkeys", schema: z.object({ passkeys: z.array(passkeyView) }) } },
      async handle({ by }) {
        const views = await passkeys.list(by);
        return ok({ passkeys: views.map((view) => withTimes(view, "createdAt", "lastUsedAt")) });
      },
    }),
    route({
      method: "post",
      path: "/v1/me/passkeys/begin",
      tag,
      summary: "Begin to add a passkey; a further one needs one that is there",
      access: "session",
      perMinute: 30,
      body: z.strictObject({}),
      answers: { 200: { description: "What to ask of the authenticator", schema: ceremony } },
      handle: async ({ by }) => ok(await passkeys.beginRegistration(by)),
    }),
    route({
      method: "post",
      path: "/v1/me/passkeys/finish",
      tag,
      summary: "Add the passkey; the session goes on under a new token",
      access: "session",
      perMinute: 30,
      secret: true,
      body: z.strictObject({ response: credential, label: name.optional() }),
      answers: { 200: { description: "Added; the cookie is set anew", schema: z.object({ session: sessionView }) } },
      async handle({ by, body }) {
        const response = body.response as unknown as Registration;
        return signedIn(service, await passkeys.finishRegistration(by, response, body.label));
      },
    }),
    route({
      method: "delete",
      path: "/v1/me/passkeys/{passkeyId}",
      tag,
      summary: "Remove a passkey; the last one only while it is fresh",
      access: "session",
      params: z.strictObject({ passkeyId: id }),
      answers: { 204: { description: "Removed" } },
      async handle({ by, params }) {
        await passkeys.remove(by, params.passkeyId);
        return DONE;
      },
    }),
  ];
}

/** Role and groups are those of the named workspace, or of the only one. */
async function whoIs({ identity }: Service, session: Session, named: string | undefined): Promise<Me> {
  const workspaces = await identity.persons.workspaces(session);
  const only = workspaces.length === 1 ? workspaces[0]?.workspaceId : undefined;
  const chosen = named ?? only;
  const person = chosen === undefined ? undefined : await identity.sessions.enter(session, chosen);
  const { name: called, email } = await identity.persons.profile(session);
  return {
    userId: session.userId,
    name: called,
    email,
    workspaces,
    ...(person === undefined ? {} : { workspaceId: person.workspaceId, role: person.role }),
    groups: person?.groups ?? [],
    session: wireSession(session),
    passkeys: (await identity.passkeys.list(session)).length,
    assurance: assuranceOf(session),
  };
}
