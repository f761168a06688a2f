/** Where people meet all instances: what a load balancer's address is to real ones. */
export const ORIGIN = "http://localhost:4802";
export const SECRET = "one-secret-for-all-of-them-with-32-characters-or-more";

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Headers;
  readonly signal?: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly cookie: string;
}

export type Headers = Readonly<Record<string, string>>;
export type Ask = (request: Asked) => Promise<Answered>;

/** One request at one instance. Rejects when the instance does not answer, or not to the end. */
export async function ask(url: string, { method = "GET", path, body, headers, signal }: Asked): Promise<Answered> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { origin: ORIGIN, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const read = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  return {
    status: response.status,
    body: read,
    cookie: (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
  };
}

/** The owner, in a session of their own. */
export async function signIn(request: Ask, link: string): Promise<Headers> {
  const token = new URL(link).hash.slice("#t=".length);
  const { status, cookie } = await request({ method: "POST", path: "/v1/auth/link", body: { token } });
  if (status !== 200) throw new Error(`signing in gave ${status}`);
  return { cookie, origin: ORIGIN };
}

/** An agent of the owner's that may do tasks. */
export async function newAgent(
  request: Ask,
  owner: Headers,
): Promise<{ readonly keyId: string; readonly headers: Headers }> {
  const body = { name: "load", scopes: ["task.*"], devices: "none" };
  const made = await request({ method: "POST", path: "/v1/agents", body, headers: owner });
  if (made.status !== 201) throw new Error(`making an agent gave ${made.status}: ${JSON.stringify(made.body)}`);
  const { keyId = "", apiKey = "" } = made.body as Record<string, string>;
  return { keyId, headers: { authorization: `Bearer ${apiKey}` } };
}
