import { z } from "zod";
import { sessionCookie } from "../http/credentials.js";
import { type Answer, type AnyRoute, DONE, ok, route } from "../http/route.js";
import type { Assertion, StartedSession } from "../identity/index.js";
import type { Service } from "../service.js";
import { wireSession, withTimes } from "../views.js";
import { text, time } from "../wire/common.js";
import { ceremony, credential, linkToken, name, sessionView } from "../wire/people.js";

const tag = "Signing in";
const SIGNED_IN = { 200: { description: "Signed in; the cookie is set", schema: z.object({ session: sessionView }) } };
const CEREMONY = { 200: { description: "What to ask of the authenticator", schema: ceremony } };
const answered = z.strictObject({ response: credential });

/** Ways in and out. No password anywhere: a one-time link, a passkey, or for terminals a code that is approved in the browser. */
export function authRoutes(service: Service): AnyRoute[] {
  const { identity } = service;
  return [
    route({
      method: "post",
      path: "/v1/auth/link",
      tag,
      summary: "Sign in by a one-time link",
      access: "anyone",
      perMinute: 30,
      secret: true,
      body: z.strictObject({ token: linkToken }),
      answers: SIGNED_IN,
      handle: async ({ body }) => signedIn(service, await identity.signInLinks.redeem(body.token)),
    }),
    route({
      method: "post",
      path: "/v1/auth/passkey/begin",
      tag,
      summary: "Begin to sign in by a passkey",
      access: "anyone",
      perMinute: 60,
      body: z.strictObject({}),
      answers: CEREMONY,
      handle: async () => ok(await identity.passkeys.beginSignIn()),
    }),
    route({
      method: "post",
      path: "/v1/auth/passkey/finish",
      tag,
      summary: "Sign in by the passkey that was shown",
      access: "anyone",
      perMinute: 60,
      secret: true,
      body: answered,
      answers: SIGNED_IN,
      handle: async ({ body }) => signedIn(service, await identity.passkeys.finishSignIn(assertionOf(body.response))),
    }),
    route({
      method: "post",
      path: "/v1/auth/elevate/begin",
      tag,
      summary: "Begin to show a passkey again, before something that weakens",
      access: "session",
      perMinute: 60,
      body: z.strictObject({}),
      answers: CEREMONY,
      handle: async ({ by }) => ok(await identity.passkeys.beginElevation(by)),
    }),
    route({
      method: "post",
      path: "/v1/auth/elevate/finish",
      tag,
      summary: "Show the passkey; the session goes on under a new token",
      access: "session",
      perMinute: 60,
      secret: true,
      body: answered,
      answers: SIGNED_IN,
      handle: async ({ by, body }) =>
        signedIn(service, await identity.passkeys.finishElevation(by, assertionOf(body.response))),
    }),
    route({
      method: "post",
      path: "/v1/auth/sign-out",
      tag,
      summary: "End this session",
      access: "session",
      body: z.strictObject({}),
      answers: { 204: { description: "Signed out" } },
      async handle({ by }) {
        await identity.sessions.revoke(by, by.sessionId);
        return { status: 204, headers: { "set-cookie": sessionCookie(service.doors, "", 0) } };
      },
    }),
    ...terminalRoutes(service),
  ];
}

/** RFC 8628: the terminal shows a code, the person types it in the browser. */
function terminalRoutes({ identity }: Service): AnyRoute[] {
  const codeParams = z.strictObject({ userCode: text(32) });
  return [
    route({
      method: "post",
      path: "/v1/auth/cli/begin",
      tag,
      summary: "A terminal asks for a code",
      access: "anyone",
      perMinute: 10,
      secret: true,
      body: z.strictObject({ client: name }),
      answers: {
        200: {
          description: "Show the user code, and poll",
          schema: z.object({
            deviceCode: z.string(),
            userCode: z.string(),
            expiresAt: time,
            interval: z.number().int(),
          }),
        },
      },
      handle: async ({ body }) => ok(withTimes(await identity.cliSignIns.begin(body.client), "expiresAt")),
    }),
    route({
      method: "post",
      path: "/v1/auth/cli/poll",
      tag,
      summary: "The terminal asks whether its code was approved",
      access: "anyone",
      perMinute: 60,
      secret: true,
      body: z.strictObject({ deviceCode: linkToken }),
      answers: {
        200: {
          description: "Signed in, or not yet; the token is handed out once",
          schema: z.discriminatedUnion("type", [
            z.object({ type: z.literal("signed_in"), token: z.string(), session: sessionView }),
            z.object({ type: z.enum(["authorization_pending", "access_denied", "expired_token"]) }),
            z.object({ type: z.literal("slow_down"), interval: z.number().int() }),
          ]),
        },
      },
      async handle({ body }) {
        const polled = await identity.cliSignIns.poll(body.deviceCode);
        return ok(polled.type === "signed_in" ? { ...polled, session: wireSession(polled.session) } : polled);
      },
    }),
    route({
      method: "get",
      path: "/v1/auth/cli/{userCode}",
      tag,
      summary: "What a code would sign in",
      access: "session",
      params: codeParams,
      answers: {
        200: { description: "Read this before you say yes", schema: z.object({ client: z.string(), expiresAt: time }) },
      },
      handle: async ({ by, params }) => ok(withTimes(await identity.cliSignIns.look(by, params.userCode), "expiresAt")),
    }),
    route({
      method: "post",
      path: "/v1/auth/cli/{userCode}",
      tag,
      summary: "Let a terminal in, or not",
      access: "session",
      params: codeParams,
      body: z.strictObject({ decision: z.enum(["approve", "deny"]) }),
      answers: { 204: { description: "Written down" } },
      async handle({ by, params, body }) {
        await identity.cliSignIns.decide(by, params.userCode, body.decision);
        return DONE;
      },
    }),
  ];
}

/** The token leaves in the cookie alone: no script of a page ever holds it. */
export function signedIn(service: Service, { token, session }: StartedSession, more: object = {}): Answer {
  const cookie = sessionCookie(service.doors, token, session.expiresAt - service.clock.now());
  return ok({ session: wireSession(session), ...more }, { "set-cookie": cookie });
}

/** Its form is the verifier's matter: what it cannot read, it refuses. */
function assertionOf(response: object): Assertion {
  return response as unknown as Assertion;
}
