import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { CountersignError } from "../../core/errors.js";
import { type FrontLimits, HttpFront } from "./http-front.js";
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
    | ({ readonly type: "http"; readonly port?: number } & Partial<FrontLimits>)
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
  if (front.type === "http") return startHttp(complete, front);
  const transport = front.type === "stdio" ? new StdioServerTransport() : front.transport;
  const session = new Session(transport, complete);
  await session.start();
  return { ended: session.ended, close: () => session.close() };
}

/** Each client gets servers of its own, as it would without the gateway. Only this machine can connect. */
async function startHttp(
  options: SessionOptions,
  { port = 0, ...limits }: { readonly port?: number } & Partial<FrontLimits>,
): Promise<Gateway> {
  const front = new HttpFront(options, limits);
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

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
}
