import {
  APPROVAL_STATES,
  type Approval,
  type Assurance,
  type Audience,
  type Execution,
  isFinal,
  type Reservation,
  type Resolution,
  type Vote,
} from "./approval.js";
import { shortHash } from "./audit.js";
import { reasonText, type Signal } from "./classify.js";
import type { Json } from "./json.js";
import type { Requirement, Verdict } from "./judge.js";
import { joinKeyOf } from "./keys.js";
import type { StoredRecord } from "./ports.js";
import type { CallRecord } from "./record.js";
import { RISK_TIERS } from "./risk.js";
import { DEFAULT_ROLES } from "./roles.js";

/*
 * How records look in a store. A state row is rewritten at every step and kept for years, so that its size is most of what an
 * approval costs: one letter a field, nothing for what is absent or usual, hashes in base64, times as distances from the request.
 */
interface ApprovalRow {
  readonly s: number; // state
  readonly r?: number; // revision, 1 if absent
  readonly w: string; // workspace
  readonly t: string; // tool
  readonly h: string; // hash of the call
  readonly k: number; // risk tier
  readonly e?: 1; // runs elsewhere
  readonly u: readonly string[]; // requester: user, agent, session, device
  readonly a?: readonly [
    persons: readonly string[],
    roles: readonly string[],
    groups: readonly string[],
    quorum: number,
    notRequester: number,
    assurance?: Assurance,
  ];
  readonly v?: readonly VoteRow[]; // votes
  readonly d?: readonly string[]; // editors
  readonly q: number; // requested at
  readonly b: number; // decide by
  readonly c?: number; // claim by
  readonly p?: number; // epoch
  readonly o?: string; // hash of the confirmation token
  readonly n?: readonly [hash: string, expiresAt: number]; // approval token
  readonly j?: 1 | string; // join key; 1 if it follows from the hash
  readonly i?: string; // idempotency key
  readonly z?: readonly [type: Resolution["type"], at: number, by?: string | null, reason?: string | null, on?: string]; // resolution
  readonly x?: ExecutionRow;
  readonly m?: readonly (readonly [key: string, add: number, until?: number])[]; // reserved
  readonly f?: string; // supersedes
  readonly g?: string; // replaced by
  readonly l?: readonly [to: string, by: string]; // handed over, while it is open
  readonly y?: number; // erased at
}

type VoteRow = readonly [userId: string, at: number, assurance: Vote["assurance"], card?: string];

interface ExecutionRow {
  readonly c: string; // claim id
  readonly i?: string; // instance
  readonly a?: number; // attempt, 1 if absent
  readonly s: number; // started at
  readonly b?: number; // report by
  readonly f?: number; // finished at
  readonly e?: string; // error
  readonly o?: string; // why the result was not kept
  readonly h?: 1; // withheld
  readonly r?: Json; // result
}

export function encodeApproval(approval: Approval): string {
  const { requester, resolution, approvalToken, joinKey } = approval;
  const since = (time: number) => time - approval.requestedAt;
  // Nobody joins or claims an ended record by these any more, and only an expired one is still found by its token.
  const open = !isFinal(approval.state);
  const row: ApprovalRow = {
    s: APPROVAL_STATES.indexOf(approval.state),
    ...(approval.revision > 1 && { r: approval.revision }),
    w: approval.workspaceId,
    t: approval.tool,
    h: shortHash(approval.toolCallHash),
    k: RISK_TIERS.indexOf(approval.riskTier),
    ...(!approval.hosted && { e: 1 }),
    u: [
      requester.userId,
      requester.agentId,
      requester.sessionId,
      ...(requester.deviceId === undefined ? [] : [requester.deviceId]),
    ],
    ...(!isDefault(approval.audience, requester.userId) && { a: encodeAudience(approval.audience) }),
    ...(approval.votes.length > 0 && {
      v: approval.votes.map((vote) => encodeVote(vote, since)),
    }),
    ...(approval.editors.length > 0 && { d: approval.editors }),
    q: approval.requestedAt,
    b: since(approval.decideBy),
    // An expired one keeps it: whether nobody answered or nobody claimed is told apart by it.
    ...((open || approval.state === "expired") && approval.claimBy !== undefined && { c: since(approval.claimBy) }),
    ...(approval.epoch > 0 && { p: approval.epoch }),
    ...((open || approval.state === "expired") && approval.tokenHash !== undefined && { o: approval.tokenHash }),
    ...(open && approvalToken && { n: [approvalToken.hash, since(approvalToken.expiresAt)] as const }),
    ...(open && joinKey !== undefined && { j: approval.revision === 1 ? 1 : joinKey }),
    ...(approval.idempotencyKey !== undefined && { i: approval.idempotencyKey }),
    ...(resolution && { z: encodeResolution(resolution, since) }),
    ...(approval.execution && { x: encodeExecution(approval.execution, since, open) }),
    ...(open && approval.reserved && { m: approval.reserved.map(encodeReservation) }),
    ...(approval.supersedes !== undefined && { f: approval.supersedes }),
    ...(approval.replacedBy !== undefined && { g: approval.replacedBy }),
    ...(open && approval.handedTo && { l: [approval.handedTo.userId, approval.handedTo.by] as const }),
    ...(approval.erasedAt !== undefined && { y: since(approval.erasedAt) }),
  };
  return JSON.stringify(row);
}

