import type { Refusal } from "./errors.js";
import { refuse } from "./errors.js";
import type { Json, JsonObject } from "./json.js";
import { atLeast, type RiskTier } from "./risk.js";
import { DEFAULT_ROLES } from "./roles.js";
import { tokenIndex } from "./token.js";

/*
 * The states of a call that has a record:
 *
 *   pending ──► approved ──► executing ──► succeeded | failed
 *      │            │             └──────► unknown ──► succeeded | failed
 *      │            └──► expired | cancelled            (while unclaimed)
 *      └──► denied | expired | cancelled
 *
 * An allowed write has the same record, born executing. Every arrow is one commit with its audit entry.
 */
export const APPROVAL_STATES = [
  "pending",
  "approved",
  "executing",
  "succeeded",
  "failed",
  "unknown",
  "denied",
  "expired",
  "cancelled",
] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

const NEXT: Readonly<Record<ApprovalState, readonly ApprovalState[]>> = {
  pending: ["pending", "approved", "denied", "expired", "cancelled"],
  approved: ["approved", "executing", "expired", "cancelled"],
  executing: ["executing", "succeeded", "failed", "unknown"],
  unknown: ["executing", "succeeded", "failed"],
  succeeded: [],
  failed: [],
  denied: [],
  expired: [],
  cancelled: [],
};

/** Who may answer, fixed when the call is held. */
export interface Audience {
  readonly persons: readonly string[];
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  /** How many different persons must approve. */
  readonly quorum: number;
  /** Bars the person the call is made for, and whoever edited it. */
  readonly notRequester: boolean;
  /** What a yes has to prove at least. A no needs nothing. */
  readonly assurance?: Assurance;
}

/** How sure it is that this person answered, weakest first. In a chat `card` names the very card, by its button or number. */
const ASSURANCES = ["host", "client", "channel", "card", "link", "session", "passkey", "passkey_over_hash"] as const;
export type Assurance = (typeof ASSURANCES)[number];

/** The stronger of two; a word that is none counts as the strongest, so that it asks for more, never for less. */
export function strongerAssurance(a: Assurance, b: Assurance): Assurance {
  return rankOf(a) >= rankOf(b) ? a : b;
}

function rankOf(assurance: Assurance): number {
  const rank = ASSURANCES.indexOf(assurance);
  return rank === -1 ? ASSURANCES.length : rank;
}

export interface Vote {
  readonly userId: string;
  readonly at: number;
  readonly assurance: Assurance;
  /** Hash of the card this person was shown, where the surface named it. */
  readonly cardHash?: string;
}

export interface Resolution {
  readonly type: "approved" | "denied" | "expired" | "cancelled";
  readonly at: number;
  /** The person; absent when time or the system ended it. */
  readonly by?: string;
  /** Where the person answered: `web`, `cli` or a chat channel's name; absent when the host vouched for them. */
  readonly surface?: string;
  readonly reason?: string;
}

export interface Execution {
  /** Fences the run: only its holder may tell how it ended. */
  readonly claimId: string;
  readonly instance: string;
  readonly attempt: number;
  readonly startedAt: number;
  /** For calls that run elsewhere: without a receipt by then the outcome is unknown. */
  readonly reportBy?: number | undefined;
  readonly finishedAt?: number | undefined;
  readonly result?: Json | undefined;
  /** Larger than it was said to be: kept, and not handed over until a person releases it. */
  readonly withheld?: boolean | undefined;
  /** The result was too large or not JSON: it was handed over but not kept. */
  readonly resultOmitted?: string | undefined;
  readonly error?: string | undefined;
}

/** What a call has taken from a counter. */
export interface Reservation {
  readonly key: string;
  readonly add: number;
  readonly until?: number;
}

/**
 * The small row that changes. Everything that does not change stands in the call row beside it. In memory each has all of its
 * fields in one order, if only as undefined: every step copies it, and objects of one form are copied many times faster.
 */
