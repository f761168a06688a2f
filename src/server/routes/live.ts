import { z } from "zod";
import { callerFor } from "../callers.js";
import { type AnyRoute, route } from "../http/route.js";
import { pollEvents, streamCall, streamEvents } from "../live/streams.js";
import type { Service } from "../service.js";
import { session } from "../wire/call.js";
import { approvalParams, count } from "../wire/common.js";
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
        const seen = place.safeParse(request.headers.get("last-event-id") ?? undefined);
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