export function decodeApproval({ id, version, value }: StoredRecord): Approval {
  const row = JSON.parse(value) as ApprovalRow;
  const at = (distance: number) => row.q + distance;
  const [userId = "", agentId = "", sessionId = "", deviceId] = row.u;
  const toolCallHash = longHash(row.h);
  return {
    approvalId: id,
    version,
    workspaceId: row.w,
    // A state or tier this version does not know is never taken for a harmless one.
    state: APPROVAL_STATES[row.s] ?? "unknown",
    revision: row.r ?? 1,
    tool: row.t,
    toolCallHash,
    riskTier: RISK_TIERS[row.k] ?? "R4",
    hosted: row.e === undefined,
    requester: { userId, agentId, sessionId, ...(deviceId !== undefined && { deviceId }) },
    audience: decodeAudience(row.a, userId),
    votes: (row.v ?? []).map((vote) => decodeVote(vote, at)),
    editors: row.d ?? [],
    requestedAt: row.q,
    decideBy: at(row.b),
    epoch: row.p ?? 0,
    ...(row.c !== undefined && { claimBy: at(row.c) }),
    ...(row.o !== undefined && { tokenHash: row.o }),
    ...(row.n && { approvalToken: { hash: row.n[0], expiresAt: at(row.n[1]) } }),
    ...(row.j !== undefined && { joinKey: row.j === 1 ? joinKeyOf(toolCallHash) : row.j }),
    ...(row.i !== undefined && { idempotencyKey: row.i }),
    ...(row.z && { resolution: decodeResolution(row.z, at) }),
    ...(row.x && { execution: decodeExecution(row.x, at) }),
    ...(row.m && {
      reserved: row.m.map(([key, add, until]) => ({ key, add, ...(until !== undefined && { until }) })),
    }),
    ...(row.f !== undefined && { supersedes: row.f }),
    ...(row.g !== undefined && { replacedBy: row.g }),
    ...(row.l && { handedTo: { userId: row.l[0], by: row.l[1] } }),
    ...(row.y !== undefined && { erasedAt: at(row.y) }),
  };
}

function encodeReservation({ key, add, until }: Reservation): readonly [key: string, add: number, until?: number] {
  return until === undefined ? [key, add] : [key, add, until];
}

type Since = (time: number) => number;

function encodeVote({ userId, at, assurance, cardHash }: Vote, since: Since): VoteRow {
  return cardHash === undefined ? [userId, since(at), assurance] : [userId, since(at), assurance, shortHash(cardHash)];
}

function decodeVote([userId, distance, assurance, card]: VoteRow, at: Since): Vote {
  return { userId, at: at(distance), assurance, ...(card !== undefined && { cardHash: longHash(card) }) };
}

function encodeResolution({ type, at, by, surface, reason }: Resolution, since: Since): NonNullable<ApprovalRow["z"]> {
  if (surface !== undefined) return [type, since(at), by ?? null, reason ?? null, surface];
  if (reason !== undefined) return [type, since(at), by ?? null, reason];
  return by === undefined ? [type, since(at)] : [type, since(at), by];
}

function decodeResolution(row: NonNullable<ApprovalRow["z"]>, at: Since): Resolution {
  const [type, distance, by, reason, surface] = row;
  return {
    type,
    at: at(distance),
    ...(typeof by === "string" && { by }),
    ...(surface !== undefined && { surface }),
    ...(typeof reason === "string" && { reason }),
  };
}

function encodeExecution(execution: Execution, since: Since, open: boolean): ExecutionRow {
  const { claimId, instance, attempt, startedAt, reportBy, finishedAt, error, resultOmitted, withheld, result } =
    execution;
  return {
    c: claimId,
    ...(open && { i: instance }),
    ...(attempt > 1 && { a: attempt }),
    s: since(startedAt),
    ...(reportBy !== undefined && { b: since(reportBy) }),
    ...(finishedAt !== undefined && { f: since(finishedAt) }),
    ...(error !== undefined && { e: error }),
    ...(resultOmitted !== undefined && { o: resultOmitted }),
    ...(withheld && { h: 1 }),
    ...(result !== undefined && { r: result }),
  };
}

