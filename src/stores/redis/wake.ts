import { systemClock } from "../../core/clock.js";
import { pairsOf, type RedisClient } from "./connection.js";

/** How long one question for news may take; in between the data is looked at, so that a flush shows without any commit. */
const BLOCK = 1_000;
const RETRY_AFTER = 250;

/** Waits for the writes of others on a connection of its own. What it misses is only missed as a hint. */
export class WakeUps {
  readonly #client: RedisClient;
  readonly #key: string;
  readonly #heard: () => void;
  readonly #idle: () => Promise<void>;
  #last: string;
  #stopped = false;

  /** `after` is the number of the last write that is known already; `idle` runs when nothing came for a while. */
  constructor(client: RedisClient, key: string, after: number, heard: () => void, idle: () => Promise<void>) {
    this.#client = client.duplicate();
    this.#key = key;
    this.#heard = heard;
    this.#idle = idle;
    this.#last = `${after}-0`;
    this.#client.on("error", () => {});
    void this.#listen();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#end();
  }

  #end(): void {
    try {
      this.#client.destroy();
    } catch {
      // It was not connected yet, or not any more.
    }
  }

  async #listen(): Promise<void> {
    // Asked in a function: it may be stopped during any await, which the compiler does not see.
    const stopped = () => this.#stopped;
    await this.#client.connect().catch(() => {});
    while (!stopped()) {
      try {
        const reply = await this.#client.sendCommand([
          "XREAD",
          "BLOCK",
          String(BLOCK),
          "STREAMS",
          this.#key,
          this.#last,
        ]);
        if (reply === null || reply === undefined) await this.#idle();
        else this.#take(reply);
      } catch {
        if (!stopped()) await new Promise<void>((resolve) => systemClock.timer(RETRY_AFTER, resolve));
      }
    }
    this.#end();
  }

  #take(reply: unknown): void {
    const streams = Array.isArray(reply) && Array.isArray(reply[0]) ? reply : pairsOf(reply);
    const rows = (streams[0] as [string, [string, string[]][]])[1];
    this.#last = rows.at(-1)?.[0] ?? this.#last;
    this.#heard();
  }
}
