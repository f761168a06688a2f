import type { Transport } from "@modelcontextprotocol/server";
import type { GateLike } from "../gate-like.js";
import { type AdapterOptions, callerOf } from "../options.js";
import { type CallOptions, GatedCalls, type Upstream } from "./calls.js";
import { Catalog } from "./catalog.js";
import { type ClientInfo, ClientState } from "./client-state.js";
import type { ServerSpec, Servers } from "./config.js";
import type { ServerDeclaration } from "./definition.js";
import { Link, transportTo } from "./link.js";
import {
  type Answer,
  type Id,
  isNotification,
  isRequest,
  type Params,
  progressTokenOf,
  type Rpc,
  type RpcNotification,
  type RpcRequest,
  rpcError,
} from "./message.js";
import type { Pins } from "./pins.js";
import { routeOne } from "./route-one.js";
import { createSeveral } from "./route-several.js";

export interface SessionOptions extends CallOptions {
  readonly gate: GateLike;
  readonly servers: Servers;
  readonly caller?: AdapterOptions<ClientInfo>["caller"];
  readonly declare: Readonly<Record<string, ServerDeclaration>>;
  readonly pins: Pins;
}

/** A server behind this session. */
export interface Served {
  readonly link: Link;
  readonly catalog: Catalog;
}

/** How requests find their server, for one server or for several. */
export type Route = (request: RpcRequest, signal: AbortSignal) => Promise<Answer>;

const INTERNAL_ERROR = -32603;

/** One client, and the servers that run for it. Messages pass as they are; `tools/call` goes through the gate. */
export class Session implements Upstream {
  readonly client = new ClientState();
  readonly calls: GatedCalls;
  readonly served: readonly Served[];
  readonly #transport: Transport;
  readonly #options: SessionOptions;
  readonly #route: Route;
  /** Requests of the client that are being answered. */
  readonly #open = new Map<Id, AbortController>();
  /** Requests to the client, from servers and from the gateway itself. */
  readonly #asked = new Map<
    Id,
    { readonly answer: (answer: Answer) => void; readonly link?: Link; readonly id?: Id }
  >();
  readonly #progress = new Map<Id, Id>();
  #lastId = 0;
  #ended: (() => void) | undefined;
  readonly ended: Promise<void>;

  constructor(transport: Transport, options: SessionOptions) {
    this.#transport = transport;
    this.#options = options;
    this.calls = new GatedCalls(options.gate, this, options);
    this.served = Object.entries(options.servers).map(([name, spec]) => this.#serve(name, spec));
    this.#route = this.served.length === 1 ? routeOne(this) : createSeveral(this);
    this.ended = new Promise((resolve) => {
      this.#ended = resolve;
    });
    Object.assign(transport, {
      onmessage: (message: Rpc) => this.#receive(message),
      onclose: () => void this.close(),
      onerror: () => {},
    });
  }

  #serve(name: string, spec: ServerSpec): Served {
    const link: Link = new Link(name, transportTo(spec), {
      onRequest: (request) => this.#askFor(link, request),
      onNotification: (notification) => this.#pass(link, notification),
      // A client of one server sees it end; among several the others go on.
      onClose: () => void (this.served.length === 1 && this.close()),
    });
    const { gate, pins, declare } = this.#options;
    const declaration = Object.hasOwn(declare, name) ? declare[name] : undefined;
    return { link, catalog: new Catalog(gate, link, spec, pins, declaration) };
  }

  async start(): Promise<void> {
    const started = await Promise.allSettled(this.served.map(({ link }) => link.start()));
    const failed = started.find((one) => one.status === "rejected");
    if (failed !== undefined && this.served.length === 1) throw failed.reason;
    await this.#transport.start();
  }

  isGone(): boolean {
    return this.#ended === undefined;
  }

