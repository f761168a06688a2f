import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

export interface Ack {
  readonly code: number;
  readonly data: { readonly response?: { readonly [key: string]: unknown } };
}

interface Line {
  readonly socket: WebSocket;
  /** Who waits for the answer to which frame; undefined is told when the line ends before. */
  readonly waiting: Map<string, (ack: Ack | undefined) => void>;
}

/** A ticket lives so long, and for one connection. */
const TICKET_LIFE = 90_000;

/** The platform's end of the connections. */
export class Gateway {
  private readonly server = new WebSocketServer({ noServer: true });
  private readonly tickets = new Map<string, number>();
  private readonly lines: Line[] = [];
  private turn = 0;
  /** The next frame's line is cut once the frame is on it. */
  cutNext = false;

  constructor(
    private readonly now: () => number,
    private readonly faults: string[],
  ) {}

  ticket(subscriptions: readonly { readonly type: string; readonly topic: string }[]): string {
    const topics = subscriptions.map(({ type, topic }) => `${type} ${topic}`).toSorted();
    const wanted = ["CALLBACK /v1.0/card/instances/callback", "CALLBACK /v1.0/im/bot/messages/get"];
    if (topics.join() !== wanted.join()) this.faults.push(`subscribed to ${topics.join(", ")}`);
    const ticket = randomUUID();
    this.tickets.set(ticket, this.now());
    return ticket;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "", "http://localhost").searchParams.get("ticket") ?? "";
    const issued = this.tickets.get(ticket);
    this.tickets.delete(ticket);
    if (issued === undefined || this.now() - issued > TICKET_LIFE) {
      this.faults.push("a ticket that is not good");
      socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
      return;
    }
    this.server.handleUpgrade(request, socket, head, (accepted) => this.accept(accepted));
  }

  private accept(socket: WebSocket): void {
    const line: Line = { socket, waiting: new Map() };
    this.lines.push(line);
    socket.on("message", (data: Buffer) => this.answered(line, data.toString()));
    socket.on("close", () => {
      this.lines.splice(this.lines.indexOf(line), 1);
      for (const tell of line.waiting.values()) tell(undefined);
    });
    this.system(socket, "CONNECTED", {});
    this.system(socket, "REGISTERED", {});
    const opaque = JSON.stringify({ opaque: randomUUID() });
    const id = this.system(socket, "ping", opaque);
    line.waiting.set(id, (ack) => {
      if (ack !== undefined && JSON.stringify(ack.data) !== opaque) this.faults.push("a ping without its echo");
    });
    this.server.emit("line");
  }

  private answered(line: Line, text: string): void {
    const { code, headers, data } = JSON.parse(text) as {
      code: number;
      headers: { messageId: string };
      data: string;
    };
    const tell = line.waiting.get(headers.messageId);
    if (tell === undefined) this.faults.push("an acknowledgement of nothing");
    line.waiting.delete(headers.messageId);
    tell?.({ code, data: JSON.parse(data) as Ack["data"] });
  }

  private system(socket: WebSocket, topic: string, data: object | string): string {
    const messageId = randomUUID();
    const headers = { topic, messageId, contentType: "application/json", time: String(this.now()) };
    socket.send(
      JSON.stringify({ specVersion: "1.0", type: "SYSTEM", headers, data: typeof data === "string" ? data : "{}" }),
    );
    return messageId;
  }

  /** To one of the connections; again, when it ended before it answered. Undefined when there was nobody. */
  async deliver(topic: string, data: string, messageId: string): Promise<Ack | undefined> {
    for (let tries = 0; tries < 3; tries += 1) {
      if (this.lines.length === 0) {
        if (tries === 0) return undefined;
        await once(this.server, "line");
      }
      const line = this.lines[this.turn++ % this.lines.length];
      if (line === undefined) continue;
      const ack = await new Promise<Ack | undefined>((resolve) => {
        const headers = { topic, messageId, contentType: "application/json", time: String(this.now()) };
        line.waiting.set(messageId, resolve);
        line.socket.send(JSON.stringify({ specVersion: "1.0", type: "CALLBACK", headers, data }));
        if (this.cutNext) line.socket.terminate();
        this.cutNext = false;
      });
      if (ack !== undefined) return ack;
    }
    return undefined;
  }

  get connections(): number {
    return this.lines.length;
  }

  /** Resolves once there are so many connections. */
  async connected(count: number): Promise<void> {
    while (this.lines.length < count) await once(this.server, "line");
  }

  raw(text: string): void {
    for (const { socket } of this.lines) socket.send(text);
  }

  /** As before maintenance: the connections are to be made anew, and end soon. */
  announceEnd(): void {
    for (const { socket } of this.lines) this.system(socket, "disconnect", {});
  }

  cut(): void {
    for (const { socket } of [...this.lines]) socket.terminate();
  }
}
