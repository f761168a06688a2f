import type { Clock } from "./ports.js";

/** Longer delays overflow the timer and would fire at once. */
const MAX_DELAY = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  timer(delay, run, keepAlive = false) {
    const timer = setTimeout(run, Math.min(Math.max(delay, 0), MAX_DELAY));
    if (!keepAlive) timer.unref();
    return () => clearTimeout(timer);
  },
};
