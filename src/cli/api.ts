import type { Problem } from "../client/wire.js";

/** A refusal of the server, or no server at all. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly problem: Problem | undefined;

  constructor(code: string, message: string, status = 0, problem?: Problem) {
    super(message);
    this.code = code;
    this.status = status;
    this.problem = problem;
  }
}

/** The server as a terminal sees it. */
export class Api {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    url: string,
    options: { readonly token?: string | undefined; readonly workspace?: string | undefined } = {},
  ) {
    this.url = url.replace(/\/+$/, "");
    this.#headers = {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.workspace === undefined ? {} : { "countersign-workspace": options.workspace }),
    };
  }

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#send<T>("GET", path, undefined, signal);
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#send<T>("POST", path, body);
  }

  delete<T>(path: string): Promise<T> {
    return this.#send<T>("DELETE", path);
  }

  /** The body as it comes, for what is too large to hold. */
  async *stream(path: string): AsyncIterable<Uint8Array> {
    const response = await this.#fetch("GET", path);
    if (!response.ok) await readAnswer(response);
    if (response.body !== null) yield* response.body as unknown as AsyncIterable<Uint8Array>;
  }

  async #send<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    return (await readAnswer(await this.#fetch(method, path, body, signal))) as T;
  }

  async #fetch(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    try {
      return await fetch(`${this.url}${path}`, {
        method,
        headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      throw new ApiError("unreachable", `No server answers at ${this.url}. Start one with: countersign serve`);
    }
  }
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  if (text !== "" && !type.includes("json")) {
    throw new ApiError("unreachable", "What answers there is not a Countersign server.", response.status);
  }
  const read = text === "" ? undefined : (JSON.parse(text) as unknown);
  if (!type.startsWith("application/problem+json")) return read;
  const problem = read as Problem;
  throw new ApiError(problem.code, problem.detail, response.status, problem);
}
