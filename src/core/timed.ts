import type { Clock } from "./ports.js";

export const TIMED_OUT = Symbol("timed out");

/** By its shape: query builders and other realms' promises are no instances of ours, and may never answer either. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}

/** Waits for a value, but no longer than this. The timer keeps the process alive: somebody awaits the outcome. */
export async function timed<T>(clock: Clock, value: T | Promise<T>, timeout: number): Promise<T | typeof TIMED_OUT> {
  if (!isThenable(value)) return value;
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
