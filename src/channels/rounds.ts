import type { Clock } from "../core/ports.js";

interface RoundsOptions {
  readonly clock: Clock;
  /** How long after one round the next begins although nobody asked for it. */
  readonly every: number;
  readonly round: () => Promise<void>;
  readonly failed: (error: Error) => void;
}

/** Does the same again and again: when it is asked for and once in a while, one round at a time. A failure ends no more than its round. */
export class Rounds {
  readonly #options: RoundsOptions;
  #cancelTimer: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  /** When another is wanted, sooner than by itself. */
  #wantedAt = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** Begins a round now; one that is under way is followed by another. */
  hurry(): void {
    if (this.#closed) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    const { clock, every, round, failed } = this.#options;
    this.#cancelTimer?.();
    if (this.#wantedAt <= clock.now()) this.#wantedAt = Number.POSITIVE_INFINITY;
    this.#running = round()
      .catch(failed)
      .finally(() => {
        this.#running = undefined;
        if (this.#again) {
          this.#again = false;
          this.hurry();
        } else if (!this.#closed) {
          this.#cancelTimer = clock.timer(Math.min(every, Math.max(0, this.#wantedAt - clock.now())), () =>
            this.hurry(),
          );
        }
      });
  }

  /** Said during a round: another is wanted after so long, also when one is asked for before. */
  againIn(milliseconds: number): void {
    const at = this.#options.clock.now() + milliseconds;
    if (at < this.#wantedAt) this.#wantedAt = at;
  }

  /** Lets the round that is under way end, and begins no other. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    await this.#running;
  }
}
