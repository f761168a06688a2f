import { type Approval, personIndex, stateAt } from "./approval.js";
import type { Receipt } from "./claim.js";
import { loadCall, loadIntactCall } from "./engine.js";
import { CountersignError, type ErrorCode, isRefusal } from "./errors.js";
import { readable } from "./for-each.js";
import type { Gate } from "./gate.js";
import { newId } from "./ids.js";
import { locate } from "./locate.js";
import {
  AGENT,
  actionFrom,
  argsFor,
  callerFor,
  DESTRUCTIVE,
  MAX_TTL,
  ORDINARY,
  type PendingAction,
  type PendingActionInput,
} from "./pending-action.js";
import { isOf } from "./reading.js";
import { argsOf } from "./record.js";
import { isConfirmationToken } from "./token.js";

export type ConsumeFailure = "not_found" | "expired" | "user_mismatch" | "family_mismatch";

export type ConsumeResult =
  | { readonly found: true; readonly action: PendingAction; readonly claim: ClaimedAction }
  /** The reason is for the host. Tell whoever presented the token only that it is not valid. */
  | { readonly found: false; readonly reason: ConsumeFailure };

/** Names the run a consumed action became. */
export interface ClaimedAction {
  readonly approvalId: string;
  readonly claimId: string;
}

/**
 * Actions that wait for their own user's yes, kept as approvals: on the gate's store, with its audit, in every process that
 * shares it. For host code alone, which vouches that `userId` is the person who answers; never hand it to an agent. Methods are
 * asynchronous because the store is.
 */
export interface PendingActionStore {
  /** Throws `too_many_pending` when ten questions of this person are open. */
  create(input: PendingActionInput): Promise<PendingAction>;
  get(token: string): Promise<PendingAction | undefined>;
  /** What waits for this user, oldest first. Tokens are kept only as hashes, so they are not in it. */
  getByUser(userId: string, familyId: string): Promise<readonly Omit<PendingAction, "token">[]>;
  size(userId: string, familyId: string): Promise<number>;
  /** The person's yes: hands the action out to exactly one of any number of callers. A refusal leaves it where it is. */
  consume(token: string, userId: string, familyId: string): Promise<ConsumeResult>;
  /** How the consumed action ended. Without it the outcome counts as unknown after a while, which is then the truth. */
  finish(claim: ClaimedAction, userId: string, familyId: string, receipt: Receipt): Promise<void>;
  /** The person's no. False when there is nothing of this user's to delete. */
  delete(token: string, userId: string, familyId: string): Promise<boolean>;
  /** Writes down what has expired. The gate does so by itself, with a timer that holds no process open. */
  cleanup(): Promise<void>;
}

export interface PendingActionOptions {
  /** Open questions per user, whatever asked them. */
  readonly maxPerUser?: number;
}

const DEFAULT_TTL = 5 * 60_000;

/**
 * Pending actions for hosts that run them themselves, kept as approvals of the gate: what holds for those under races, restarts and
 * expiry holds here. Adds two tools of its own to the gate.
 */
