import { setTimeout as sleep } from "node:timers/promises";

const FIRST = 500;
const LONGEST = 30_000;

/** How long to wait after so many failures in a row: doubling, and spread so that many instances do not come back at once. */
export function backoff(failures: number): number {
  const whole = Math.min(LONGEST, FIRST * 2 ** Math.min(failures - 1, 10));
  return whole / 2 + (Math.random() * whole) / 2;
}

/** Waits, or ends at once when the signal does; never keeps the process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Ends when the work does, or earlier when its time is over; the work itself goes on. */
export async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, pause(milliseconds, done.signal)]).finally(() => done.abort());
}
