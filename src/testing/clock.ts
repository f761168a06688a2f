import type { Clock } from "../core/ports.js";

/** How often everything that is ready gets its turn before time moves on: enough for a call's way through the whole gate. */
const TURNS = 25;

export interface FakeClock extends Clock {
  /** Moves time on, running the timers that fall due in order, each with time standing where it was to run. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the clock as a person or time server does, back or forth. Timers wait for as long as they would have. */
  set(time: number): void;
}

/** A clock that stands still until it is told otherwise. Times are whole milliseconds, as stores need them. */
export function fakeClock(start: number | Date = new Date("2026-01-01T00:00:00Z")): FakeClock {
  return new ManualClock(typeof start === "number" ? start : start.getTime());
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

class ManualClock implements FakeClock {
  /** Timers count elapsed time, not the time of day: setting the clock must not fire or delay them. */
  #elapsed = 0;
  #offset: number;
  readonly #timers = new Set<Timer>();

  constructor(start: number) {
    this.#offset = Math.floor(start);
  }

  now(): number {
    return this.#offset + this.#elapsed;
  }

  timer(delay: number, run: () => void): () => void {
    const timer = { at: this.#elapsed + Math.max(0, Math.ceil(delay)), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  set(time: number): void {
    this.#offset = Math.floor(time) - this.#elapsed;
  }

  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + Math.max(0, Math.floor(milliseconds));
    await settle();
    for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) {
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.run();
      // What the timer set in motion may set timers of its own, and those may be due before the next one.
      await settle();
    }
    this.#elapsed = end;
    await settle();
  }

  /** Of timers due at the same moment, the one that was set first. */
  #nextUntil(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && timer.at < (next?.at ?? Infinity)) next = timer;
    return next;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
