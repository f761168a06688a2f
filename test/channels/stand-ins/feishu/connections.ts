import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { CONTROL, DATA, decodeFrame, encodeFrame, type Frame } from "./frames.js";

const SERVICE = 33554678;
const MAX_CONNECTIONS = 50;
/** No answer by then: the platform delivers again. Measured in the platform's time, waited for in real time. */
const ANSWER_WITHIN = 3_000;
const CONNECT_WITHIN = 10_000;

export interface Acknowledged {
  readonly code: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly socket: WebSocket;
  readonly settle: (acknowledged: Acknowledged | "gone" | "late") => void;
}

/** The platform's end of all long connections of one app. Each event goes to one of them. */
export class Connections {
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #open: WebSocket[] = [];
  readonly #tickets = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #arrivals = new Set<() => void>();
  readonly #faults: string[];
  #pushed = 0;

  constructor(faults: string[]) {
    this.#faults = faults;
  }

  get count(): number {
    return this.#open.length;
  }

  /** A fresh address for one connection, or why there is none. */
  invite(port: number): { readonly code: number; readonly msg: string; readonly data: object } {
    if (this.#open.length >= MAX_CONNECTIONS) return { code: 1000040350, msg: "too many connections", data: {} };
    const ticket = `ticket-${this.#tickets.size}-${Math.random().toString(36).slice(2)}`;
    this.#tickets.add(ticket);
    const query = `fpid=493&aid=552564&device_id=7&service_id=${SERVICE}&ticket=${ticket}`;
    const config = { ReconnectCount: -1, ReconnectInterval: 120, ReconnectNonce: 30, PingInterval: 120 };
    return { code: 0, msg: "", data: { URL: `ws://127.0.0.1:${port}/ws/v2?${query}`, ClientConfig: config } };
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "", "ws://host").searchParams.get("ticket") ?? "";
    if (!this.#tickets.delete(ticket)) {
      this.#faults.push("a connection without a fresh ticket");
      socket.destroy();
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (accepted) => this.#accept(accepted));
  }

  #accept(socket: WebSocket): void {
    socket.on("message", (data: Buffer) => this.#read(socket, data));
    socket.on("close", () => {
      const at = this.#open.indexOf(socket);
      if (at >= 0) this.#open.splice(at, 1);
      for (const waiting of this.#waiting.values()) if (waiting.socket === socket) waiting.settle("gone");
    });
  }

  /** A connection counts from its first ping on: the client speaks first. */
  #ping(socket: WebSocket, ping: Frame): void {
    socket.send(encodeFrame({ ...ping, headers: { type: "pong" }, payload: Buffer.from("") }));
    if (this.#open.includes(socket)) return;
    this.#open.push(socket);
    for (const arrived of this.#arrivals) arrived();
  }

  #read(socket: WebSocket, data: Buffer): void {
    const frame = decodeFrame(data);
    if (frame.method === CONTROL) {
      if (frame.headers["type"] === "ping") this.#ping(socket, frame);
      return;
    }
    const { code, data: encoded } = JSON.parse(frame.payload.toString()) as { code: number; data?: string };
    const answer = encoded === undefined ? {} : (JSON.parse(Buffer.from(encoded, "base64").toString()) as object);
    this.#waiting.get(frame.headers["message_id"] ?? "")?.settle({ code, answer: answer as Acknowledged["answer"] });
  }

  /** Sends an event until somebody takes it in; undefined when nobody does. */
  async push(event: object): Promise<Acknowledged | undefined> {
    for (let tries = 0; tries < 5; tries++) {
      const socket = await this.#next();
      if (socket === undefined) return undefined;
      const outcome = await this.#deliver(socket, event);
      if (outcome === "late") this.#faults.push("200341: an event was not answered within 3 s");
      else if (outcome !== "gone" && outcome.code === 200) return outcome;
    }
    return undefined;
  }

  /** One after another gets an event, so that with several instances each has its turn. */
  async #next(): Promise<WebSocket | undefined> {
    if (this.#open.length === 0) {
      await new Promise<void>((resolve) => {
        const arrived = () => {
          clearTimeout(timer);
          this.#arrivals.delete(arrived);
          resolve();
        };
        const timer = setTimeout(arrived, CONNECT_WITHIN);
        this.#arrivals.add(arrived);
      });
    }
    return this.#open[this.#pushed++ % Math.max(1, this.#open.length)];
  }

  #deliver(socket: WebSocket, event: object): Promise<Acknowledged | "gone" | "late"> {
    const id = `frame-${this.#pushed}-${Math.random().toString(36).slice(2)}`;
    return new Promise((resolve) => {
      const settle: Waiting["settle"] = (outcome) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(outcome);
      };
      const timer = setTimeout(() => settle("late"), ANSWER_WITHIN);
      this.#waiting.set(id, { socket, settle });
      for (const frame of framesOf(id, Buffer.from(JSON.stringify(event)), 1 + (this.#pushed % 3))) socket.send(frame);
    });
  }

  /** The line breaks. */
  drop(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  close(): void {
    this.drop();
    this.#server.close();
    for (const arrived of this.#arrivals) arrived();
  }
}

/** Large payloads come in parts; here small ones do too. */
function framesOf(id: string, payload: Buffer, sum: number): readonly Buffer[] {
  const size = Math.ceil(payload.length / sum);
  return Array.from({ length: sum }, (_, seq) =>
    encodeFrame({
      service: SERVICE,
      method: DATA,
      headers: { type: "event", message_id: id, sum: String(sum), seq: String(seq), trace_id: `trace-${id}` },
      payload: payload.subarray(seq * size, (seq + 1) * size),
    }),
  );
}
