import type { z } from "zod";
import type { AgentPrincipal, Permission, PersonPrincipal, Principal, Session } from "../identity/index.js";
import type { Incoming } from "./incoming.js";

/**
 * Who may use a route.
 *
 * - `anyone`: before signing in; these are limited by address.
 * - `session`: a signed-in person, of whatever workspace.
 * - `person`: a person in one workspace. Agents and keys never pass here, so that nothing they can reach decides.
 * - `agent`: an API key or a device's token.
 * - `caller`: an agent, or a person for their own calls.
 */
export type Access = "anyone" | "session" | "person" | "agent" | "caller";

interface Principals {
  readonly anyone: undefined;
  readonly session: Session;
  readonly person: PersonPrincipal;
  readonly agent: AgentPrincipal;
  readonly caller: Principal;
}

/** Whoever a route may meet. */
export type By = Principals[Access];

type Shape = z.ZodType | undefined;
type Read<S extends Shape> = S extends z.ZodType ? Exact<z.output<S>> : undefined;

/** What comes as JSON or in an address is there or is not there; it is never `undefined`. */
export type Exact<T> = T extends readonly (infer Item)[]
  ? readonly Exact<Item>[]
  : T extends object
    ? { readonly [K in keyof T as undefined extends T[K] ? never : K]: Exact<T[K]> } & {
        readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exact<Exclude<T[K], undefined>>;
      }
    : T;

interface Asked<A extends Access, Params extends Shape, Query extends Shape, Body extends Shape> {
  readonly by: Principals[A];
  readonly params: Read<Params>;
  readonly query: Read<Query>;
  readonly body: Read<Body>;
  readonly request: Incoming;
}

/** JSON with its status; or a response of its own, for streams and files. */
export type Answer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | Response;

export function ok(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, body, headers };
}

/** Done, and there is nothing to say about it. */
export const DONE: Answer = { status: 204 };

/** Everything the server knows about one route: who may use it, what it takes and what it gives. */
export interface Route<
  A extends Access = Access,
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** As OpenAPI writes it: `/v1/approvals/{approvalId}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly access: A;
  /** What the person's role must allow besides. */
  readonly permission?: Permission;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** By status. What is no JSON of a schema names its media type. */
  readonly answers: Readonly<
    Record<number, { readonly description: string; readonly schema?: z.ZodType; readonly type?: string }>
  >;
  /** Requests a minute for each key, person or address; each route counts by itself. */
  readonly perMinute?: number;
  /** Its answer holds a secret that is shown once: it is never kept for a repeated request. */
  readonly secret?: boolean;
  /** Leaves the body unread, for a handler that reads it by itself. */
  readonly raw?: boolean;
  readonly handle: (asked: Asked<A, Params, Query, Body>) => Promise<Answer>;
}

/** Any route, as the table of all of them holds it. */
// oxlint-disable-next-line typescript/no-explicit-any -- each route has its own input types; only `any` accepts every handler
export type AnyRoute = Route<any, any, any, any>;

/** Keeps a route's own types while it is written down. */
export function route<
  A extends Access,
  Params extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends Shape = undefined,
>(definition: Route<A, Params, Query, Body>): AnyRoute {
  return definition;
}