export interface Approval {
  readonly approvalId: string;
  readonly workspaceId: string;
  /** The stored version this state was read at; whoever replaces another one is refused. */
  readonly version: number;
  readonly state: ApprovalState;
  /** Raised by every edit; votes count for one revision only. */
  readonly revision: number;
  readonly tool: string;
  readonly toolCallHash: string;
  readonly riskTier: RiskTier;
  /** Whether a gate runs it, or the agent that asked. */
  readonly hosted: boolean;
  readonly requester: {
    readonly userId: string;
    readonly agentId: string;
    readonly sessionId: string;
    readonly deviceId?: string;
  };
  readonly audience: Audience;
  readonly votes: readonly Vote[];
  /** Persons who changed the arguments: they count as requesters. */
  readonly editors: readonly string[];
  readonly requestedAt: number;
  readonly decideBy: number;
  readonly claimBy?: number | undefined;
  /** The workspace's epoch under which it was judged. */
  readonly epoch: number;
  readonly tokenHash?: string | undefined;
  readonly approvalToken?: { readonly hash: string; readonly expiresAt: number } | undefined;
  /** Keys this record holds against a second question for the same call. */
  readonly joinKey?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly resolution?: Resolution | undefined;
  readonly execution?: Execution | undefined;
  /** Taken from grants and budgets for this call; given back when it ends without having succeeded. */
  readonly reserved?: readonly Reservation[] | undefined;
  readonly supersedes?: string | undefined;
  readonly replacedBy?: string | undefined;
  /** Whose answer is waited for first, and who said so. Everybody of the audience may still answer. */
  readonly handedTo?: { readonly userId: string; readonly by: string } | undefined;
  /** When its content was erased: what was asked is gone, how it ended stays. */
  readonly erasedAt?: number | undefined;
}

/** The same at another version. Written out, because copies of copies lose their one form. */
export function atVersion(approval: Approval, version: number): Approval {
  const all: { readonly [field in keyof Required<Approval>]: Approval[field] } = {
    approvalId: approval.approvalId,
    version,
    workspaceId: approval.workspaceId,
    state: approval.state,
    revision: approval.revision,
    tool: approval.tool,
    toolCallHash: approval.toolCallHash,
    riskTier: approval.riskTier,
    hosted: approval.hosted,
    requester: approval.requester,
    audience: approval.audience,
    votes: approval.votes,
    editors: approval.editors,
    requestedAt: approval.requestedAt,
    decideBy: approval.decideBy,
    claimBy: approval.claimBy,
    epoch: approval.epoch,
    tokenHash: approval.tokenHash,
    approvalToken: approval.approvalToken,
    joinKey: approval.joinKey,
    idempotencyKey: approval.idempotencyKey,
    resolution: approval.resolution,
    execution: approval.execution,
    reserved: approval.reserved,
    supersedes: approval.supersedes,
    replacedBy: approval.replacedBy,
    handedTo: approval.handedTo,
    erasedAt: approval.erasedAt,
  };
  return all;
}

/** A person, made only by server authentication, channel verification or, in library use, the host. */
export interface Person {
  readonly kind: "person";
  readonly userId: string;
  readonly workspaceId: string;
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly assurance?: Assurance;
  /** The signed-in session the person acts from, where a server vouches for one. */
  readonly sessionId?: string;
  /** Where the person answers from: `web`, `cli` or a chat channel's name. Told to those whose answer comes later. */
  readonly surface?: string;
  /** What proves this very answer, such as a passkey's signature over the call's hash. Kept with the decision. */
  readonly proof?: JsonObject;
  /** Up to which tier a yes reaches from where the person answers, and what they are told above it. */
  readonly reach?: { readonly upTo: RiskTier; readonly otherwise: string };
}

export function isFinal(state: ApprovalState): boolean {
  return NEXT[state].length === 0;
}

export function mayBecome(from: ApprovalState, to: ApprovalState): boolean {
  return NEXT[from].includes(to);
}

/** Whether this person may see the approval and answer no to it. */
export function checkAudience(
  approval: Pick<Approval, "workspaceId" | "audience">,
  person: Person,
): Refusal | undefined {
  if (person?.kind !== "person" || typeof person.userId !== "string" || person.userId === "") {
    return refuse("user_mismatch", "Only a person can decide; agents and keys cannot.");
  }
  if (person.workspaceId !== approval.workspaceId) {
    return refuse("family_mismatch", "This approval belongs to another workspace.");
  }
  const { persons, roles, groups } = approval.audience;
  const belongs =
    persons.includes(person.userId) ||
    (person.roles ?? []).some((role) => roles.includes(role)) ||
    (person.groups ?? []).some((group) => groups.includes(group));
  return belongs ? undefined : refuse("user_mismatch", "This approval is for other people of the workspace.");
}

