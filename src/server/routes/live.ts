import { z } from "zod";
import { CountersignError } from "../../core/errors.js";
import { callerFor } from "../callers.js";
import { sessionToken } from "../http/credentials.js";
import { type AnyRoute, route } from "../http/route.js";
import { pollEvents, streamCall, streamEvents } from "../live/streams.js";
import type { Service } from "../service.js";
import { withTimes } from "../views.js";
import { session } from "../wire/call.js";
import { approvalParams, count, time } from "../wire/common.js";
import { liveEvents } from "../wire/live-event.js";

const MAX_WAIT = 60;

/** A place in the workspace's chain: the `seq` of the last event that was seen. */
const place = count(0, Number.MAX_SAFE_INTEGER);

const STREAM = { 200: { description: "A stream of server-sent events" } } as const;

/** What happens, as it happens. Each event goes only to those who may see it. */
export function liveRoutes(service: Service): AnyRoute[] {
  return [
    route({
      method: "get",
      path: "/v1/events",
      tag: "Live",
      summary: "Events as they happen (server-sent events); Last-Event-ID or `after` goes on where it stopped",
      access: "caller",
      query: z.strictObject({ after: place.optional() }),
      answers: STREAM,
      handle({ by, query, request }) {
        const seen = place.safeParse(request.header("last-event-id"));
        return streamEvents(service, by, request, seen.success ? seen.data : query.after);
      },
    }),
    route({
      method: "get",
      path: "/v1/events/poll",
      tag: "Live",
      summary: "The same without a stream: answers when something happened, or when the time is over",
      access: "caller",
      query: z.strictObject({ after: place.optional(), wait: count(0, MAX_WAIT).optional() }),
      answers: { 200: { description: "What happened since, and where to go on", schema: liveEvents } },
      async handle({ by, query: { after, wait = 0 }, request }) {
        return { status: 200, body: await pollEvents(service, by, request, { after, wait }) };
      },
    }),
    route({
      method: "post",
      path: "/v1/socket/ticket",
      tag: "Live",
      summary: "What a browser's socket says first: good once, for half a minute, in this session",
      access: "session",
      perMinute: 120,
      secret: true,
      body: z.strictObject({}),
      answers: { 200: { description: "A ticket", schema: z.object({ ticket: z.string(), expiresAt: time }) } },
      async handle({ request }) {
        const token = sessionToken(service.doors, request);
        if (token === undefined) {
          throw new CountersignError(
            "invalid_request",
            "A terminal brings its token to the socket and needs no ticket.",
          );
        }
        return { status: 200, body: withTimes(service.identity.socketTickets.issue(token), "expiresAt") };
      },
    }),
    route({
      method: "get",
      path: "/v1/calls/{approvalId}/events",
      tag: "Live",
      summary: "How a call of yours stands, told with every change until it ends (server-sent events)",
      access: "caller",
      params: approvalParams,
      query: z.strictObject(session),
      answers: STREAM,
      handle({ by, params: { approvalId }, query, request }) {
        return streamCall(service, by, request, { approvalId, caller: callerFor(by, query) });
      },
    }),
  ];
}
