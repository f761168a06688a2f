import { onTestFinished } from "vitest";
import { z } from "zod";
import { createGate, defineTool, type GateOptions, memoryStore } from "../../src/index.js";
import { createApp } from "../../src/server/app.js";
import { sessionCookie } from "../../src/server/http/credentials.js";
import { type Role, sqliteIdentityDatabase } from "../../src/server/identity/index.js";
import { openService } from "../../src/server/open-service.js";
import { allRoutes } from "../../src/server/routes/index.js";
import { tempFile } from "../identity/world.js";
import { promisesOf } from "./promises.js";

export const ORIGIN = "http://localhost:4801";

interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** A browser or a program that talks to the server: it adds what its kind sends along with every request. */
export interface Visitor {
  readonly headers: Readonly<Record<string, string>>;
  get<Body = Record<string, unknown>>(path: string): Promise<Answer<Body>>;
  post<Body = Record<string, unknown>>(path: string, body?: unknown, headers?: object): Promise<Answer<Body>>;
  send<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: object,
  ): Promise<Answer<Body>>;
}

export type ServerWorld = Awaited<ReturnType<typeof openServerWorld>>;

/** A whole server in this process: a gate with a few tools, an owner, and ways to be somebody. */
export async function openServerWorld(options: Partial<GateOptions> = {}) {
  const ran: unknown[] = [];
  const gate = createGate({ store: memoryStore(), tools: sampleTools(ran), ...options });
  const database = sqliteIdentityDatabase(tempFile());
  const service = await openService({
    gate,
    database,
    origins: [ORIGIN],
    writeLimits: [{ per: "caller", max: 1_000, window: 60_000 }],
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const routes = allRoutes(service);
  const app = createApp(service, routes);
  const keepsPromise = promisesOf(routes);
  onTestFinished(async () => {
    await gate.close();
    await service.close();
    await database.close();
  });

  const visitor = (headers: Readonly<Record<string, string>>): Visitor => {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it expects
    const send = async <Body>(method: string, path: string, body?: unknown, more: object = {}) => {
      const init = {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }), ...more },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      };
      const response = await app.fetch(new Request(`${ORIGIN}${path}`, init));
      const text = await response.text();
      const type = response.headers.get("content-type")?.split(";")[0] ?? null;
      const read = text === "" ? {} : /[/+]json$/.test(type ?? "") ? JSON.parse(text) : text;
      keepsPromise(method, path, response.status, type, read);
      return { status: response.status, headers: response.headers, body: read as Body };
    };
    return {
      headers,
      get: (path) => send("GET", path),
      post: (path, body, more) => send("POST", path, body ?? {}, more),
      send,
    };
  };

  const browser = (token: string, workspaceId?: string): Visitor =>
    visitor({
      cookie: sessionCookie(service.doors, token, 1_000).split(";")[0] as string,
      origin: ORIGIN,
      ...(workspaceId === undefined ? {} : { "countersign-workspace": workspaceId }),
    });

  const first = await service.identity.persons.createFirstOwner({ userId: "local", workspaceId: "local" });
  if (first === undefined) throw new Error("The database was not empty.");
  const { token, session } = await service.identity.signInLinks.redeem(first.link.token);
  const owner = await service.identity.sessions.enter(session, first.workspaceId);
  if (owner === undefined) throw new Error("The owner is not a member.");

  /** Another person of the workspace, confirmed by the owner. */
  const join = async (name: string, role: Role) => {
    const invitation = await service.identity.invitations.create(owner, role);
    const joined = await service.identity.invitations.acceptAsNew(invitation.token, { name });
    if (role !== "member") await service.identity.members.confirm(owner, joined.session.userId);
    const principal = await service.identity.sessions.enter(joined.session, first.workspaceId);
    if (principal === undefined) throw new Error(`${name} is not a member.`);
    return { principal, browser: browser(joined.token), userId: principal.userId };
  };

  /** An agent of the owner's, as a plain HTTP client. */
  const agent = async (scopes: readonly string[] = ["email.*", "tasks.*"], more: object = {}) => {
    const issued = await service.identity.agents.create(owner, { name: "agent", scopes, devices: "none", ...more });
    return { issued, http: visitor({ authorization: `Bearer ${issued.apiKey}` }) };
  };

  return {
    gate,
    service,
    routes,
    app,
    ran,
    owner,
    ownerToken: token,
    browser: browser(token),
    visitor,
    join,
    agent,
    database,
  };
}

/** One of each kind: a read, an outward write, a destructive one, and a write that its agent runs itself. */
function sampleTools(ran: unknown[]) {
  const run = (name: string) => (args: unknown) => {
    ran.push([name, args]);
    return { done: name };
  };
  return [
    defineTool({
      name: "tasks.list",
      effect: "read",
      inputSchema: z.object({ list: z.string().optional() }),
      execute: run("tasks.list"),
    }),
    defineTool({
      name: "email.send",
      effect: "write",
      inputSchema: z.object({ to: z.string(), body: z.string() }),
      execute: run("email.send"),
    }),
    defineTool({
      name: "tasks.clear",
      effect: "write",
      destructive: true,
      inputSchema: z.object({ all: z.boolean() }),
      execute: run("tasks.clear"),
    }),
    defineTool({ name: "tasks.create", effect: "write", riskTier: "R3", inputSchema: z.object({ title: z.string() }) }),
  ];
}
