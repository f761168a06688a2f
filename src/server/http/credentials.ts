import { CountersignError } from "../../core/errors.js";
import type { AgentPrincipal, Identity, PersonPrincipal, Principal, Session } from "../identity/index.js";
import { notSignedIn } from "../identity/sessions.js";
import { type Hosts, hostsOf } from "./hosts.js";
import { type Presented, searchOf } from "./incoming.js";

/** Where people meet this server, and how their browser keeps the session. */
export interface Doors {
  /** Exact origins with scheme and port. */
  readonly origins: readonly string[];
  /** Names under which requests may come, besides those of this machine itself. */
  readonly hosts: Hosts;
  readonly cookie: string;
  readonly secure: boolean;
}

/** Over TLS the prefix makes browsers refuse a cookie that another host or path has set. */
export function doorsOf(origins: readonly string[], allowedHosts?: readonly string[]): Doors {
  const secure = origins.every((origin) => origin.startsWith("https://"));
  return {
    origins,
    hosts: hostsOf(origins, allowedHosts),
    secure,
    cookie: secure ? "__Host-countersign" : "countersign",
  };
}

const SAFE_METHODS: readonly string[] = ["GET", "HEAD"];

/** The session behind a request, from its cookie or from a terminal's token. */
export async function sessionOf(identity: Identity, doors: Doors, request: Presented): Promise<Session | undefined> {
  const bearer = bearerOf(request);
  if (bearer !== undefined) {
    if (!bearer.startsWith("css_")) return undefined;
    const session = await identity.sessions.find(bearer);
    // A browser's token outside its browser was taken from there.
    return session?.kind === "cli" ? session : undefined;
  }
  const token = sessionToken(doors, request);
  const session = token === undefined ? undefined : await identity.sessions.find(token);
  if (session?.kind !== "web") return undefined;
  checkOrigin(doors, request);
  return session;
}

/**
 * Browsers send cookies along with what other sites make them send. A request that changes something, or opens a socket, names
 * the page it comes from, and that page is ours.
 */
export function checkOrigin(doors: Doors, request: Presented): void {
  const opensSocket = request.header("upgrade")?.toLowerCase() === "websocket";
  if (SAFE_METHODS.includes(request.method) && !opensSocket) return;
  const origin = request.header("origin");
  if (origin === undefined || !doors.origins.includes(origin)) {
    throw new CountersignError("not_permitted", "This request does not come from a page of this server.", {
      path: "origin",
    });
  }
}

/** The agent behind a request, from its key or its device's token. */
export async function agentOf(identity: Identity, request: Presented): Promise<AgentPrincipal | undefined> {
  const bearer = bearerOf(request);
  if (bearer === undefined || bearer.startsWith("css_")) return undefined;
  return identity.agentAccess.find(bearer);
}

/** The person in the workspace the request names, or in their only one. */
export async function personIn(identity: Identity, session: Session, named?: string): Promise<PersonPrincipal> {
  const workspaceId = named ?? (await onlyWorkspace(identity, session));
  const person = await identity.sessions.enter(session, workspaceId);
  if (person === undefined) throw new CountersignError("not_found", "There is no such workspace here.");
  return person;
}

async function onlyWorkspace(identity: Identity, session: Session): Promise<string> {
  const [first, ...others] = await identity.persons.workspaces(session);
  if (first !== undefined && others.length === 0) return first.workspaceId;
  throw new CountersignError(
    "invalid_request",
    "You belong to several workspaces: name one in the header Countersign-Workspace.",
    { path: "workspace" },
  );
}

/** A socket and an event stream cannot set headers in a browser, so that they may name it in the address. */
export function workspaceNamed(request: Presented): string | undefined {
  const inHeader = request.header("countersign-workspace");
  if (inHeader !== undefined || !request.url.includes("?")) return inHeader;
  return searchOf(request).get("workspace") ?? undefined;
}

export async function principalOf(identity: Identity, doors: Doors, request: Presented): Promise<Principal> {
  const agent = await agentOf(identity, request);
  if (agent !== undefined) return agent;
  const session = await sessionOf(identity, doors, request);
  if (session === undefined) throw notSignedIn();
  return personIn(identity, session, workspaceNamed(request));
}

function bearerOf(request: Presented): string | undefined {
  const header = request.header("authorization");
  return header === undefined ? undefined : (/^Bearer ([\x21-\x7e]{1,512})$/i.exec(header)?.[1] ?? "");
}

/** The session's token as a browser brings it. */
export function sessionToken(doors: Doors, request: Presented): string | undefined {
  return cookieOf(request, doors.cookie);
}

function cookieOf(request: Presented, name: string): string | undefined {
  for (const pair of (request.header("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** Sets the session's cookie, or with an empty token removes it. */
export function sessionCookie({ cookie, secure }: Doors, token: string, maxAge: number): string {
  return [
    `${cookie}=${token}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    `Max-Age=${token === "" ? 0 : Math.floor(maxAge / 1_000)}`,
    ...(secure ? ["Secure"] : []),
  ].join("; ");
}
