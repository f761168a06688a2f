import { CountersignError } from "../../core/errors.js";

/**
 * A request as this server reads it. Node's own and the web's are both one; making a web `Request` of each that Node brings would
 * cost more than most of them do, so that only handlers of others are given one.
 */
export interface Incoming {
  readonly method: string;
  /** Whole, with the host that it was sent to. */
  readonly url: string;
  /** By its name in lower case. What was sent several times is joined, so that no reader sees another value than the next. */
  header(name: string): string | undefined;
  /** The address of its socket; for limits before sign-in, never for trust. */
  readonly address: string;
  /** Aborted when whoever sent it is gone before the answer was. */
  readonly signal: AbortSignal;
  /** The whole body. Refuses more than `most` bytes as soon as there are more. */
  bytes(most: number): Promise<Uint8Array>;
  /** As the web knows it, with the body that was read before, or with the one that is still to come. */
  web(body?: Uint8Array): Request;
}

/** What tells who sent a request. */
export type Presented = Pick<Incoming, "method" | "url" | "header">;

export function tooLarge(most: number): CountersignError {
  return new CountersignError("too_large", `A request has at most ${most} bytes.`);
}

/** The path as it was sent: nothing in it is resolved, so that no two spellings lead to one route. */
export function pathOf({ url }: Pick<Incoming, "url">): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

export function searchOf({ url }: Pick<Incoming, "url">): URLSearchParams {
  const query = url.indexOf("?");
  return new URLSearchParams(query === -1 ? "" : url.slice(query + 1));
}

/** A web request, as tests and whoever has a web server of their own make them; they all come from one address. */
export class WebIncoming implements Incoming {
  readonly method: string;
  readonly url: string;
  readonly address = "in-process";
  readonly signal: AbortSignal;
  readonly #request: Request;

  constructor(request: Request) {
    this.method = request.method;
    this.url = request.url;
    this.signal = request.signal;
    this.#request = request;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async bytes(most: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (this.#request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > most) throw tooLarge(most);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  web(body?: Uint8Array): Request {
    if (body === undefined) return this.#request;
    return new Request(this.#request, { method: this.method, body: new Uint8Array(body) });
  }
}