export function createPendingActionStore(gate: Gate, options: PendingActionOptions = {}): PendingActionStore {
  for (const tool of [ORDINARY, DESTRUCTIVE]) if (gate.registry.find(tool.name) !== tool) gate.registry.add(tool);
  const maxPerUser = options.maxPerUser ?? 10;

  const find = async (token: string): Promise<Approval | undefined> => {
    if (!isConfirmationToken(token)) return undefined;
    const approval = await unless(["not_found"], locate(gate, { confirmationToken: token }));
    return approval?.requester.agentId === AGENT ? approval : undefined;
  };
  const failureOf = (approval: Approval, userId: string, familyId: string): ConsumeFailure | undefined => {
    if (approval.workspaceId !== familyId) return "family_mismatch";
    if (approval.requester.userId !== userId) return "user_mismatch";
    const state = stateAt(approval, gate.store.time());
    if (state === "expired") return "expired";
    return state === "pending" || state === "approved" ? undefined : "not_found";
  };
  const open = async (userId: string, familyId: string) => {
    const records = await gate.store.list(personIndex(familyId, userId), "", 1_000);
    return readable(records).filter(
      (approval) =>
        isOf(approval, familyId, userId) &&
        approval.requester.agentId === AGENT &&
        stateAt(approval, gate.store.time()) === "pending",
    );
  };

  return {
    async create(input) {
      const { userId, familyId, ttlMs = DEFAULT_TTL } = input;
      if (!(Number.isSafeInteger(ttlMs) && ttlMs > 0 && ttlMs <= MAX_TTL))
        throw new CountersignError("invalid_call", "ttlMs is a whole number of milliseconds, at most one day.");
      const outcome = await gate.submit(
        {
          tool: (input.isDestructive ? DESTRUCTIVE : ORDINARY).name,
          args: argsFor(input, ttlMs),
          stricter: { confirm: true, ttl: ttlMs, pendingPerUser: maxPerUser },
          // Two equal actions are two questions.
          context: { action: newId() },
        },
        callerFor(userId, familyId),
      );
      if (outcome.type !== "pending" || outcome.confirmationToken === undefined)
        throw new CountersignError("policy_denied", outcome.message);
      const approval = await find(outcome.confirmationToken);
      const call = approval && (await loadCall(gate, approval));
      if (approval === undefined || call === undefined)
        throw new CountersignError("not_found", "The action was not kept.");
      return { token: outcome.confirmationToken, ...actionFrom(approval, argsOf(call)) };
    },

    async get(token) {
      const approval = await find(token);
      if (approval === undefined || stateAt(approval, gate.store.time()) !== "pending") return undefined;
      const call = await loadIntactCall(gate, approval);
      return isRefusal(call) ? undefined : { token, ...actionFrom(approval, argsOf(call)) };
    },

    async getByUser(userId, familyId) {
      const found = await Promise.all(
        (await open(userId, familyId)).map(async (approval) => {
          const call = await loadIntactCall(gate, approval);
          return isRefusal(call) ? [] : [actionFrom(approval, argsOf(call))];
        }),
      );
      return found.flat();
    },

    async size(userId, familyId) {
      return (await open(userId, familyId)).length;
    },

    async consume(token, userId, familyId) {
      const approval = await find(token);
      const failure = approval === undefined ? "not_found" : failureOf(approval, userId, familyId);
      if (approval === undefined || failure !== undefined) return { found: false, reason: failure ?? "not_found" };
      const { approvalId, toolCallHash } = approval;
      const caller = callerFor(userId, familyId);
      try {
        const person = { kind: "person" as const, userId, workspaceId: familyId };
        // A yes that was given and never handed out, because a process died in between, is still good.
        const decision = { approvalId, decision: "approve" as const, toolCallHash };
        const decided = await unless(["already_resolved"], gate.decide(decision, person));
        if (decided?.state === "pending")
          throw new CountersignError("not_approved", "Somebody else has to approve this too.");
        const outcome = await gate.resume(approvalId, caller, { deadline: 0 });
        if (outcome.type !== "pending" || outcome.token === undefined) return { found: false, reason: "not_found" };
        const claim = await gate.claim({ approvalId, tokenId: outcome.token.tokenId, toolCallHash }, caller);
        const action = { token, ...actionFrom(approval, claim.args) };
        return { found: true, action, claim: { approvalId, claimId: claim.claimId } };
      } catch (error) {
        const reason = error instanceof CountersignError ? REASONS[error.code] : undefined;
        if (reason === undefined) throw error;
        return { found: false, reason };
      }
    },

    async finish({ approvalId, claimId }, userId, familyId, receipt) {
      await gate.finish({ approvalId, claimId, ...receipt }, callerFor(userId, familyId));
    },

    async delete(token, userId, familyId) {
      const approval = await find(token);
      if (approval === undefined || failureOf(approval, userId, familyId) !== undefined) return false;
      const { approvalId } = approval;
      const gone = await unless(
        ["already_resolved", "expired"],
        gate.cancel({ approvalId }, callerFor(userId, familyId)),
      );
      return gone?.type === "cancelled";
    },

    cleanup: () => gate.sweep(),
  };
}

/** Lost races and missed deadlines, in this surface's words; any other error is the host's to see. */
const REASONS: Partial<Record<ErrorCode, ConsumeFailure>> = {
  not_found: "not_found",
  already_resolved: "not_found",
  already_claimed: "not_found",
  token_mismatch: "not_found",
  expired: "expired",
  user_mismatch: "user_mismatch",
  family_mismatch: "family_mismatch",
};

/** Undefined when it was refused for one of these reasons. */
async function unless<T>(codes: readonly ErrorCode[], step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof CountersignError && codes.includes(error.code)) return undefined;
    throw error;
  }
}
