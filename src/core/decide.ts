import {
  type Approval,
  type Audience,
  checkAudience,
  mayApprove,
  type Person,
  type Resolution,
  stateAt,
} from "./approval.js";
import { newEntry, shortHash } from "./audit.js";
import { CountersignError, type Refusal, refuse } from "./errors.js";
import { checkDecisionScope, type DecisionScope } from "./judging/grants.js";
import { notPending } from "./late-answer.js";
import type { NewEntry } from "./ports.js";
import type { CallRecord, Move } from "./record.js";
import type { RiskTier } from "./risk.js";
import { isConfirmationToken, mintedEntry } from "./token.js";

/** One person's answer. */
export interface Decision {
  readonly approvalId?: string;
  readonly confirmationToken?: string;
  readonly decision: "approve" | "deny";
  /** Names what was shown. Only callers in this process may leave it out, and only before any edit. */
  readonly toolCallHash?: string;
  /** Names the very card that was shown; refused when no card of this approval has it. Kept with the answer. */
  readonly cardHash?: string;
  /** Other arguments than the proposed ones: a new revision, judged again. */
  readonly args?: unknown;
  /** How far a yes reaches; this call alone if left out. */
  readonly scope?: DecisionScope;
  readonly reason?: string;
}

/** The revision a person's edit makes. */
export interface Edit {
  readonly toolCallHash: string;
  readonly riskTier: RiskTier;
  readonly audience: Audience;
  readonly call: CallRecord;
}

export interface DecideContext {
  readonly now: number;
  readonly claimWindow: number;
  /** Of the token that this answer mints if it approves a call that runs elsewhere. */
  readonly tokenHash: string;
  /** Who voted before and may no longer: their votes are dropped with this answer. */
  readonly lapsed?: readonly string[];
}

const HASH = /^[0-9a-f]{64}$/;
const KEYS: readonly string[] = [
  "approvalId",
  "confirmationToken",
  "decision",
  "toolCallHash",
  "cardHash",
  "args",
  "scope",
  "reason",
];
const MAX_REASON = 1_000;

/** Strict on purpose: a wrong type, an unknown word or an unknown key decides nothing. */
export function checkDecision(input: Decision): void {
  const wrong = (message: string) => new CountersignError("invalid_decision", message);
  if (input === null || typeof input !== "object") throw wrong("A decision is an object.");
  const unknown = Object.keys(input).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw wrong(`A decision has no field "${unknown}".`);
  if (input.decision !== "approve" && input.decision !== "deny")
    throw wrong('A decision is exactly "approve" or "deny".');
  const { approvalId, confirmationToken } = input;
  if ((approvalId === undefined) === (confirmationToken === undefined))
    throw wrong("Name the approval by approvalId or by confirmationToken, one of them.");
  if (approvalId !== undefined && (typeof approvalId !== "string" || approvalId === ""))
    throw wrong("An approvalId is a text that is not empty.");
  if (confirmationToken !== undefined && !isConfirmationToken(confirmationToken))
    throw wrong("A confirmation token is pa_ and 32 hex digits.");
  for (const key of ["toolCallHash", "cardHash"] as const) {
    const value = input[key];
    if (value !== undefined && !(typeof value === "string" && HASH.test(value)))
      throw wrong(`${key} is 64 hex digits.`);
  }
  if (input.reason !== undefined && !(typeof input.reason === "string" && input.reason.length <= MAX_REASON)) {
    throw wrong(`A reason is a text of at most ${MAX_REASON} characters.`);
  }
  if (input.args !== undefined && input.decision === "deny")
    throw wrong("Arguments can be changed when approving, not when denying.");
  if (input.scope !== undefined) checkDecisionScope(input.scope);
  if (input.scope !== undefined && input.scope.kind !== "once" && input.decision === "deny")
    throw wrong("A no is for this call; only a yes can reach further.");
}

/** The one rule for every surface: what this person's answer makes of the approval, or why it does not count. */
export function applyDecision(
  approval: Approval,
  input: Decision,
  person: Person,
  context: DecideContext,
  edit?: Edit,
): Move | Refusal {
  const stranger = checkAudience(approval, person);
  if (stranger) return stranger;
  const late = notPending(approval, context.now);
  if (late) return late;
  if (input.toolCallHash === undefined && approval.revision > 1) {
    return refuse("hash_required", "The arguments were edited since. Look again and name the toolCallHash you saw.");
  }
  if (input.toolCallHash !== undefined && input.toolCallHash !== approval.toolCallHash) {
    return refuse("hash_mismatch", "What you saw is not what would run any more. Look again.");
  }
  if (input.decision === "deny") return denied(approval, input, person, context);
  const revised = edit === undefined ? { approval, entries: [] } : applyEdit(approval, edit, person);
  const barred = mayApprove(revised.approval, person);
  // An editor who may not approve has still changed the question: it waits for somebody else, at its new revision.
  const waits = edit !== undefined && barred?.refused === "self_approval";
  if (barred) return waits ? pendingMove(revised.approval, revised.entries, edit) : barred;
  return vote(revised.approval, revised.entries, input, person, context, edit);
}

function denied(approval: Approval, input: Decision, person: Person, { now }: DecideContext): Move {
  const reason = input.reason === undefined ? {} : { reason: input.reason };
  const who = answeredBy(person);
  return {
    next: { ...approval, state: "denied", resolution: { type: "denied", at: now, ...who, ...reason } },
    entries: [
      newEntry("approval.resolved", approval.approvalId, {
        as: "denied",
        ...who,
        assurance: person.assurance ?? "host",
        hash: shortHash(approval.toolCallHash),
        card: input.cardHash && shortHash(input.cardHash),
        proof: person.proof,
        ...reason,
      }),
    ],
    guards: { before: approval.decideBy },
  };
}

