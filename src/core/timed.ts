import type { Clock } from "./ports.js";
import type { Soon } from "./soon.js";

export const TIMED_OUT = Symbol("timed out");

/** By its shape: query builders and other realms' promises are no instances of ours, and may never answer either. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}

/** Waits for a value, but no longer than this. The timer keeps the process alive: somebody awaits the outcome. */
export function timed<T>(clock: Clock, value: Soon<T>, timeout: number): Soon<T | typeof TIMED_OUT> {
  return isThenable(value) ? raced(clock, value as Promise<T>, timeout) : value;
}

async function raced<T>(clock: Clock, value: Promise<T>, timeout: number): Promise<T | typeof TIMED_OUT> {
  let cancel: (() => void) | undefined;
  const expired = new Promise<typeof TIMED_OUT>((resolve) => {
    cancel = clock.timer(timeout, () => resolve(TIMED_OUT), true);
  });
  try {
    return await Promise.race([value, expired]);
  } finally {
    cancel?.();
  }
}
