import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { type Incoming, tooLarge } from "./incoming.js";

/** A name or an address, with or without a port; whatever else stands there could be read as part of the path. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
/** No host of anybody's: what names none of ours is turned away by that. */
const NOWHERE = "http://invalid";

/** A request of Node's, read where it is. */
export class NodeIncoming implements Incoming {
  readonly method: string;
  readonly url: string;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #gone: AbortController | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.method = incoming.method ?? "GET";
    this.url = urlOf(incoming);
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  get address(): string {
    return this.#incoming.socket.remoteAddress ?? "unknown";
  }

  header(name: string): string | undefined {
    return headerOf(this.#incoming, name);
  }

  get signal(): AbortSignal {
    return (this.#gone ??= this.#watch()).signal;
  }

  bytes(most: number): Promise<Uint8Array> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      if (Number(incoming.headers["content-length"] ?? 0) > most) return reject(tooLarge(most));
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= most) chunks.push(chunk);
        // The rest is read and dropped: a sender who is cut off while sending would never read why.
        else reject(tooLarge(most));
      });
      incoming.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
      const broken = () => {
        if (!incoming.complete) reject(new Error("The request ended before its body did."));
      };
      incoming.on("error", broken);
      incoming.on("close", broken);
      if (incoming.destroyed) broken();
    });
  }

  web(read?: Uint8Array): Request {
    const headers = new Headers();
    for (const name of Object.keys(this.#incoming.headers)) headers.set(name, this.header(name) ?? "");
    const { method, url, signal } = this;
    if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
    if (read !== undefined) return new Request(url, { method, headers, signal, body: new Uint8Array(read) });
    const body = Readable.toWeb(this.#incoming) as ReadableStream<Uint8Array>;
    // A body that is still coming can be sent in one direction only, and says so.
    return new Request(url, { method, headers, signal, body, duplex: "half" } as RequestInit);
  }

  #watch(): AbortController {
    const gone = new AbortController();
    const outgoing = this.#outgoing;
    const look = () => {
      if (!outgoing.writableFinished) gone.abort();
    };
    if (outgoing.destroyed) look();
    else outgoing.once("close", look);
    return gone;
  }
}

export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** A proxy may send the whole address in the first line; then that is where it was sent to. */
function urlOf({ url = "", headers: { host = "" } }: IncomingMessage): string {
  if (url.startsWith("/")) return `${HOST.test(host) ? `http://${host}` : NOWHERE}${url}`;
  return /^https?:\/\//i.test(url) ? url : `${NOWHERE}/`;
}
