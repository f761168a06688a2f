import { setTimeout as sleep } from "node:timers/promises";
import { CountersignError } from "../core/errors.js";
import { ChannelError, type ChannelEvents } from "./channel.js";

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

/** Asks a platform that is busy or down again, however long that takes. Everything else that it throws is passed on. */
export async function untilUp<T>(
  attempt: () => Promise<T>,
  line: ChannelEvents["line"],
  signal: AbortSignal,
): Promise<T> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!(thrown instanceof ChannelError) || (thrown.reason !== "busy" && thrown.reason !== "down")) throw thrown;
      if (failures === 1) line("down", thrown.message);
      await pause(Math.max(thrown.retryAfter ?? 0, backoff(failures)), signal);
    }
  }
  throw new CountersignError("closed", "The channel was closed before the platform answered.");
}
