import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ServerSpec } from "./config.js";
import {
  type Answer,
  type Id,
  isNotification,
  isRequest,
  NoAnswer,
  notSent,
  type Params,
  type Rpc,
  type RpcNotification,
  type RpcRequest,
  unreachable,
} from "./message.js";

export interface LinkEvents {
  onRequest(request: RpcRequest): void;
  onNotification(notification: RpcNotification): void;
  onClose(): void;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  /** The client's request that this one serves. */
  readonly for: Id | undefined;
}

/** One server behind the gateway, for one client. Answers are passed on as they come. */
export class Link {
  readonly server: string;
  readonly #transport: Transport;
  readonly #events: LinkEvents;
  readonly #waiting = new Map<Id, Waiting>();
  #lastId = 0;
  #closed = false;

  constructor(server: string, transport: Transport, events: LinkEvents) {
    this.server = server;
    this.#transport = transport;
    this.#events = events;
    Object.assign(transport, {
      onmessage: (message: Rpc) => this.#receive(message),
      onclose: () => this.#end(),
      // A transport reports trouble here and goes on; what was asked for is answered or ends with the connection.
      onerror: () => {},
    });
  }

  start(): Promise<void> {
    return this.#transport.start();
  }

  async close(): Promise<void> {
    await this.#transport.close();
    this.#end();
  }

  request(method: string, params: Params | undefined, clientId?: Id, signal?: AbortSignal): Promise<Answer> {
    if (this.#closed) return Promise.resolve(unreachable(this.server, "it has ended"));
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        this.#waiting.delete(id);
        signal?.removeEventListener("abort", cancel);
        resolve(answer);
      };
      const cancel = () => {
        this.notify("notifications/cancelled", { requestId: id, reason: "the client gave up" });
        settle(new NoAnswer(this.server, "the call was cancelled"));
      };
      this.#waiting.set(id, { resolve: settle, for: clientId });
      signal?.addEventListener("abort", cancel, { once: true });
      this.#send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }, (error) =>
        settle(notSent(this.server, error)),
      );
    });
  }

  notify(method: string, params?: Params): void {
    this.#send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  respond(id: Id, answer: Answer): void {
    this.#send({ jsonrpc: "2.0", id, ...answer });
  }

  /** Passes on that the client no longer wants what it asked for. */
  cancel(clientId: Id, params: Params): void {
    for (const [id, waiting] of this.#waiting) {
      if (waiting.for !== clientId) continue;
      this.notify("notifications/cancelled", { ...params, requestId: id });
      // Servers do not answer what was cancelled.
      waiting.resolve(new NoAnswer(this.server, "the call was cancelled"));
    }
  }

  /** The client's request this server works on, the latest if there are several. */
  get serving(): Id | undefined {
    return [...this.#waiting.values()].findLast((waiting) => waiting.for !== undefined)?.for;
  }

  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
  }

  #send(message: Rpc, failed: (error: unknown) => void = () => {}): void {
    this.#transport.send(message as Parameters<Transport["send"]>[0]).catch(failed);
  }

  #receive(message: Rpc): void {
    if (isRequest(message)) this.#events.onRequest(message);
    else if (isNotification(message)) this.#events.onNotification(message);
    else {
      const { jsonrpc: _version, id, ...answer } = message;
      this.#waiting.get(id)?.resolve(answer);
    }
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const waiting of [...this.#waiting.values()]) waiting.resolve(new NoAnswer(this.server, "it has ended"));
    this.#events.onClose();
  }
}

export function transportTo(spec: ServerSpec): Transport {
  if (spec.type === "stdio") {
    const { command, args, env, cwd } = spec;
    return new StdioClientTransport({
      command,
      args: [...args],
      env: { ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
  }
  const options = { requestInit: { headers: { ...spec.headers } } };
  const url = new URL(spec.url);
  return spec.type === "sse" ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
}
