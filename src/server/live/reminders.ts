import { type Approval, stateAt } from "../../core/approval.js";
import type { Clock } from "../../core/ports.js";

const BEFORE = 60_000;
/** Timers hold 31 bits of milliseconds; what is due later is looked at again on the way. */
const LONGEST = 2_000_000_000;

/** Calls back one minute before an open question's time is over. Whoever was told of it within its last minute knows already. */
export class Reminders {
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #remind: (approvalId: string) => void;
  readonly #timers = new Map<string, () => void>();

  /** `now` is the store's time, by which questions end. */
  constructor(clock: Clock, now: () => number, remind: (approvalId: string) => void) {
    this.#clock = clock;
    this.#now = now;
    this.#remind = remind;
  }

  /** Follows an approval while it is open, and forgets it when it is not. */
  follow(approval: Approval): void {
    const { approvalId, decideBy } = approval;
    const left = decideBy - BEFORE - this.#now();
    if (stateAt(approval, this.#now()) !== "pending") this.#forget(approvalId);
    else if (left > 0 && !this.#timers.has(approvalId)) this.#arm(approvalId, decideBy);
  }

  #arm(approvalId: string, decideBy: number): void {
    const left = decideBy - BEFORE - this.#now();
    const cancel = this.#clock.timer(Math.max(0, Math.min(left, LONGEST)), () => {
      this.#timers.delete(approvalId);
      if (left > LONGEST) this.#arm(approvalId, decideBy);
      else this.#remind(approvalId);
    });
    this.#timers.set(approvalId, cancel);
  }

  #forget(approvalId: string): void {
    this.#timers.get(approvalId)?.();
    this.#timers.delete(approvalId);
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
