/** Nothing of this server is framed, sniffed or sent along to others; pages add what they need to run. */
const SAFE = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

type Fields = Readonly<Record<string, string>>;

/** An answer of ours, as it goes to the socket. A web `Response` with its `Headers` would cost more than most answers do. */
export interface Sent {
  readonly status: number;
  readonly headers: Fields;
  readonly body: string | Uint8Array | undefined;
}

export function respond(status: number, body: unknown, headers: Fields = {}): Sent {
  if (body === undefined) return { status, headers: { "cache-control": "no-store", ...SAFE, ...headers }, body };
  const fields = { "content-type": "application/json", "cache-control": "no-store", ...SAFE, ...headers };
  return { status, headers: fields, body: JSON.stringify(body) };
}

/** A file, with the headers that it does not set itself. */
export function sendFile(body: Uint8Array, headers: Fields): Sent {
  return { status: 200, headers: { ...SAFE, ...headers }, body };
}

/** Known by what it can do: a program may have another `Response` than the one it started with, or a library's own. */
export function isResponse(answer: object): answer is Response {
  return "arrayBuffer" in answer;
}

/** An answer as the web knows it. */
export function responseOf({ status, headers, body }: Sent): Response {
  return new Response(typeof body === "object" ? new Uint8Array(body) : (body ?? null), { status, headers });
}

/** A response that was made elsewhere, with the headers that it does not set itself. */
export function guarded(response: Response): Response {
  for (const [name, value] of Object.entries(SAFE)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
