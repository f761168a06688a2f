import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { CountersignError } from "../core/errors.js";
import { dispatch } from "./http/dispatch.js";
import { authorityOf, isOwnHost, wrongHost } from "./http/hosts.js";
import { problemResponse } from "./http/problem.js";
import type { AnyRoute } from "./http/route.js";
import type { Service } from "./service.js";

/** All routes behind one door. What is not one of them is not found, and whatever fails says so as a problem document. */
export function createApp(service: Service, routes: readonly AnyRoute[]): Hono {
  const app = new Hono();
  for (const route of routes) {
    app.on(route.method.toUpperCase(), honoPath(route.path), (context) =>
      dispatch(service, route, {
        request: context.req.raw,
        params: context.req.param() as Record<string, string>,
        address: addressOf(() => getConnInfo(context).remote.address),
      }),
    );
  }
  app.notFound(() => problemResponse(new CountersignError("not_found", "There is nothing at this address.")));
  app.onError((error) => {
    service.notice("request.failed", { why: error.message });
    return problemResponse(error);
  });
  const answer = app.fetch;
  // Before any route is looked up: whoever comes under a foreign name learns nothing.
  app.fetch = (request, ...more) =>
    isOwnHost(service.doors.hosts, authorityOf(request.url)) ? answer(request, ...more) : problemResponse(wrongHost());
  return app;
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Requests that come without a socket, as tests make them, all have the same address. */
function addressOf(read: () => string | undefined): string {
  try {
    return read() ?? "unknown";
  } catch {
    return "in-process";
  }
}
