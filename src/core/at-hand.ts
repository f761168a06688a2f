import { type Approval, isFinal } from "./approval.js";
import type { Clock } from "./ports.js";
import { Recent } from "./recent.js";
import type { CallRecord } from "./record.js";

/** How many open approvals are kept, and for how long. */
const MOST = 1_000;
const KEPT_FOR = 60_000;
/** Longer calls are read again when they are answered: what is kept here has to stay small. */
const LONGEST_CALL = 4_096;

interface Kept {
  readonly approval: Approval;
  readonly call: CallRecord | undefined;
  readonly since: number;
}

/**
 * Open approvals as this process saw them a moment ago, with the calls it asked itself; most answers come that soon, and reading
 * both again costs as much as a fifth of a cycle. Others may have moved an approval since: what is made of it must be judged by
 * its version when it is committed, and nobody may be told no by it. A call never changes: it is the one that was hashed here.
 */
export class AtHand {
  readonly #clock: Clock;
  readonly #kept = new Recent<Kept>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** With the call where it was just asked; later states of the same revision keep it until it is started. */
  put(approval: Approval, asked?: CallRecord): void {
    const { approvalId, state } = approval;
    if (isFinal(state)) return this.#kept.delete(approvalId);
    const answerable = state === "pending" || state === "approved";
    const call = answerable ? (asked ?? this.call(approval)) : undefined;
    this.#kept.put(approvalId, { approval, call: isSmall(call) ? call : undefined, since: this.#clock.now() });
  }

  approval(approvalId: string): Approval | undefined {
    const kept = this.#kept.get(approvalId);
    if (kept === undefined) return undefined;
    const age = this.#clock.now() - kept.since;
    return age >= 0 && age < KEPT_FOR ? kept.approval : undefined;
  }

  /** The call this approval is about, if it was asked here. */
  call({ approvalId, revision, toolCallHash }: Approval): CallRecord | undefined {
    const kept = this.#kept.get(approvalId);
    if (kept?.call === undefined || kept.approval.revision !== revision) return undefined;
    return kept.approval.toolCallHash === toolCallHash ? kept.call : undefined;
  }
}

/** By the parts that may be long. */
function isSmall(call: CallRecord | undefined): boolean {
  return (
    call !== undefined &&
    call.canonical.length <= LONGEST_CALL &&
    call.preview === undefined &&
    call.alternatives === undefined &&
    call.proposed === undefined &&
    (call.summary?.length ?? 0) <= LONGEST_CALL
  );
}
