import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface Handlers {
  request(request: IncomingMessage, body: string, response: ServerResponse): void;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** A server on 127.0.0.1 that can go away, with all its connections, and come back under the same address. */
export class Loopback {
  readonly #handlers: Handlers;
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;

  private constructor(handlers: Handlers) {
    this.#handlers = handlers;
    this.#server = this.#make();
  }

  static async open(handlers: Handlers): Promise<Loopback> {
    const loopback = new Loopback(handlers);
    await loopback.up();
    return loopback;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get isUp(): boolean {
    return this.#server.listening;
  }

  async up(): Promise<void> {
    if (this.isUp) return;
    this.#server = this.#make();
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async down(): Promise<void> {
    if (!this.isUp) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #make(): Server {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => this.#handlers.request(request, Buffer.concat(chunks).toString("utf8"), response));
    });
    server.on("upgrade", (request, socket, head) => this.#handlers.upgrade?.(request, socket, head));
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    return server;
  }
}
