import type { Clock } from "../../src/core/ports.js";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Time that moves only when a test says so. */
export class FakeClock implements Clock {
  /** How long nobody has looked. */
  unseen = 0;
  #now = Date.UTC(2030, 0, 1);
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  timer(delay: number, run: () => void): () => void {
    // In whole milliseconds, as clocks tell time; how long something really took is none.
    const timer = { at: this.#now + Math.ceil(Math.max(delay, 0)), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Time passes and nobody looks: timers that came due fire at the next `advance`. */
  tick(milliseconds: number): void {
    this.#now += milliseconds;
    this.unseen += milliseconds;
  }

  /** Fires what comes due, each at its moment, and lets its consequences settle before the next. */
  async advance(milliseconds: number, settle: () => Promise<void>): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const timer = this.#earliest();
      if (timer === undefined || timer.at > end) break;
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
      await settle();
    }
    this.#now = Math.max(this.#now, end);
    this.unseen = 0;
  }

  #earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  }
}
