import type { SocketModeClient } from "@slack/socket-mode";
import { ChannelError, type ChannelEvents } from "../channel.js";
import { atMost, backoff, pause } from "../waiting.js";
import { channelErrorOf } from "./errors.js";
import { ANSWER_WITHIN } from "./webhook.js";

interface SocketParts {
  /** A client that does not reconnect by itself: the library's own way gives up, unheard, while Slack is down. */
  client(): SocketModeClient;
  /** Never rejects. */
  handle(body: unknown): Promise<void>;
  readonly line: ChannelEvents["line"];
}

interface Envelope {
  readonly body: unknown;
  readonly ack: () => Promise<void>;
}

interface Connection {
  readonly ended: Promise<void>;
}

const HELLO_WITHIN = 15_000;

/** Socket Mode: one connection that is made anew whenever it breaks, as Slack itself does every few hours. */
export class Socket {
  readonly #parts: SocketParts;
  readonly #stop = new AbortController();
  #client: SocketModeClient | undefined;

  constructor(parts: SocketParts) {
    this.#parts = parts;
  }

  /** Rejects when the first connection cannot be made; from then on it tries again, however long nobody answers. */
  async start(): Promise<void> {
    const first = await this.#connect();
    this.#parts.line("up");
    void this.#keep(first);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#client?.disconnect();
  }

  async #keep(first: Connection): Promise<void> {
    const { signal } = this.#stop;
    let connection = first;
    for (;;) {
      await connection.ended;
      if (signal.aborted) return;
      this.#parts.line("down", "The connection to Slack ended.");
      for (let failures = 1; ; failures += 1) {
        await pause(backoff(failures), signal);
        if (signal.aborted) return;
        try {
          connection = await this.#connect();
          break;
        } catch (thrown) {
          if (failures === 1) this.#parts.line("down", channelErrorOf(thrown).message);
        }
      }
      this.#parts.line("up");
    }
  }

  /** Resolves once Slack said hello. */
  async #connect(): Promise<Connection> {
    const client = this.#parts.client();
    const ended = new Promise<void>((resolve) => client.once("disconnected", () => resolve()));
    client.on("slack_event", (envelope: Envelope) => void this.#take(envelope));
    this.#client = client;
    const hello = new AbortController();
    const late = async () => {
      await pause(HELLO_WITHIN, hello.signal);
      if (!hello.signal.aborted) throw new ChannelError("down", "Slack did not say hello.");
    };
    try {
      await Promise.race([client.start(), late()]);
    } catch (thrown) {
      await client.disconnect();
      // The library rejects with nothing when the connection ends before the hello.
      throw thrown instanceof Error ? thrown : new ChannelError("down", "Slack ended the connection.");
    } finally {
      hello.abort();
    }
    if (this.#stop.signal.aborted) await client.disconnect();
    return { ended };
  }

  /** Acknowledged once it was handled, or in time; what is not acknowledged Slack delivers again. */
  async #take({ body, ack }: Envelope): Promise<void> {
    await atMost(ANSWER_WITHIN, this.#parts.handle(body));
    await ack().catch(() => undefined);
  }
}
