import type { ChannelEvents } from "../channel.js";
import { atMost, backoff, pause } from "../waiting.js";
import { channelErrorOf, isConflict } from "./errors.js";

interface PollingParts {
  /** Asks for updates from `offset` on, which confirms all before; waits for one when there is none, unless told not to. */
  fetch(offset: number, options: { wait: boolean; signal?: AbortSignal }): Promise<readonly { update_id: number }[]>;
  /** Never rejects. */
  handle(update: unknown): Promise<void>;
  readonly line: ChannelEvents["line"];
  /** Telegram gives updates to one asker: how long this one leaves the line to another that asked later. */
  readonly standBy: number;
}

/** Nobody's long work, such as an agent's turn, keeps the next click from being heard. */
const HANDLE_WITHIN = 2_000;

/** Reads updates until it is stopped. An update is confirmed only after it was handled, so a crash in between loses none. */
export class Polling {
  readonly #parts: PollingParts;
  readonly #stop = new AbortController();
  #offset = 0;
  #isConfirmed = true;
  #failures = 0;
  #loop: Promise<void> | undefined;

  constructor(parts: PollingParts) {
    this.#parts = parts;
  }

  /** Rejects when the first question is not answered; from then on it asks again, however long nobody answers. */
  async start(): Promise<void> {
    const updates = await this.#parts.fetch(this.#offset, { wait: false, signal: this.#stop.signal });
    this.#parts.line("up");
    this.#loop = this.#run(updates);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    if (this.#isConfirmed) return;
    // What was handled must not come again after a restart.
    await this.#parts.fetch(this.#offset, { wait: false }).catch(() => undefined);
  }

  async #run(first: readonly { update_id: number }[]): Promise<void> {
    const { signal } = this.#stop;
    await this.#handleAll(first);
    while (!signal.aborted) {
      try {
        // After a failure the answer is wanted at once, to tell that the line stands again.
        const updates = await this.#parts.fetch(this.#offset, { wait: this.#failures === 0, signal });
        this.#isConfirmed = true;
        if (this.#failures > 0) this.#parts.line("up");
        this.#failures = 0;
        await this.#handleAll(updates);
      } catch (thrown) {
        if (!signal.aborted) await this.#failed(thrown);
      }
    }
  }

  async #failed(thrown: unknown): Promise<void> {
    this.#failures += 1;
    const conflict = isConflict(thrown);
    const { message, retryAfter = 0 } = channelErrorOf(thrown);
    const why = conflict
      ? "Another process reads this bot's updates, or a webhook was set. Telegram has one reader per token; this one stands by."
      : message;
    if (this.#failures === 1) this.#parts.line("down", why);
    await pause(conflict ? this.#parts.standBy : Math.max(retryAfter, backoff(this.#failures)), this.#stop.signal);
  }

  /** In one chat in their order; chats do not wait for each other. */
  async #handleAll(updates: readonly { update_id: number }[]): Promise<void> {
    const queues = new Map<unknown, Promise<void>>();
    for (const update of updates) {
      const key = chatIdOf(update);
      const before = queues.get(key) ?? Promise.resolve();
      queues.set(
        key,
        before.then(() => atMost(HANDLE_WITHIN, this.#parts.handle(update))),
      );
      this.#offset = Math.max(this.#offset, update.update_id + 1);
      this.#isConfirmed = false;
    }
    await Promise.all(queues.values());
  }
}

/** Only to sort by: what is not there makes one queue of its own. */
function chatIdOf(update: object): unknown {
  const { message, edited_message, callback_query } = update as Record<string, { chat?: { id?: unknown } } | undefined>;
  const on = (callback_query as { message?: { chat?: { id?: unknown } } } | undefined)?.message;
  return (message ?? edited_message ?? on)?.chat?.id;
}
