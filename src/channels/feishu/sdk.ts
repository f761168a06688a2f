import type * as Lark from "@larksuiteoapi/node-sdk";
import { CountersignError } from "../../core/errors.js";

/** Loaded when the channel starts: importing this package never needs it. */
export async function loadLark(): Promise<typeof Lark> {
  try {
    return await import("@larksuiteoapi/node-sdk");
  } catch (cause) {
    throw new CountersignError(
      "missing_dependency",
      'The Feishu channel needs the "@larksuiteoapi/node-sdk" package. Install it: npm i @larksuiteoapi/node-sdk',
      { cause },
    );
  }
}

/** The library would wait for ever. */
const ANSWER_WITHIN = 10_000;

/** The library's own requests, each with a deadline. */
export function boundedHttp({ defaultHttpInstance }: typeof Lark): Lark.HttpInstance {
  // It hands out bodies, not responses, as the library's own interface says and that of its transport does not.
  const http = defaultHttpInstance as unknown as Lark.HttpInstance;
  const within = <Data>(options: Lark.HttpRequestOptions<Data> = {}) => ({ ...options, timeout: ANSWER_WITHIN });
  return {
    request: (options) => http.request(within(options)),
    get: (url, options) => http.get(url, within(options)),
    delete: (url, options) => http.delete(url, within(options)),
    head: (url, options) => http.head(url, within(options)),
    options: (url, options) => http.options(url, within(options)),
    post: (url, data, options) => http.post(url, data, within(options)),
    put: (url, data, options) => http.put(url, data, within(options)),
    patch: (url, data, options) => http.patch(url, data, within(options)),
  };
}

/** It logs request bodies and errors with headers; what matters reaches the host by other ways. */
export const SILENT: Lark.Logger = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };

/** Access tokens of one channel. The library's own cache is shared by all apps of a process and forgets nothing on request. */
export class TokenCache implements Lark.Cache {
  readonly #tokens = new Map<unknown, { readonly value: unknown; readonly until: number }>();

  get(key: unknown): Promise<unknown> {
    const kept = this.#tokens.get(key);
    return Promise.resolve(kept !== undefined && kept.until > Date.now() ? kept.value : undefined);
  }

  set(key: unknown, value: unknown, until = Number.POSITIVE_INFINITY): Promise<boolean> {
    this.#tokens.set(key, { value, until });
    return Promise.resolve(true);
  }

  clear(): void {
    this.#tokens.clear();
  }
}
