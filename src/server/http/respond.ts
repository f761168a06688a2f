/** Nothing of this server is framed, sniffed or sent along to others; pages add what they need to run. */
const SAFE = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

type Fields = Readonly<Record<string, string>>;

/** An answer of ours. Its headers stay a plain record to the socket: a `Headers` object would cost more than the answer. */
export function respond(status: number, body: unknown, headers: Fields = {}): Response {
  const kept = { ...SAFE, "cache-control": "no-store", ...headers };
  if (body === undefined) return new Response(null, { status, headers: kept });
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...kept } });
}

/** A response that was made elsewhere, with the headers that it does not set itself. */
export function guarded(response: Response): Response {
  for (const [name, value] of Object.entries(SAFE)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
