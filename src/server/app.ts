import { CountersignError } from "../core/errors.js";
import { dispatch } from "./http/dispatch.js";
import { authorityOf, isOwnHost, wrongHost } from "./http/hosts.js";
import { type Incoming, pathOf, WebIncoming } from "./http/incoming.js";
import { problemResponse } from "./http/problem.js";
import { isResponse, responseOf, type Sent } from "./http/respond.js";
import type { AnyRoute } from "./http/route.js";
import { Router } from "./http/router.js";
import type { Service } from "./service.js";

export interface App {
  readonly answer: (request: Incoming) => Promise<Sent | Response>;
  /** The same as the web knows it. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** A page for an address that is no route, if there is one. */
type Pages = (request: Incoming) => Promise<Sent | undefined>;

/** All routes behind one door. What is not one of them is not found, and whatever fails says so as a problem document. */
export function createApp(service: Service, routes: readonly AnyRoute[], pages?: Pages): App {
  const router = new Router(routes);
  const find = async (request: Incoming): Promise<Sent | Response> => {
    const found = router.find(request.method, pathOf(request));
    if (found !== undefined) return dispatch(service, found.route, { request, params: found.params });
    const page = request.method === "GET" || request.method === "HEAD" ? await pages?.(request) : undefined;
    return page ?? problemResponse(new CountersignError("not_found", "There is nothing at this address."));
  };
  const answer = async (request: Incoming): Promise<Sent | Response> => {
    // Before any route is looked up: whoever comes under a foreign name learns nothing.
    if (!isOwnHost(service.doors.hosts, authorityOf(request.url))) return problemResponse(wrongHost());
    try {
      return await find(request);
    } catch (error) {
      service.notice("request.failed", { why: (error as Error).message });
      return problemResponse(error);
    }
  };
  return {
    answer,
    async fetch(request) {
      const sent = await answer(new WebIncoming(request));
      const response = isResponse(sent) ? sent : responseOf(sent);
      if (request.method !== "HEAD") return response;
      await response.body?.cancel();
      return new Response(null, response);
    },
  };
}
