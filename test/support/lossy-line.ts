import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A line between Redis clients and their server that loses an answer on cue, or is cut. */
export class LossyLine {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #losing: { readonly text: string; readonly lost: () => void } | undefined;
  #refusing = false;

  static async to(port: number): Promise<LossyLine> {
    const line = new LossyLine(port);
    line.#server.listen(0, "127.0.0.1");
    await once(line.#server, "listening");
    return line;
  }

  private constructor(port: number) {
    this.#server = createServer((client) => this.#link(client, port));
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The next request with this text reaches the server; what the server answers is lost with the connection. */
  loseReplyTo(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#losing = { text, lost: resolve };
    });
  }

  /** Every connection breaks, and until it is repaired there is no new one. */
  refuse(refusing: boolean): void {
    this.#refusing = refusing;
    if (refusing) for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #link(client: Socket, port: number): void {
    if (this.#refusing) return void client.destroy();
    const server = connect(port, "127.0.0.1");
    let doomed: (() => void) | undefined;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (data) => {
      if (this.#losing !== undefined && data.includes(this.#losing.text)) {
        doomed = this.#losing.lost;
        this.#losing = undefined;
      }
      server.write(data);
    });
    server.on("data", (data) => {
      if (doomed === undefined) return void client.write(data);
      client.destroy();
      doomed();
    });
  }
}
