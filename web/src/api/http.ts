import type { Problem } from "./wire.js";

/** A refusal of the server, or silence: then the code is `offline`. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly decidedBy: string | undefined;

  constructor({ code, detail, status, decidedBy }: Pick<Problem, "code" | "detail" | "status" | "decidedBy">) {
    super(detail);
    this.code = code;
    this.status = status;
    this.decidedBy = decidedBy;
  }
}

/** Who is signed in. */
export const ME = "/v1/me";

let workspace: string | undefined;
let onSignedOut: () => void = () => undefined;

export function useWorkspaceOf(workspaceId: string | undefined): void {
  workspace = workspaceId;
}

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** One request on our own origin. The session is the cookie's matter. */
export async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const sentAt = Date.now();
  const response = await fetch(path, {
    method,
    credentials: "same-origin",
    cache: "no-store",
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(workspace === undefined ? {} : { "countersign-workspace": workspace }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError({ code: "offline", detail: "", status: 0 });
  });
  noteServerTime(response.headers.get("date"), sentAt, Date.now());
  const text = await response.text();
  const answer: unknown = text === "" ? undefined : parsed(text);
  if (response.ok) return answer as T;
  const problem = answer as Partial<Problem> | undefined;
  const code = problem?.code ?? "failed";
  // Whoever asks who they are is told by the answer itself.
  if (code === "not_signed_in" && path !== ME) onSignedOut();
  throw new ApiError({
    code,
    detail: problem?.detail ?? `HTTP ${response.status}`,
    status: response.status,
    ...(problem?.decidedBy === undefined ? {} : { decidedBy: problem.decidedBy }),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const get = <T>(path: string) => request<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}) => request<T>("POST", path, body);

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
