import { type Client, ClientError, createClient } from "../client/index.js";

/** The server as a terminal sees it. */
export class Api {
  readonly url: string;
  readonly #client: Client;
  readonly #isSignedIn: boolean;
  readonly #again: string;

  /** `again` is the command that signs in anew. */
  constructor(
    url: string,
    options: { readonly token?: string; readonly workspace?: string | undefined; readonly again?: string } = {},
  ) {
    const { token, workspace, again = "countersign login" } = options;
    this.#again = again;
    this.url = url.replace(/\/+$/, "");
    this.#isSignedIn = token !== undefined;
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
    return this.#told(this.#client.request<T>({ path }));
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#told(this.#client.request<T>({ method: "POST", path, body }));
  }

  delete<T>(path: string): Promise<T> {
    return this.#told(this.#client.request<T>({ method: "DELETE", path }));
  }

  /** The body as it comes, for what is too large to hold. */
  async *stream(path: string): AsyncIterable<Uint8Array> {
    const { body } = await this.#told(this.#client.open({ path }));
    if (body !== null) yield* body as unknown as AsyncIterable<Uint8Array>;
  }

  /** Whoever was signed in learns that this is over, not that they never were. */
  #told<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: unknown) => {
      if (!this.#isSignedIn || (error as ClientError).code !== "not_signed_in") throw error;
      throw refusal("not_signed_in", `Your session at ${this.url} has ended. Run: ${this.#again}`);
    });
  }
}

/** A refusal of the terminal's own. */
export function refusal(
  code: "not_signed_in" | "not_found" | "not_approved" | "interrupted",
  detail: string,
): ClientError {
  return new ClientError({ code, detail, retryable: false, status: 0 });
}
