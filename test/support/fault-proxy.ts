import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Frames, shutdownNotice } from "./postgres-frames.js";

/** Whether an answer is complete with these bytes. */
type EndsAnswer = (data: Buffer) => boolean;

/** A Postgres server is ready for the next request, whatever the state of the transaction. */
const endsPostgresAnswer: EndsAnswer = (data) =>
  data.length >= 6 && data.at(-6) === 0x5a && data.readUInt32BE(data.length - 5) === 5;

/** A Redis server that has begun to answer has done what was asked. */
const endsRedisAnswer: EndsAnswer = () => true;

/** A request that is on its way. */
interface Held {
  /** Resolves once the client has sent it. */
  readonly sent: Promise<void>;
  /** Lets it arrive, although the client has gone meanwhile, and resolves when the server has done with it. */
  arrive(): Promise<void>;
}

interface Fault {
  readonly text: string;
  readonly act: (link: Link, data: Buffer) => void;
}

/** A line between a client and a server that can be cut, slow, or lose what it carries, on cue. */
export class FaultProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #faults: Fault[] = [];
  readonly endsAnswer: EndsAnswer;
  #refusing = false;
  delay = 0;
  /** Whether every notification of a Postgres server is lost on its way. */
  losesNotifications = false;
  /** How many of them were. */
  lostNotifications = 0;

  static async before(port: number, engine: "postgres" | "redis" = "postgres"): Promise<FaultProxy> {
    const proxy = new FaultProxy(port, engine === "postgres" ? endsPostgresAnswer : endsRedisAnswer);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  private constructor(port: number, endsAnswer: EndsAnswer) {
    this.endsAnswer = endsAnswer;
    this.#server = createServer((client) => {
      if (this.#refusing) return void client.destroy();
      const link: Link = new Link(client, port, this);
      this.#links.add(link);
      client.on("close", () => this.#links.delete(link));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The same address, led through this line. */
  through(url: string): string {
    const led = new URL(url);
    led.port = String(this.port);
    return led.href;
  }

  /** Every connection breaks now. */
  cut(): void {
    for (const link of this.#links) link.cut();
  }

  /** Nobody gets through until it is repaired. */
  refuse(refusing: boolean): void {
    this.#refusing = refusing;
    if (refusing) this.cut();
  }

  /** The next request with these bytes is answered by the server, and the answer is lost with its connection. */
  loseReplyTo(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#faults.push({
        text,
        act: (link, data) => {
          link.loseAnswer(resolve);
          link.forward(data);
        },
      });
    });
  }

  /** A Postgres server ends right behind its answer to the next request with these bytes, and says so in the same packet. */
  endBehindAnswerTo(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#faults.push({
        text,
        act: (link, data) => {
          link.endBehindAnswer(resolve);
          link.forward(data);
        },
      });
    });
  }

  /** The next request with these bytes stays on its way while its connection breaks. */
  holdRequest(text: string): Held {
    let arrive = async () => {};
    const sent = new Promise<void>((resolve) => {
      this.#faults.push({
        text,
        act: (link, data) => {
          arrive = link.orphan(data);
          resolve();
        },
      });
    });
    return { sent, arrive: () => arrive() };
  }

  /** What becomes of this request: nothing in particular, unless a fault waits for it. */
  meets(link: Link, data: Buffer): void {
    const index = this.#faults.findIndex(({ text }) => data.includes(text));
    const [fault] = index < 0 ? [] : this.#faults.splice(index, 1);
    if (fault === undefined) link.forward(data);
    else fault.act(link, data);
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}

class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #proxy: FaultProxy;
  readonly #frames = new Frames();
  #lost: (() => void) | undefined;
  #ended: (() => void) | undefined;
  #orphaned = false;

  constructor(client: Socket, port: number, proxy: FaultProxy) {
    this.#client = client;
    this.#proxy = proxy;
    this.#server = connect(port, "127.0.0.1");
    for (const socket of [client, this.#server]) socket.setNoDelay(true).on("error", () => this.cut());
    client.on("data", (data) => proxy.meets(this, data));
    client.on("close", () => this.#orphaned || this.#server.destroy());
    this.#server.on("data", (data) => this.#answer(data));
    this.#server.on("close", () => client.destroy());
  }

  forward(data: Buffer): void {
    if (this.#proxy.delay === 0) this.#server.write(data);
    else setTimeout(() => this.#server.write(data), this.#proxy.delay);
  }

  loseAnswer(lost: () => void): void {
    this.#lost = lost;
  }

  endBehindAnswer(ended: () => void): void {
    this.#ended = ended;
  }

  /** The client's end breaks; the server's end stays, and gets the request when it arrives. */
  orphan(data: Buffer): () => Promise<void> {
    this.#orphaned = true;
    this.#client.destroy();
    return async () => {
      const closed = once(this.#server, "close");
      this.#server.end(data);
      await closed;
    };
  }

  cut(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #answer(data: Buffer): void {
    if (this.#orphaned) return;
    if (this.#ended !== undefined && this.#proxy.endsAnswer(data)) {
      this.#client.end(Buffer.concat([data, shutdownNotice()]));
      return this.#ended();
    }
    if (this.#lost === undefined) return void this.#client.write(this.#filtered(data));
    if (!this.#proxy.endsAnswer(data)) return;
    this.cut();
    this.#lost();
  }

  #filtered(data: Buffer): Buffer {
    if (!this.#proxy.losesNotifications) return data;
    const before = this.#frames.lost;
    const kept = this.#frames.withoutNotifications(data);
    this.#proxy.lostNotifications += this.#frames.lost - before;
    return kept;
  }
}
