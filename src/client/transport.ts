import { ClientError, notOurs, unreachable } from "./errors.js";
import type { OnRetry } from "./retry.js";
import type { Problem } from "./wire.js";

/** Says who asks, for one request. Called before each, so that short-lived tokens can be renewed. */
export type Authorize = (transport: Transport) => Promise<Readonly<Record<string, string>>>;

export interface TransportOptions {
  readonly url: string;
  readonly authorize: Authorize;
  readonly workspace?: string | undefined;
  readonly fetch: typeof fetch;
  readonly onRetry?: OnRetry | undefined;
}

export interface Sent {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the answer's head has to be there. */
  readonly timeout?: number;
  /** Its answer is read as it comes, and can be broken off for as long as that takes. */
  readonly open?: boolean;
  /** Outcomes come with the status of what they say; they are answers all the same. */
  readonly accept?: readonly number[];
}

const TIMEOUT = 30_000;

/** Requests to one server. */
export class Transport {
  readonly url: string;
  /** Told by whoever tries a request again. */
  readonly onRetry: OnRetry | undefined;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.onRetry = options.onRetry;
    this.url = options.url.replace(/\/+$/, "");
  }

  /** The answer's JSON, or a `ClientError`. */
  async json<Body>(sent: Sent): Promise<Body> {
    const response = await this.send({ ...sent, headers: await this.#authorized(sent) });
    return readJson<Body>(response, sent.accept ?? []);
  }

  /** An open answer, to be read as it comes. */
  async stream(sent: Sent): Promise<Response> {
    const response = await this.send({ ...sent, open: true, headers: await this.#authorized(sent) });
    if (!response.ok) await readJson(response, []);
    return response;
  }

  /** Without saying who asks. */
  async send(sent: Sent): Promise<Response> {
    const { method = "GET", path, query = {}, body, headers = {}, signal, timeout = TIMEOUT, open = false } = sent;
    const { workspace } = this.#options;
    const url = new URL(this.url + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const aborter = new AbortController();
    const abort = () => aborter.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => aborter.abort(new Error("no answer in time")), timeout);
    try {
      return await this.#options.fetch(url, {
        method,
        headers: {
          accept: "application/json, text/event-stream",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(workspace === undefined ? {} : { "countersign-workspace": workspace }),
          ...headers,
        },
        // The session's cookie goes to its own server alone; a redirect would carry the key elsewhere.
        credentials: "same-origin",
        redirect: "error",
        signal: aborter.signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw unreachable(this.url, error);
    } finally {
      clearTimeout(timer);
      if (!open) signal?.removeEventListener("abort", abort);
    }
  }

  async #authorized({ headers }: Sent): Promise<Readonly<Record<string, string>>> {
    return { ...(await this.#options.authorize(this)), ...headers };
  }
}

export async function readJson<Body>(response: Response, accept: readonly number[]): Promise<Body> {
  if (response.status === 204) return undefined as Body;
  const body = await response.json().catch(() => undefined);
  if (body === undefined) throw notOurs(response.status);
  if (response.ok || (accept.includes(response.status) && !isProblem(body))) return body as Body;
  if (!isProblem(body)) throw notOurs(response.status);
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  throw new ClientError(body, { retryAfter: Number.isFinite(seconds) ? seconds * 1_000 : undefined });
}

function isProblem(body: unknown): body is Problem {
  const { code, detail, status } = (body ?? {}) as Partial<Problem>;
  return typeof code === "string" && typeof detail === "string" && typeof status === "number";
}