function decodeExecution(row: ExecutionRow, at: Since): Execution {
  return {
    claimId: row.c,
    instance: row.i ?? "",
    attempt: row.a ?? 1,
    startedAt: at(row.s),
    ...(row.b !== undefined && { reportBy: at(row.b) }),
    ...(row.f !== undefined && { finishedAt: at(row.f) }),
    ...(row.e !== undefined && { error: row.e }),
    ...(row.o !== undefined && { resultOmitted: row.o }),
    ...(row.h && { withheld: true }),
    ...(row.r !== undefined && { result: row.r }),
  };
}

function longHash(short: string): string {
  return Buffer.from(short, "base64url").toString("hex");
}

/** The usual audience: the requester, the owners and the approvers, any one of them. */
function isDefault(audience: Audience, userId: string): boolean {
  const { persons, roles, groups, quorum, notRequester, assurance } = audience;
  return (
    quorum === 1 &&
    !notRequester &&
    assurance === undefined &&
    groups.length === 0 &&
    roles === DEFAULT_ROLES &&
    persons.length === 1 &&
    persons[0] === userId
  );
}

function encodeAudience(audience: Audience): NonNullable<ApprovalRow["a"]> {
  const { persons, roles, groups, quorum, notRequester, assurance } = audience;
  const row = [persons, roles, groups, quorum, notRequester ? 1 : 0] as const;
  return assurance === undefined ? row : [...row, assurance];
}

function decodeAudience(row: ApprovalRow["a"], userId: string): Audience {
  if (row === undefined) return { persons: [userId], roles: DEFAULT_ROLES, groups: [], quorum: 1, notRequester: false };
  const [persons, roles, groups, quorum, notRequester, assurance] = row;
  const asked = { persons, roles, groups, quorum, notRequester: notRequester === 1 };
  return assurance === undefined ? asked : { ...asked, assurance };
}

type SignalRow = readonly [
  source: Signal["source"],
  code: string,
  tier: number,
  fragment?: string | null,
  text?: string,
];
type VerdictRow = readonly [
  type: Verdict["type"],
  step: Verdict["step"],
  rules?: readonly string[],
  reason?: string | null,
  requirement?: Requirement,
];
type CallRow = readonly [
  reasons: readonly SignalRow[],
  verdict: VerdictRow,
  rest?: Omit<CallRecord, "canonical" | "reasons" | "verdict">,
];

/** The canonical text stands first and unescaped, so that its bytes are the ones that were hashed. */
export function encodeCall({ canonical, reasons, verdict, ...rest }: CallRecord): string {
  const { type, step, rules, reason, requirement } = verdict;
  const judged: VerdictRow = requirement
    ? [type, step, rules, reason ?? null, requirement]
    : reason !== undefined
      ? [type, step, rules, reason]
      : rules.length > 0
        ? [type, step, rules]
        : [type, step];
  const row: CallRow =
    Object.keys(rest).length === 0 ? [reasons.map(encodeSignal), judged] : [reasons.map(encodeSignal), judged, rest];
  return `${canonical}\n${JSON.stringify(row)}`;
}

export function decodeCall({ value }: StoredRecord): CallRecord {
  const end = value.indexOf("\n");
  const [reasons, [type, step, rules = [], reason, requirement], rest] = JSON.parse(value.slice(end + 1)) as CallRow;
  const verdict = {
    type,
    step,
    rules,
    ...(typeof reason === "string" && { reason }),
    ...(requirement && { requirement }),
  };
  return { canonical: value.slice(0, end), reasons: reasons.map(decodeSignal), verdict, ...rest };
}

/** A sentence that its code and fragment say already is not kept again. */
function encodeSignal(signal: Signal): SignalRow {
  const { source, code, riskTier, fragment, text } = signal;
  const tier = RISK_TIERS.indexOf(riskTier);
  if (reasonText(signal) !== text) return [source, code, tier, fragment ?? null, text];
  return fragment === undefined ? [source, code, tier] : [source, code, tier, fragment];
}

function decodeSignal([source, code, tier, fragment, text]: SignalRow): Signal {
  const signal = {
    source,
    code,
    riskTier: RISK_TIERS[tier] ?? "R4",
    ...(typeof fragment === "string" && { fragment }),
  };
  return { ...signal, text: text ?? reasonText(signal) ?? code };
}
