import { type Client, ClientError, createClient } from "../client/index.js";

/** The server as a terminal sees it. */
export class Api {
  readonly url: string;
  readonly #client: Client;

  constructor(
    url: string,
    options: { readonly token?: string | undefined; readonly workspace?: string | undefined } = {},
  ) {
    const { token, workspace } = options;
    this.url = url.replace(/\/+$/, "");
    this.#client = createClient({
      url,
      ...(token === undefined ? {} : { session: token }),
      ...(workspace === undefined ? {} : { workspace }),
    });
  }

  get replies(): Client["replies"] {
    return this.#client.replies;
  }

  get<T>(path: string): Promise<T> {
    return this.#client.request<T>({ path });
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#client.request<T>({ method: "POST", path, body });
  }

  delete<T>(path: string): Promise<T> {
    return this.#client.request<T>({ method: "DELETE", path });
  }

  /** The body as it comes, for what is too large to hold. */
  async *stream(path: string): AsyncIterable<Uint8Array> {
    const { body } = await this.#client.open({ path });
    if (body !== null) yield* body as unknown as AsyncIterable<Uint8Array>;
  }
}

/** A refusal of the terminal's own. */
export function refusal(code: "not_signed_in" | "not_found", detail: string): ClientError {
  return new ClientError({ code, detail, retryable: false, status: 0 });
}
