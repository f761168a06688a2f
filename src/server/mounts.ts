import type { Person } from "../core/approval.js";
import type { Caller } from "../core/call.js";
import { callerFor } from "./callers.js";
import { MAX_BODY } from "./http/body.js";
import { type AnyRoute, route } from "./http/route.js";
import { personOf } from "./identity/index.js";

/** Who asks a mounted handler: a signed-in person, and the caller that calls on their behalf are made with. */
export interface Visitor {
  readonly person: Person;
  readonly caller: Caller;
}

/** A handler of somebody else's under this server's doors: signed-in people only, with all checks that our own routes have. */
export interface Mount {
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  readonly summary?: string;
  readonly handle: (request: Request, visitor: Visitor) => Promise<Response>;
}

export function mounted({ method, path, summary = path, handle }: Mount): AnyRoute {
  return route({
    method,
    path,
    tag: "Mounted",
    summary,
    access: "person",
    permission: "approval.decide",
    raw: true,
    answers: { 200: { description: "Whatever it answers" } },
    async handle({ by, request }) {
      // What others read into memory is not more than what we do.
      const body = method === "get" ? undefined : await request.bytes(MAX_BODY);
      return handle(request.web(body), { person: personOf(by), caller: callerFor(by, { surface: "chat" }) });
    },
  });
}