/** Whether this person's yes counts. */
export function mayApprove(approval: Approval, person: Person): Refusal | undefined {
  const stranger = checkAudience(approval, person);
  if (stranger) return stranger;
  if (person.reach !== undefined && !atLeast(person.reach.upTo, approval.riskTier))
    return refuse("step_up_required", person.reach.otherwise);
  const { assurance: required } = approval.audience;
  const proven = person.assurance ?? "host";
  if (required !== undefined && (rankOf(proven) < rankOf(required) || !ASSURANCES.includes(proven))) {
    return refuse("step_up_required", `A yes to this needs stronger proof that it is you: ${required}.`);
  }
  const barred = approval.audience.notRequester && isRequester(approval, person.userId);
  return barred
    ? refuse("self_approval", "Somebody other than the requester and the editor has to approve this.")
    : undefined;
}

function isRequester(approval: Approval, userId: string): boolean {
  return approval.requester.userId === userId || approval.editors.includes(userId);
}

/** The state a past due time has already made of it, before any sweep has written it down. */
export function stateAt(approval: Approval, now: number): ApprovalState {
  if (approval.state === "pending" && now >= approval.decideBy) return "expired";
  if (approval.state === "approved" && now >= (approval.claimBy ?? 0)) return "expired";
  return approval.state;
}

/** Keys under which lists find the record in its state: open questions by audience, the rest by requester. */
export function indexesOf(approval: Approval): string[] {
  const { workspaceId: ws, audience, requester, tokenHash } = approval;
  const keys: string[] = [];
  if (approval.state === "pending") {
    for (const userId of audience.persons) keys.push(personIndex(ws, userId));
    keys.push(...roleIndexes(ws, audience.roles));
    for (const group of audience.groups) keys.push(groupIndex(ws, group));
  } else {
    if (approval.state === "approved") keys.push(APPROVED_INDEX);
    else if (approval.state === "executing") keys.push(instanceIndex(approval.execution?.instance ?? ""));
    else if (approval.execution?.withheld) keys.push(withheldIndex(ws));
    else if (approval.state === "unknown") keys.push(unknownIndex(ws));
    keys.push(historyIndex(ws, requester.userId));
  }
  if (tokenHash !== undefined && isFound(approval.state)) keys.push(tokenIndex(tokenHash));
  return keys;
}

/** By its token: while it is open, and when it expired, so that a late answer learns that it is late. */
function isFound(state: ApprovalState): boolean {
  return !isFinal(state) || state === "expired";
}

export const APPROVED_INDEX = "approved";
export const personIndex = (ws: string, userId: string): string => `p/${ws}/u/${userId}`;
/** The two default roles share a key: nearly every question is listed for both. */
export function roleIndexes(ws: string, roles: readonly string[]): string[] {
  const keys: string[] = [];
  for (const role of roles) {
    const key = `p/${ws}/r/${DEFAULT_ROLES.includes(role) ? ALL_DEFAULT_ROLES : role}`;
    if (!keys.includes(key)) keys.push(key);
  }
  return keys;
}
const ALL_DEFAULT_ROLES = DEFAULT_ROLES.join("+");
export const groupIndex = (ws: string, group: string): string => `p/${ws}/g/${group}`;
export const historyIndex = (ws: string, userId: string): string => `h/${ws}/${userId}`;
export const unknownIndex = (ws: string): string => `unknown/${ws}`;
export const withheldIndex = (ws: string): string => `withheld/${ws}`;
export const instanceIndex = (instance: string): string => `x/${instance}`;

/** When the sweep has to look at the record again. */
export function dueOf(approval: Approval): number | undefined {
  if (approval.state === "pending") return approval.decideBy;
  if (approval.state === "approved") return approval.claimBy;
  return approval.state === "executing" ? approval.execution?.reportBy : undefined;
}
