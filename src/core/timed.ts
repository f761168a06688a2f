import type { Clock } from "./ports.js";

export const TIMED_OUT = Symbol("timed out");

/** Waits for a value, but no longer than this. The timer keeps the process alive: somebody awaits the outcome. */
export async function timed<T>(clock: Clock, value: T | Promise<T>, timeout: number): Promise<T | typeof TIMED_OUT> {
  // By its shape: query builders and other realms' promises are no instances of ours, and may never answer either.
  if (typeof (value as PromiseLike<T> | null | undefined)?.then !== "function") return value;
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
