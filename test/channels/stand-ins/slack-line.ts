import { createHmac, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Channel } from "../../../src/channels/channel.js";

type EnvelopeType = "events_api" | "interactive";

/** Slack waits so long for an acknowledgement, and delivers so often when it does not come. */
const ACK_WITHIN = 3_000;
const TRIES = 4;

/** How events reach the app: over one of its sockets, or by signed requests. */
export class SlackLine {
  readonly #faults: string[];
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sockets: WebSocket[] = [];
  readonly #tickets = new Set<string>();
  readonly #acks = new Map<string, () => void>();
  readonly #connected: (() => void)[] = [];
  #turn = 0;
  #called: { readonly channel: Channel; readonly secret: string } | undefined;

  constructor(faults: string[]) {
    this.#faults = faults;
  }

  /** For one connection. */
  ticket(): string {
    const ticket = randomUUID();
    this.#tickets.add(ticket);
    return ticket;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "", "ws://localhost").searchParams.get("ticket") ?? "";
    if (!this.#tickets.delete(ticket)) return void socket.destroy();
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      opened.on("message", (data: Buffer) => {
        const { envelope_id: id } = JSON.parse(data.toString("utf8")) as { envelope_id: string };
        this.#acks.get(id)?.();
      });
      opened.on("close", () => this.#sockets.splice(this.#sockets.indexOf(opened), 1));
      this.#sockets.push(opened);
      opened.send(JSON.stringify({ type: "hello", num_connections: this.#sockets.length }));
      for (const told of this.#connected.splice(0)) told();
    });
  }

  callBy(channel: Channel, secret: string): void {
    this.#called = { channel, secret };
  }

  /** Slack moves its connections to another machine. */
  refresh(): void {
    for (const socket of this.#sockets)
      socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
  }

  /** Resolves when it was acknowledged as often as it was delivered, or Slack gave up. */
  async deliver(type: EnvelopeType, payload: object, times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      let acknowledged = false;
      for (let attempt = 0; attempt < TRIES && !acknowledged; attempt++) {
        acknowledged = await (this.#called === undefined
          ? this.#bySocket(type, payload, attempt + i)
          : this.#byRequest(type, payload, attempt + i));
      }
      if (!acknowledged) this.#faults.push(`${type} was never acknowledged`);
    }
  }

  async #bySocket(type: EnvelopeType, payload: object, attempt: number): Promise<boolean> {
    while (this.#sockets.length === 0) await new Promise<void>((resolve) => this.#connected.push(resolve));
    const socket = this.#sockets[this.#turn++ % this.#sockets.length];
    const id = randomUUID();
    const answer = new Promise<boolean>((resolve) => {
      const late = setTimeout(() => {
        this.#faults.push(`${type} was not acknowledged within ${ACK_WITHIN} ms`);
        resolve(false);
      }, ACK_WITHIN);
      const end = (acknowledged: boolean) => {
        clearTimeout(late);
        resolve(acknowledged);
      };
      this.#acks.set(id, () => end(true));
      // Whoever had it is gone: the next one gets it.
      socket?.once("close", () => end(false));
    });
    const retry = attempt === 0 ? {} : { retry_attempt: attempt, retry_reason: "timeout" };
    socket?.send(
      JSON.stringify({ envelope_id: id, type, accepts_response_payload: type === "interactive", payload, ...retry }),
    );
    return await answer.finally(() => this.#acks.delete(id));
  }

  async #byRequest(type: EnvelopeType, payload: object, attempt: number): Promise<boolean> {
    const { channel, secret } = this.#called ?? {};
    const json = JSON.stringify(payload);
    const body = Buffer.from(type === "interactive" ? `payload=${encodeURIComponent(json)}` : json);
    const started = Date.now();
    // Each delivery is signed at its own time.
    const timestamp = String(Math.floor(started / 1000) + attempt);
    const signature = createHmac("sha256", secret ?? "")
      .update(`v0:${timestamp}:${body.toString("utf8")}`)
      .digest("hex");
    const answer = await channel?.webhook?.({
      headers: { "x-slack-signature": `v0=${signature}`, "x-slack-request-timestamp": timestamp },
      body,
    });
    if (Date.now() - started > ACK_WITHIN) this.#faults.push(`${type} was not answered within ${ACK_WITHIN} ms`);
    return answer?.status === 200;
  }
}
