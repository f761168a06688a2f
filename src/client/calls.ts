import type { ToolCall } from "../core/call.js";
import type { Receipt } from "../core/claim.js";
import type { Outcome } from "../core/outcome.js";
import type { Claim } from "../core/remote.js";
import { ClientError } from "./errors.js";
import { Backoff, LONGEST_TIMER, mayRetry, pause, untilDone } from "./retry.js";
import type { Transport } from "./transport.js";

/** Seconds one request waits for a person; then the next one does. */
const WAIT = 25;
/** How long the first word with a server that does not answer is tried, where no deadline says it. */
const PATIENCE = 30_000;
const OUTCOMES: readonly number[] = [200, 202, 403];

export type Pending = Extract<Outcome, { type: "pending" }>;

export interface SentCall extends ToolCall {
  /** The agent's own name for its run; tokens of a call work in its session alone. */
  readonly sessionId?: string | undefined;
  readonly lineage?: readonly string[] | undefined;
}

export interface RunOptions {
  /** Milliseconds from now, or a moment. At the deadline the caller is told "pending"; the approval lives on. */
  readonly deadline?: number | Date | undefined;
  /** Aborting withdraws the call while nobody has approved it. */
  readonly signal?: AbortSignal | undefined;
}

/** What agents do. Every write has a key of its own, so that sending it again does nothing twice. */
export class Calls {
  readonly #transport: Transport;
  readonly #sessionId: string | undefined;

  constructor(transport: Transport, sessionId: string | undefined) {
    this.#transport = transport;
    this.#sessionId = sessionId;
  }

  /** Asks, and returns at once; what waits for a person is resumed later. */
  async submit(call: SentCall, options: RunOptions = {}): Promise<Outcome> {
    return this.#submit(call, deadlineOf(options) ?? Date.now() + PATIENCE, options.signal);
  }

  /**
   * Asks and waits until it has ended, may be claimed, or the deadline has come. Goes on through breaks and restarts of the
   * server. With an `idempotencyKey` of the caller's own it also goes on after a restart of the caller: the same key finds the
   * same call, whatever has become of it.
   */
  async run(call: SentCall, options: RunOptions = {}): Promise<Outcome> {
    const deadline = deadlineOf(options);
    const until = deadline ?? Date.now() + PATIENCE;
    const outcome = await this.#submit(call, until, options.signal);
    if (!isOpen(outcome)) return outcome;
    const fixed = deadline === undefined ? options : { ...options, deadline: new Date(deadline) };
    return this.#follow(outcome, call.sessionId, fixed);
  }

