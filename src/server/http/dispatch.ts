import type { z } from "zod";
import { CountersignError, toCountersignError } from "../../core/errors.js";
import { may, type PersonPrincipal } from "../identity/index.js";
import { notSignedIn } from "../identity/sessions.js";
import type { Service } from "../service.js";
import { readBody } from "./body.js";
import { agentOf, checkOrigin, personIn, principalOf, sessionOf, workspaceNamed } from "./credentials.js";
import { once } from "./idempotency.js";
import { type Incoming, searchOf } from "./incoming.js";
import { countRequest } from "./limits.js";
import { problemResponse, STATUS } from "./problem.js";
import { guarded, isResponse, respond, type Sent } from "./respond.js";
import type { AnyRoute, By } from "./route.js";

/** What the framework found out about a request. */
export interface Arrived {
  readonly request: Incoming;
  readonly params: Readonly<Record<string, string>>;
}

/** One request through one route: who, how often, what, and then the handler. Whatever is thrown becomes a problem document. */
export async function dispatch(service: Service, route: AnyRoute, arrived: Arrived): Promise<Sent | Response> {
  const headers: Record<string, string> = {};
  try {
    const by = await authenticate(service, route, arrived.request);
    if (route.permission !== undefined && !may(by as PersonPrincipal, route.permission)) {
      throw new CountersignError("not_permitted", "Your role in this workspace does not allow this.");
    }
    Object.assign(headers, await countRequest(service, route, by, arrived.request.address));
    const body = route.method === "get" || route.raw === true ? undefined : await readBody(arrived.request);
    const asked = {
      by,
      params: check(route.params, arrived.params, "path"),
      query: check(route.query, queryOf(arrived.request), "query"),
      body: check(route.body, body, "body"),
      request: arrived.request,
    };
    const answer = await once(service, route, asked, body, () => route.handle(asked));
    if (isResponse(answer)) return guarded(answer);
    return respond(answer.status, answer.body, Object.assign(headers, answer.headers));
  } catch (error) {
    const { code, message } = toCountersignError(error);
    // What is not the asker's fault is told to whoever runs the server, in more words than the asker gets.
    if (STATUS[code] >= 500) service.notice("request.failed", { route: route.path, code, why: message });
    const retry = retryAfter(service, error);
    return problemResponse(error, { ...headers, ...retry });
  }
}

async function authenticate(service: Service, { access, method }: AnyRoute, request: Incoming): Promise<By> {
  const { identity, doors } = service;
  switch (access) {
    case "anyone":
      if (method !== "get" && request.header("origin") !== undefined) checkOrigin(doors, request);
      return undefined;
    case "session":
    case "person": {
      const session = await sessionOf(identity, doors, request);
      if (session === undefined) return refuseAgents(service, request);
      return access === "session" ? session : personIn(identity, session, workspaceNamed(request));
    }
    case "agent": {
      const agent = await agentOf(identity, request);
      if (agent === undefined) throw notSignedIn();
      return agent;
    }
    case "caller":
      return principalOf(identity, doors, request);
    default:
      throw new CountersignError("not_permitted", `Nobody may use a route with the access "${String(access)}".`);
  }
}

/** A key that works is told that it may not; everything else is not signed in. */
async function refuseAgents({ identity }: Service, request: Incoming): Promise<never> {
  if ((await agentOf(identity, request)) === undefined) throw notSignedIn();
  throw new CountersignError("not_permitted", "Only a signed-in person can do this; no key can.");
}

function queryOf(request: Incoming): Record<string, string> {
  if (!request.url.includes("?")) return {};
  const search = searchOf(request);
  search.delete("workspace");
  for (const key of new Set(search.keys())) {
    if (search.getAll(key).length > 1) {
      throw new CountersignError("invalid_request", `"${key}" stands twice in the address.`, { path: `query.${key}` });
    }
  }
  return Object.fromEntries(search);
}

function check(schema: z.ZodType | undefined, value: unknown, place: string): unknown {
  if (schema === undefined) return undefined;
  const read = schema.safeParse(value ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = [place, ...(issue?.path ?? []).map(String)].join(".");
  throw new CountersignError("invalid_request", `${path}: ${issue?.message ?? "not valid"}.`, { path });
}

/** A retry before this would find the same. */
function retryAfter({ clock }: Service, error: unknown): Record<string, string> {
  const at = (error as { retryAt?: unknown } | null)?.retryAt;
  if (typeof at !== "number") return {};
  return { "retry-after": String(Math.max(1, Math.ceil((at - clock.now()) / 1_000))) };
}
