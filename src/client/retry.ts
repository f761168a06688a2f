import { ClientError } from "./errors.js";

const FIRST = 250;
const LAST = 10_000;
/** Timers hold 31 bits of milliseconds; a longer one would be over at once. */
export const LONGEST_TIMER = 2_147_483_647;

/** Waits that grow, spread at random so that a thousand clients do not come back at once. */
export class Backoff {
  #next = FIRST;

  reset(): void {
    this.#next = FIRST;
  }

  delay(): number {
    const ceiling = this.#next;
    this.#next = Math.min(LAST, ceiling * 2);
    return ceiling / 2 + Math.random() * (ceiling / 2);
  }
}

/** Resolves after the time, or at once when aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, milliseconds));
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done, { once: true });
  });
}

/** A server that is closing says so with a 503, and another one will answer soon. */
export function mayRetry(error: unknown): boolean {
  return error instanceof ClientError && (error.retryable || error.status === 503);
}

/** Something did not work and is tried again after a while. */
export interface Retry {
  readonly error: ClientError;
  /** Milliseconds until then. */
  readonly wait: number;
}

export type OnRetry = (retry: Retry) => void;

interface Patience {
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: OnRetry | undefined;
}

/** Tries until it works, the error cannot be mended by waiting, the time is over, or the caller gives up. */
export async function untilDone<T>(attempt: () => Promise<T>, { until, signal, onRetry }: Patience): Promise<T> {
  const backoff = new Backoff();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const wait = Math.max(backoff.delay(), (error as Partial<ClientError>).retryAfter ?? 0);
      if (!mayRetry(error) || signal?.aborted || Date.now() + wait >= until) throw error;
      onRetry?.({ error: error as ClientError, wait });
      await pause(wait, signal);
    }
  }
}
