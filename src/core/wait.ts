import { type Approval, isFinal } from "./approval.js";
import { AtHand } from "./at-hand.js";
import { CountersignError } from "./errors.js";
import type { Clock } from "./ports.js";
import { Recent } from "./recent.js";
import type { CallRecord } from "./record.js";
import { TIMED_OUT, timed } from "./timed.js";

/** How often waiters look by themselves. Hints make them look sooner; nothing depends on a hint. */
const POLL_INTERVAL = 1_000;
const HINT_DELAY = 20;
/** How many that ended are remembered by their version, for those who begin to wait a moment too late. */
const REMEMBERED = 10_000;

/** Told the new state, or nothing when the outcome can no longer be learned here, or that this gate is closing. */
type Listener = (approval: Approval | undefined | "closed") => void;

/** Who waits for which approval in this process. */
export class Waiters {
  readonly #clock: Clock;
  readonly #look: (approvalIds: readonly string[]) => Promise<void>;
  readonly #isToldHere: (approvalId: string) => boolean;
  readonly #listeners = new Map<string, Set<Listener>>();
  #cancelTimer: (() => void) | undefined;
  #cancelHint: (() => void) | undefined;
  #hinted = false;
  #lastHint = Number.NEGATIVE_INFINITY;
  #lookTook = 0;
  readonly #ended = new Recent<number>(REMEMBERED);
  /** Open approvals as they were last written or read here. */
  readonly atHand: AtHand;

  /**
   * `look` reads the given approvals and reports them through `changed`. `isToldHere` says of which this process will hear without
   * looking: hints are mostly about its own writing.
   */
  constructor(
    clock: Clock,
    look: (approvalIds: readonly string[]) => Promise<void>,
    isToldHere: (approvalId: string) => boolean = () => false,
  ) {
    this.#clock = clock;
    this.#look = look;
    this.#isToldHere = isToldHere;
    this.atHand = new AtHand(clock);
  }

  /** Tells everybody here who waits for it. `asked` is its call, where this process has just asked it. */
  changed(approval: Approval, asked?: CallRecord): void {
    this.atHand.put(approval, asked);
    if (isFinal(approval.state)) this.#ended.put(approval.approvalId, approval.version);
    const listeners = this.#listeners.get(approval.approvalId);
    if (listeners !== undefined) for (const listener of [...listeners]) listener(approval);
  }

  /** The outcome could not be written down: whoever waits here is told that it is unknown. */
  lost(approvalId: string): void {
    for (const listener of [...(this.#listeners.get(approvalId) ?? [])]) listener(undefined);
  }

  /** Something changed somewhere, perhaps: look soon. Under a storm of hints, looking never takes more than a tenth of the time. */
  hint(): void {
    this.#lastHint = this.#clock.now();
    if (this.#listeners.size === 0 || this.#hinted) return;
    this.#hinted = true;
    this.#cancelHint = this.#clock.timer(Math.max(HINT_DELAY, 10 * this.#lookTook), () => {
      this.#hinted = false;
      void this.#poll([...this.#listeners.keys()].filter((approvalId) => !this.#isToldHere(approvalId)));
    });
  }

  /** `known` was read before, and reading takes time: what was told meanwhile is looked at again. */
  listen({ approvalId, version }: Pick<Approval, "approvalId" | "version">, listener: Listener): () => void {
    const set = this.#listeners.get(approvalId) ?? new Set();
    this.#listeners.set(approvalId, set.add(listener));
    this.#arm();
    if (this.#lastVersion(approvalId) > version) void this.#look([approvalId]).catch(() => {});
    else if (this.#clock.now() - this.#lastHint < POLL_INTERVAL) this.hint();
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.#listeners.get(approvalId) === set) this.#listeners.delete(approvalId);
      if (this.#listeners.size === 0) this.#disarm();
    };
  }

  /** Tells whoever still waits that nothing more will be learned here: a wait must not outlive its gate. */
  close(): void {
    for (const listeners of [...this.#listeners.values()]) for (const listener of [...listeners]) listener("closed");
    this.#cancelHint?.();
    this.#disarm();
  }

  #lastVersion(approvalId: string): number {
    return this.#ended.get(approvalId) ?? this.atHand.approval(approvalId)?.version ?? 0;
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #arm(): void {
    // Somebody awaits this: the timer holds the process open, or the wait would end without an answer.
    this.#cancelTimer ??= this.#clock.timer(
      POLL_INTERVAL,
      () => {
        this.#cancelTimer = undefined;
        void this.#poll([...this.#listeners.keys()]);
      },
      true,
    );
  }

  async #poll(approvalIds: readonly string[]): Promise<void> {
    const started = performance.now();
    try {
      await this.#look(approvalIds);
    } catch {
      // A store that does not answer now is asked again; waiters have their own deadlines.
    } finally {
      this.#lookTook = performance.now() - started;
      if (this.#listeners.size > 0) this.#arm();
    }
  }
}

export interface WaitOptions {
  /** Milliseconds from now, or a moment. At the deadline the caller is told "pending"; the approval lives on. */
  readonly deadline?: number | Date;
  /** Aborting withdraws the call while nobody has approved it. */
  readonly signal?: AbortSignal;
}

export function deadlineOf(options: WaitOptions, now: number): number | undefined {
  const { deadline } = options;
  if (deadline === undefined) return undefined;
  return deadline instanceof Date ? deadline.getTime() : now + deadline;
}

/** A store that answers at all has told by then how the call stands at its deadline. */
const GRACE = 1_000;

/** Whatever a caller waits for, a store that does not answer included, it is told in time. What was begun goes on. */
export async function inTime<T>(clock: Clock, deadline: number | undefined, work: Promise<T>): Promise<T> {
  if (deadline === undefined) return work;
  const told = await timed(clock, work, Math.max(0, deadline - clock.now()) + GRACE);
  if (told !== TIMED_OUT) return told;
  const why = "The deadline has passed, and how the call stands is not known.";
  throw new CountersignError("store_failed", `${why} Ask again with the same key to learn the outcome.`);
}

export type Reached =
  | { readonly type: "reached"; readonly approval: Approval }
  | { readonly type: "deadline" | "aborted" | "lost" | "closed" };

/** Waits until the approval is where `until` wants it. `known` is its state as just read or written. */
export function waitFor(
  { waiters, clock }: { readonly waiters: Waiters; readonly clock: Clock },
  known: Approval,
  until: (approval: Approval) => boolean,
  options: WaitOptions = {},
): Promise<Reached> {
  if (until(known)) return Promise.resolve({ type: "reached", approval: known });
  const { signal } = options;
  if (signal?.aborted) return Promise.resolve({ type: "aborted" });
  const now = clock.now();
  const deadline = deadlineOf(options, now);
  if (deadline !== undefined && deadline <= now) return Promise.resolve({ type: "deadline" });
  return new Promise((resolve) => {
    const cleanUp: (() => void)[] = [];
    const end = (reached: Reached) => {
      for (const undo of cleanUp) undo();
      resolve(reached);
    };
    cleanUp.push(
      waiters.listen(known, (approval) => {
        if (approval === "closed") end({ type: "closed" });
        else if (approval === undefined) end({ type: "lost" });
        else if (until(approval)) end({ type: "reached", approval });
      }),
    );
    if (deadline !== undefined) cleanUp.push(clock.timer(deadline - now, () => end({ type: "deadline" }), true));
    if (signal !== undefined) {
      const abort = () => end({ type: "aborted" });
      signal.addEventListener("abort", abort, { once: true });
      cleanUp.push(() => signal.removeEventListener("abort", abort));
    }
  });
}
