import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
} from "@modelcontextprotocol/node";
import type { Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { CountersignError } from "../../core/errors.js";
import { memoryPins } from "./pins.js";
import { Session, type SessionOptions } from "./session.js";

/** Below the minute after which many clients give up. */
const HOLD_FOR = 45_000;
const PROGRESS_EVERY = 10_000;

type Defaulted = "declare" | "pins" | "holdFor" | "progressEvery";

export interface GatewayOptions extends Omit<SessionOptions, Defaulted>, Partial<Pick<SessionOptions, Defaulted>> {
  /** Where clients come in: the process's own pipes, a port of this machine, or a transport of the host's. */
  readonly front?:
    | { readonly type: "stdio" }
    | { readonly type: "http"; readonly port?: number }
    | { readonly type: "transport"; readonly transport: Transport };
}

export interface Gateway {
  /** For clients over HTTP. */
  readonly url?: string;
  /** Settles when the client has gone; over HTTP, when the gateway was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Stands before MCP servers: everything passes as it is, and every `tools/call` passes the gate. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { front = { type: "stdio" } } = options;
  const complete: SessionOptions = {
    holdFor: HOLD_FOR,
    progressEvery: PROGRESS_EVERY,
    declare: {},
    pins: memoryPins(),
    ...options,
  };
  if (Object.keys(options.servers).length === 0)
    throw new CountersignError("invalid_request", "The gateway needs at least one MCP server to stand before.");
  if (front.type === "http") return startHttp(complete, front.port ?? 0);
  const transport = front.type === "stdio" ? new StdioServerTransport() : front.transport;
  const session = new Session(transport, complete);
  await session.start();
  return { ended: session.ended, close: () => session.close() };
}

/** Each client gets servers of its own, as it would without the gateway. Only this machine can connect. */
async function startHttp(options: SessionOptions, port: number): Promise<Gateway> {
  const front = new HttpFront(options);
  const server = createServer((request, response) => void front.handle(request, response));
  await listen(server, port);
  const { port: bound } = server.address() as AddressInfo;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    ended,
    async close() {
      await front.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      end();
    },
  };
}

interface Opened {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly session: Session;
}

class HttpFront {
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, Opened>();
  readonly #isLocal = [localhostHostValidation(), localhostOriginValidation()];

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#isLocal.every((check) => check(request, response))) return;
    try {
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? this.#sessions.get(id) : undefined;
      if (known !== undefined) return await known.transport.handleRequest(request, response);
      const body = request.method === "POST" ? await bodyOf(request) : undefined;
      // Only a client that introduces itself begins a session; whatever else comes is told so.
      if (!introduces(body) || id !== undefined) return await newTransport().handleRequest(request, response, body);
      const { transport, session } = await this.#open();
      await transport.handleRequest(request, response, body);
      // Nobody comes back for a session that was refused: its servers would run on for nobody.
      if (transport.sessionId === undefined) await session.close();
    } catch {
      if (!response.headersSent) response.writeHead(400).end();
    }
  }

  async #open(): Promise<Opened> {
    const transport = newTransport((id) => void this.#sessions.set(id, { transport, session }));
    const session = new Session(transport, this.#options);
    await session.start();
    void session.ended.then(() => transport.sessionId && this.#sessions.delete(transport.sessionId));
    return { transport, session };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.close()));
  }
}

function newTransport(begun: (sessionId: string) => void = () => {}): NodeStreamableHTTPServerTransport {
  return new NodeStreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), onsessioninitialized: begun });
}

const MAX_BODY = 4 << 20;

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

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
}
