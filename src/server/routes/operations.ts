import { type AnyRoute, route } from "../http/route.js";
import { Metrics } from "../metrics.js";
import type { Service } from "../service.js";

/** What those who run the server ask it. None of it tells about a call or a person. */
export function operationRoutes(service: Service): AnyRoute[] {
  const metrics = new Metrics(service);
  return [
    route({
      method: "get",
      path: "/healthz",
      tag: "Operations",
      summary: "The process answers",
      access: "anyone",
      answers: { 200: { description: "It does" } },
      handle: async () => ({ status: 200, body: { status: "ok" } }),
    }),
    route({
      method: "get",
      path: "/readyz",
      tag: "Operations",
      summary: "The stores answer: requests will be served",
      access: "anyone",
      answers: { 200: { description: "Ready" }, 503: { description: "A store does not answer" } },
      async handle() {
        await service.gate.head(service.gate.caller.workspaceId);
        await service.identity.database.get("SELECT 1 AS one");
        return { status: 200, body: { status: "ready", store: service.gate.store.promises() } };
      },
    }),
    route({
      method: "get",
      path: "/metrics",
      tag: "Operations",
      summary: "Counters and times for Prometheus",
      access: "anyone",
      perMinute: 60,
      answers: { 200: { description: "Prometheus text" } },
      handle: async () =>
        new Response(await metrics.text(), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } }),
    }),
  ];
}
