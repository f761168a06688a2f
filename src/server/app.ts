import type { HttpBindings } from "@hono/node-server";
import { CountersignError } from "../core/errors.js";
import { dispatch } from "./http/dispatch.js";
import { authorityOf, isOwnHost, wrongHost } from "./http/hosts.js";
import { problemResponse } from "./http/problem.js";
import { guarded } from "./http/respond.js";
import type { AnyRoute } from "./http/route.js";
import { Router } from "./http/router.js";
import type { Service } from "./service.js";

/** Answers requests. Those that come without a socket, as tests make them, all have the same address. */
export interface App {
  fetch(request: Request, socket?: Pick<HttpBindings, "incoming">): Promise<Response>;
}

/** A page for an address that is no route, if there is one. */
type Pages = (request: Request) => Promise<Response | undefined>;

/** All routes behind one door. What is not one of them is not found, and whatever fails says so as a problem document. */
export function createApp(service: Service, routes: readonly AnyRoute[], pages?: Pages): App {
  const router = new Router(routes);
  const answer: App["fetch"] = async (request, socket) => {
    const found = router.find(request.method, pathOf(request.url));
    if (found !== undefined) {
      const address = socket === undefined ? "in-process" : (socket.incoming.socket.remoteAddress ?? "unknown");
      return dispatch(service, found.route, { request, params: found.params, address });
    }
    const page = request.method === "GET" || request.method === "HEAD" ? await pages?.(request) : undefined;
    if (page !== undefined) return guarded(page);
    return problemResponse(new CountersignError("not_found", "There is nothing at this address."));
  };
  return {
    async fetch(request, socket) {
      // Before any route is looked up: whoever comes under a foreign name learns nothing.
      if (!isOwnHost(service.doors.hosts, authorityOf(request.url))) return problemResponse(wrongHost());
      try {
        if (request.method !== "HEAD") return await answer(request, socket);
        return new Response(null, await answer(request, socket));
      } catch (error) {
        service.notice("request.failed", { why: (error as Error).message });
        return problemResponse(error);
      }
    },
  };
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}