function answeredBy({ userId, surface }: Person): Pick<Resolution, "surface"> & { readonly by: string } {
  return { by: userId, ...(surface === undefined ? {} : { surface }) };
}

/** Earlier votes were for other arguments, so they are void; the editor counts as a requester from here on. */
function applyEdit(approval: Approval, edit: Edit, person: Person): { approval: Approval; entries: NewEntry[] } {
  const editors = [...new Set([...approval.editors, person.userId])];
  const edited: Approval = { ...revisedBy(approval, edit), editors };
  const entry = newEntry("approval.edited", approval.approvalId, {
    by: person.userId,
    revision: edited.revision,
    from: shortHash(approval.toolCallHash),
    hash: shortHash(edit.toolCallHash),
    tier: edit.riskTier,
  });
  return { approval: edited, entries: [entry] };
}

/** The approval as the edit leaves it for the next question. */
export function revisedBy(approval: Approval, { toolCallHash, riskTier, audience }: Edit): Approval {
  return { ...approval, revision: approval.revision + 1, toolCallHash, riskTier, audience, votes: [] };
}

function vote(
  approval: Approval,
  before: readonly NewEntry[],
  input: Decision,
  person: Person,
  context: DecideContext,
  edit?: Edit,
): Move {
  const { now, lapsed = [] } = context;
  const assurance = person.assurance ?? "host";
  const others = approval.votes.filter(({ userId }) => userId !== person.userId && !lapsed.includes(userId));
  const seen = input.cardHash === undefined ? {} : { cardHash: input.cardHash };
  const votes = [...others, { userId: person.userId, at: now, assurance, ...seen }];
  const card = input.cardHash && shortHash(input.cardHash);
  const who = answeredBy(person);
  const dropped = lapsed.length === 0 ? {} : { lapsed };
  const told = { assurance, hash: shortHash(approval.toolCallHash), card, proof: person.proof, ...who, ...dropped };
  if (votes.length < approval.audience.quorum) {
    const entry = newEntry("approval.voted", approval.approvalId, {
      ...told,
      votes: votes.length,
      quorum: approval.audience.quorum,
    });
    return pendingMove({ ...approval, votes }, [...before, entry], edit);
  }
  const claimBy = now + context.claimWindow;
  const reason = input.reason === undefined ? {} : { reason: input.reason };
  return {
    next: {
      ...approval,
      state: "approved",
      votes,
      claimBy,
      approvalToken: { hash: context.tokenHash, expiresAt: claimBy },
      resolution: { type: "approved", at: now, ...who, ...reason },
    },
    entries: [
      ...before,
      newEntry("approval.resolved", approval.approvalId, { as: "approved", ...told, ...reason }),
      ...(approval.hosted ? [] : [mintedEntry(approval.approvalId, approval.toolCallHash, claimBy)]),
    ],
    guards: { before: approval.decideBy },
    ...(edit === undefined ? {} : { call: edit.call }),
  };
}

function pendingMove(next: Approval, entries: readonly NewEntry[], edit: Edit | undefined): Move {
  return { next, entries, guards: { before: next.decideBy }, ...(edit === undefined ? {} : { call: edit.call }) };
}

/** The requesting side withdraws. Before the claim that wins; afterwards it is too late to say so. */
export function applyCancel(
  approval: Approval,
  by: string,
  reason: string | undefined,
  now: number,
  replacedBy?: string,
): Move | Refusal {
  const state = stateAt(approval, now);
  if (state !== "pending" && state !== "approved") {
    return state === "expired"
      ? refuse("expired", "It had expired already. Nothing ran.")
      : refuse("already_resolved", `It is ${state} already and cannot be withdrawn.`, {
          approvalId: approval.approvalId,
        });
  }
  const told = reason === undefined ? {} : { reason };
  return {
    next: {
      ...approval,
      state: "cancelled",
      resolution: { type: "cancelled", at: now, by, ...told },
      replacedBy: replacedBy ?? approval.replacedBy,
    },
    entries: [newEntry("approval.resolved", approval.approvalId, { as: "cancelled", by, replacedBy, ...told })],
  };
}

/** An approver takes a yes back: a vote while others are awaited, the whole approval once it was enough, until the claim. */
export function applyWithdrawal(approval: Approval, person: Person, now: number): Move | Refusal {
  const stranger = checkAudience(approval, person);
  if (stranger) return stranger;
  if (!approval.votes.some((cast) => cast.userId === person.userId)) {
    return refuse("not_found", "You have no vote here to take back.");
  }
  if (stateAt(approval, now) === "approved")
    return applyCancel(approval, person.userId, "the approval was withdrawn", now);
  const late = notPending(approval, now);
  if (late) return late;
  return {
    next: { ...approval, votes: approval.votes.filter((cast) => cast.userId !== person.userId) },
    entries: [newEntry("approval.withdrawn", approval.approvalId, { by: person.userId })],
    guards: { before: approval.decideBy },
  };
}

/** Time is up. The store's clock has the last word. */
export function applyExpiry(approval: Approval, now: number): Move | Refusal {
  if (stateAt(approval, now) !== "expired" || approval.state === "expired") {
    return refuse("already_resolved", "It is not due.");
  }
  const after = approval.state === "pending" ? approval.decideBy : (approval.claimBy ?? 0);
  return {
    next: { ...approval, state: "expired", resolution: { type: "expired", at: now } },
    entries: [newEntry("approval.resolved", approval.approvalId, { as: "expired", was: approval.state })],
    guards: { after },
  };
}
