import { setTimeout as sleep } from "node:timers/promises";

/** For a connection that stood and broke. */
const LINE = { first: 500, longest: 30_000 };
/** For what a platform that is down was to be told. */
export const DELIVERY = { first: 1_000, longest: 60_000 };

/** After so many failures in a row nobody should count on it any more. */
export const HOPELESS_AFTER = 12;

/** How long to wait after so many failures in a row: doubling, and spread so that many who failed at once do not come back so. */
export function backoff(failures: number, { first, longest } = LINE): number {
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 10));
  return Math.round(whole / 2 + (Math.random() * whole) / 2);
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
