import type { Client } from "./client.js";
import { ClientError } from "./errors.js";
import { Backoff, pause } from "./retry.js";
import type { ApprovalView } from "./wire.js";

/** What an app gives, so that an agent's action is confirmed in its own dialog before it runs. */
export interface ConfirmFirst {
  /** Shows the question and resolves with the person's answer. Only `true` is a yes. */
  readonly confirm: (title: string, prompt: string, approval: ApprovalView) => boolean | Promise<boolean>;
  /** Shows locally what has now happened at the server. Called once, after it has succeeded, never before. */
  readonly apply: (approval: ApprovalView) => void | Promise<void>;
  /** Reads the truth from the server, wherever what happened is not certain. */
  readonly forceSync: () => void | Promise<void>;
  readonly signal?: AbortSignal;
}

export type ConfirmedFirst = "applied" | "refused" | "synced";

const TITLE = "Confirm Agent Action";
const SETTLED: readonly ApprovalView["state"][] = ["succeeded", "failed", "unknown", "denied", "expired", "cancelled"];

/**
 * Confirmation before execution. Nothing has run while the dialog is open, so that a no leaves nothing to undo. When somebody
 * else was faster, or nobody can tell how it ended, the app reconciles by `forceSync` instead of guessing.
 */
export async function confirmFirst(
  client: Pick<Client, "approvals">,
  approvalId: string,
  { confirm, apply, forceSync, signal }: ConfirmFirst,
): Promise<ConfirmedFirst> {
  const { approvals } = client;
  const asked = await approvals.get(approvalId);
  let refused = false;
  if (asked.state === "pending") {
    const { card } = asked;
    // Without its card nobody can see what they would say yes to.
    const yes = card !== undefined && (await confirm(TITLE, card.asks, asked)) === true;
    try {
      await (yes ? approvals.approve(asked) : approvals.deny(asked));
      refused = !yes;
    } catch (error) {
      // Decided elsewhere, or changed while the dialog was open: what came of it is read below.
      if (!(error instanceof ClientError) || error.status !== 409) throw error;
    }
  }
  if (refused) return "refused";
  const ended = await settled(approvals, approvalId, signal);
  if (ended?.state === "succeeded") {
    await apply(ended);
    return "applied";
  }
  await forceSync();
  return "synced";
}

async function settled(approvals: Client["approvals"], approvalId: string, signal: AbortSignal | undefined) {
  const backoff = new Backoff();
  for (;;) {
    const approval = await approvals.get(approvalId);
    if (SETTLED.includes(approval.state)) return approval;
    if (signal?.aborted) return undefined;
    await pause(backoff.delay(), signal);
  }
}