  async close(): Promise<void> {
    const ended = this.#ended;
    if (ended === undefined) return;
    this.#ended = undefined;
    await Promise.allSettled([this.#transport.close(), ...this.served.map(({ link }) => link.close())]);
    ended();
  }

  // ── From the client ─────────────────────────────────────────────────────────────────────────────────────────────────

  #receive(message: Rpc): void {
    if (isRequest(message)) void this.#answer(message);
    else if (isNotification(message)) this.#notified(message);
    else {
      const { jsonrpc: _version, id, ...answer } = message;
      this.#asked.get(id)?.answer(answer);
    }
  }

  async #answer(request: RpcRequest): Promise<void> {
    const abort = new AbortController();
    const token = progressTokenOf(request.params);
    this.#open.set(request.id, abort);
    if (token !== undefined) this.#progress.set(token, request.id);
    const answer = await this.#route(request, abort.signal).catch((error: unknown) =>
      rpcError(INTERNAL_ERROR, error instanceof Error ? error.message : "The gateway failed."),
    );
    this.#open.delete(request.id);
    if (token !== undefined) this.#progress.delete(token);
    // Who has cancelled waits for nothing.
    if (!abort.signal.aborted) this.#send({ jsonrpc: "2.0", id: request.id, ...answer });
  }

  #notified({ method, params = {} }: RpcNotification): void {
    if (method === "notifications/cancelled") {
      const id = params["requestId"] as Id;
      for (const { link } of this.served) link.cancel(id, params);
      this.#open.get(id)?.abort(new Error("the client gave up"));
      return;
    }
    for (const { link } of this.served) link.notify(method, params);
  }

  // ── To the client ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** A server's own request: under an id of the session, for servers do not know each other's. */
  #askFor(link: Link, { id, method, params }: RpcRequest): void {
    const own = `server:${++this.#lastId}`;
    const answer = (given: Answer) => {
      this.#asked.delete(own);
      link.respond(id, given);
    };
    this.#asked.set(own, { answer, link, id });
    this.#send({ jsonrpc: "2.0", id: own, method, ...(params === undefined ? {} : { params }) }, link.serving);
  }

  #pass(link: Link, { method, params }: RpcNotification): void {
    if (method === "notifications/tools/list_changed") this.served.find((one) => one.link === link)?.catalog.outdated();
    if (method === "notifications/cancelled") return this.#takeBack(link, params ?? {});
    const token = (params?.["progressToken"] ?? undefined) as Id | undefined;
    const about = token === undefined ? link.serving : (this.#progress.get(token) ?? link.serving);
    this.#send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }, about);
  }

  /** A server no longer needs what it asked the client for. */
  #takeBack(link: Link, params: Params): void {
    for (const [own, asked] of this.#asked) {
      if (asked.link !== link || asked.id !== params["requestId"]) continue;
      this.#send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { ...params, requestId: own } });
    }
  }

  ask(method: string, params: Params, about: RpcRequest, signal: AbortSignal): Promise<Answer> {
    const id = `countersign:${++this.#lastId}`;
    return new Promise((resolve) => {
      const takeBack = () => {
        this.#asked.delete(id);
        this.notify("notifications/cancelled", { requestId: id, reason: "it was answered elsewhere" }, about);
        resolve(rpcError(INTERNAL_ERROR, "taken back"));
      };
      const answer = (given: Answer) => {
        this.#asked.delete(id);
        signal.removeEventListener("abort", takeBack);
        resolve(given);
      };
      signal.addEventListener("abort", takeBack, { once: true });
      this.#asked.set(id, { answer });
      this.#send({ jsonrpc: "2.0", id, method, params }, about.id);
    });
  }

  notify(method: string, params: Params, about: RpcRequest): void {
    this.#send({ jsonrpc: "2.0", method, params }, about.id);
  }

  caller() {
    const { caller } = this.#options;
    return callerOf(caller === undefined ? {} : { caller }, this.client.info);
  }

  #send(message: Rpc, relatedRequestId?: Id): void {
    const options = relatedRequestId === undefined ? {} : { relatedRequestId };
    // A client that cannot be reached any more closes the transport, which ends the session.
    this.#transport.send(message as Parameters<Transport["send"]>[0], options).catch(() => {});
  }
}
