import type { Channel } from "../../../src/channels/channel.js";
import { type Handlers, Loopback } from "./loopback.js";

/** What stand-ins behind one loopback server share: it fails on order, goes away and comes back, and ends with its channels. */
export abstract class LoopbackStandIn {
  readonly faults: string[] = [];
  readonly #channels: Channel[] = [];
  readonly #failures: ("busy" | "down")[] = [];
  #loopback!: Loopback;

  protected async listen(handlers: Handlers): Promise<this> {
    this.#loopback = await Loopback.open(handlers);
    return this;
  }

  protected get url(): string {
    return this.#loopback.url;
  }

  /** The channel ends with the stand-in. */
  protected owned(channel: Channel): Channel {
    this.#channels.push(channel);
    return channel;
  }

  /** How the request that has just come is to fail, if it is. */
  protected nextFailure(): "busy" | "down" | undefined {
    return this.#failures.shift();
  }

  fail(how: "busy" | "down", count: number): void {
    for (let i = 0; i < count; i++) this.#failures.push(how);
  }

  async down(): Promise<void> {
    await this.#loopback.down();
  }

  async up(): Promise<void> {
    await this.#loopback.up();
  }

  async close(): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.close()));
    await this.#loopback.down();
  }
}