  /** Joins an earlier call. Without deadline and signal it only looks; else it waits. */
  async resume(
    approvalId: string,
    options: RunOptions & { readonly sessionId?: string | undefined } = {},
  ): Promise<Outcome> {
    const { sessionId, ...wait } = options;
    const until = deadlineOf(wait) ?? Date.now() + PATIENCE;
    // Not broken off: who gave up before anything was known still has to withdraw what is open.
    const found = await untilDone(() => this.#look(approvalId, sessionId, 0), {
      until,
      signal: wait.signal,
      onRetry: this.#transport.onRetry,
    });
    const waits = wait.deadline !== undefined || wait.signal !== undefined;
    return isOpen(found) && waits ? this.#follow(found, sessionId, wait) : found;
  }

  cancel(approvalId: string, reason?: string, sessionId?: string): Promise<Outcome> {
    return this.#write(`/v1/calls/${encodeURIComponent(approvalId)}/cancel`, sessionId, {
      ...(reason === undefined ? {} : { reason }),
    });
  }

  askAgain(approvalId: string, sessionId?: string): Promise<Outcome> {
    return this.#write(`/v1/calls/${encodeURIComponent(approvalId)}/ask-again`, sessionId, {});
  }

  /** Spends the token. A reply that was lost is asked for again and is the same one: there is one claim or none. */
  claim(input: { approvalId: string; tokenId: string; toolCallHash?: string }, sessionId?: string): Promise<Claim> {
    return this.#write("/v1/tokens/claim", sessionId, input);
  }

  /** The same by the call's id alone, for the key and session that asked. */
  claimOwn(approvalId: string, sessionId?: string): Promise<Claim> {
    return this.#write(`/v1/calls/${encodeURIComponent(approvalId)}/claim`, sessionId, {});
  }

  finish(input: { approvalId: string; claimId: string } & Receipt, sessionId?: string): Promise<Outcome> {
    return this.#write("/v1/tokens/finish", sessionId, input);
  }

  async #submit({ idempotencyKey, ...call }: SentCall, until: number, signal?: AbortSignal): Promise<Outcome> {
    // The key is fixed before the first try: a try whose answer was lost and the next one are one call.
    const key = idempotencyKey ?? crypto.randomUUID();
    return untilDone(
      () =>
        this.#transport.json<Outcome>({
          method: "POST",
          path: "/v1/calls",
          body: { ...call, ...this.#session(call.sessionId) },
          headers: { "idempotency-key": key },
          accept: OUTCOMES,
          // Never broken off: a call that was taken has an id, and by it whoever gives up can withdraw it.
        }),
      { until, signal, onRetry: this.#transport.onRetry },
    );
  }

  #look(approvalId: string, sessionId: string | undefined, wait: number, signal?: AbortSignal): Promise<Outcome> {
    return this.#transport.json<Outcome>({
      path: `/v1/calls/${encodeURIComponent(approvalId)}`,
      query: { ...(wait === 0 ? {} : { wait }), ...this.#session(sessionId) },
      accept: OUTCOMES,
      // Longer than the server waits: a line that is dead is noticed, one that is silent is not.
      timeout: (wait + 15) * 1_000,
      signal,
    });
  }

  /** Waits for the end through whatever breaks. The last thing known is what a deadline gets. */
  async #follow(known: Pending, sessionId: string | undefined, { deadline, signal }: RunOptions): Promise<Outcome> {
    const until = deadlineOf({ deadline }) ?? Number.POSITIVE_INFINITY;
    const backoff = new Backoff();
    let last: Outcome = known;
    while (isOpen(last)) {
      if (signal?.aborted) return this.#giveUp(last.approvalId, sessionId);
      const left = Math.floor((until - Date.now()) / 1_000);
      if (until <= Date.now()) return last;
      const brokenOff = within(signal, until);
      try {
        last = await this.#look(last.approvalId, sessionId, Math.max(1, Math.min(WAIT, left)), brokenOff);
        backoff.reset();
      } catch (error) {
        // By the caller or by time. A timer may be a moment ahead of the clock: then there is a moment left.
        if (brokenOff?.aborted || Date.now() >= until) continue;
        if (!mayRetry(error)) throw error;
        const wait = Math.min(backoff.delay(), until - Date.now());
        this.#transport.onRetry?.({ error: error as ClientError, wait });
        await pause(wait, signal);
      }
    }
    return last;
  }

  async #giveUp(approvalId: string, sessionId: string | undefined): Promise<Outcome> {
    try {
      return await this.cancel(approvalId, "the caller gave up", sessionId);
    } catch (error) {
      // Approved or claimed meanwhile: what became of it is the answer.
      if (error instanceof ClientError && !error.retryable) return this.#look(approvalId, sessionId, 0);
      throw error;
    }
  }

  #write<Answer>(path: string, sessionId: string | undefined, body: object): Promise<Answer> {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const sent = { method: "POST", path, headers, body: { ...body, ...this.#session(sessionId) } } as const;
    const { onRetry } = this.#transport;
    return untilDone(() => this.#transport.json<Answer>(sent), { until: Date.now() + PATIENCE, onRetry });
  }

  #session(own: string | undefined): { readonly sessionId?: string } {
    const sessionId = own ?? this.#sessionId;
    return sessionId === undefined ? {} : { sessionId };
  }
}

/** Nobody has decided yet, or it runs: there is something to wait for. */
function isOpen(outcome: Outcome): outcome is Pending {
  return outcome.type === "pending" && outcome.token === undefined;
}

function deadlineOf({ deadline }: Pick<RunOptions, "deadline">): number | undefined {
  if (deadline === undefined) return undefined;
  return typeof deadline === "number" ? Date.now() + deadline : deadline.getTime();
}

/** Ends a request at the deadline, though the server would have answered a moment later. */
function within(signal: AbortSignal | undefined, until: number): AbortSignal | undefined {
  if (!Number.isFinite(until)) return signal;
  const timeout = AbortSignal.timeout(Math.max(1, Math.min(until - Date.now(), LONGEST_TIMER)));
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}
