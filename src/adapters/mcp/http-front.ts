import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
} from "@modelcontextprotocol/node";
import { systemClock } from "../../core/clock.js";
import type { Clock } from "../../core/ports.js";
import { Session, type SessionOptions } from "./session.js";

/** Each session runs servers of its own, so that those of clients which never say goodbye have to end some day. */
export interface FrontLimits {
  /** Milliseconds without any request under way, after which a session ends. */
  readonly idleFor: number;
  /** Sessions at once. One more ends the one that has been idle for the longest. */
  readonly maxSessions: number;
  readonly clock: Clock;
}

const USUAL: FrontLimits = { idleFor: 30 * 60_000, maxSessions: 100, clock: systemClock };

interface Opened {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly session: Session;
  /** Requests under way, streams that the client listens on included. */
  requests: number;
  cancelIdle: () => void;
}

const SERVER_ERROR = -32_000;
const MAX_BODY = 4 << 20;

/** Clients over HTTP, each in a session of its own. */
export class HttpFront {
  readonly #options: SessionOptions;
  readonly #limits: FrontLimits;
  /** By id, the one that was used last at the end. */
  readonly #sessions = new Map<string, Opened>();
  /** Sessions that are beginning; they count too. */
  #beginning = 0;
  readonly #ending = new Set<Promise<void>>();
  readonly #isLocal = [localhostHostValidation(), localhostOriginValidation()];

  constructor(options: SessionOptions, limits: Partial<FrontLimits> = {}) {
    this.#options = options;
    this.#limits = { ...USUAL, ...limits };
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#isLocal.every((check) => check(request, response))) return;
    try {
      const id = request.headers["mcp-session-id"];
      if (id !== undefined) return await this.#goOn(String(id), request, response);
      const body = request.method === "POST" ? await bodyOf(request) : undefined;
      // Only a client that introduces itself begins a session; whatever else comes is told so.
      if (!introduces(body)) return await newTransport().handleRequest(request, response, body);
      if (!this.#makeRoom()) return refuse(response, 503, "Too many clients are at work here. Try again later.");
      await this.#begin(request, response, body);
    } catch {
      if (!response.headersSent) response.writeHead(400).end();
    }
  }

  async close(): Promise<void> {
    for (const [id, opened] of this.#sessions) this.#end(id, opened);
    await Promise.all(this.#ending);
  }

  async #goOn(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const opened = this.#sessions.get(id);
    // By this number clients know that they have to introduce themselves again.
    if (opened === undefined) {
      return refuse(response, 404, "This session has ended, or was idle for too long. Initialize again.");
    }
    this.#use(id, opened, response);
    await opened.transport.handleRequest(request, response);
  }

  async #begin(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    this.#beginning += 1;
    try {
      const transport = newTransport((id) => {
        const opened = { transport, session, requests: 0, cancelIdle: () => undefined };
        void session.ended.then(() => {
          opened.cancelIdle();
          return this.#sessions.delete(id);
        });
        this.#use(id, opened, response);
      });
      const session = new Session(transport, this.#options);
      await session.start();
      await transport.handleRequest(request, response, body);
      // Nobody comes back for a session that was refused: its servers would run on for nobody.
      if (transport.sessionId === undefined) await session.close();
    } finally {
      this.#beginning -= 1;
    }
  }

  /** Its time to be idle begins when the last answer has been given, or its client has gone. */
  #use(id: string, opened: Opened, response: ServerResponse): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, opened);
    opened.cancelIdle();
    opened.requests += 1;
    response.once("close", () => {
      opened.requests -= 1;
      if (opened.requests > 0 || !this.#sessions.has(id)) return;
      const { clock, idleFor } = this.#limits;
      opened.cancelIdle = clock.timer(idleFor, () => this.#end(id, opened));
    });
  }

  /** False when every session has something under way. */
  #makeRoom(): boolean {
    if (this.#sessions.size + this.#beginning < this.#limits.maxSessions) return true;
    const idle = [...this.#sessions].find(([, { requests }]) => requests === 0);
    if (idle === undefined) return false;
    this.#end(...idle);
    return true;
  }

  /** Unknown from here on, although its servers take a moment to end. */
  #end(id: string, { session, cancelIdle }: Opened): void {
    cancelIdle();
    this.#sessions.delete(id);
    const ending = session.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: SERVER_ERROR, message }, id: null });
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

function newTransport(begun: (sessionId: string) => void = () => {}): NodeStreamableHTTPServerTransport {
  return new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), onsessioninitialized: begun });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error("too large");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

function introduces(body: unknown): boolean {
  const messages = Array.isArray(body) ? body : [body];
  return messages.some((message: { method?: unknown } | null) => message?.method === "initialize");
}
