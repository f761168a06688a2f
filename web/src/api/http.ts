import { ClientError, createClient, type EventsOptions } from "countersign/client";

/** Who is signed in. */
export const ME = "/v1/me";

let client = clientFor(undefined);
let entered: string | undefined;
let onSignedOut: () => void = () => undefined;

/** Our own origin, with the session's cookie. */
function clientFor(workspace: string | undefined) {
  return createClient({ url: location.origin, fetch: timed, ...(workspace === undefined ? {} : { workspace }) });
}

/** From here on requests name this workspace. */
export function enterWorkspace(workspaceId: string | undefined): void {
  client = clientFor(workspaceId);
  entered = workspaceId;
}

/** The address of a file. The browser fetches it without our headers, so that the address itself names the workspace. */
export function fileAt(path: string): string {
  return entered === undefined ? path : `${path}?${new URLSearchParams({ workspace: entered })}`;
}

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What the server answers, or a `ClientError`. */
export async function request<T>(method: Method, path: string, body?: unknown): Promise<T> {
  try {
    return await client.request<T>({ method, path, ...(body === undefined ? {} : { body }) });
  } catch (error) {
    // Whoever asks who they are is told by the answer itself.
    if (error instanceof ClientError && error.code === "not_signed_in" && path !== ME) onSignedOut();
    throw error;
  }
}

export const get = <T>(path: string) => request<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}) => request<T>("POST", path, body);
export const events = (options: EventsOptions) => client.events(options);

async function timed(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const sentAt = Date.now();
  const response = await fetch(input, { ...init, cache: "no-store" });
  noteServerTime(response.headers.get("date"), sentAt, Date.now());
  return response;
}

let offset = 0;
let offsetKnownWithin = Number.POSITIVE_INFINITY;

/** How far this device's clock is off. The header tells whole seconds, so the best of many answers is kept. */
function noteServerTime(header: string | null, sentAt: number, receivedAt: number): void {
  const told = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(told)) return;
  const within = (receivedAt - sentAt) / 2 + 500;
  if (within > offsetKnownWithin && Math.abs(serverNow() - told) < 2_000) return;
  offset = told + 500 - (sentAt + receivedAt) / 2;
  offsetKnownWithin = within;
}

/** The time by the server's clock: deadlines are its matter, whatever this device thinks. */
export function serverNow(): number {
  return Date.now() + offset;
}
