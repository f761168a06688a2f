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
import { inOnePiece, type Json, quoted } from "./json.js";
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
  readonly r?: number | undefined; // revision, 1 if absent
  readonly w: string; // workspace
  readonly t: string; // tool
  readonly h: string; // hash of the call
  readonly k: number; // risk tier
  readonly e?: 1 | undefined; // runs elsewhere
  readonly u: readonly string[]; // requester: user, agent, session, device
  readonly a?:
    | readonly [
        persons: readonly string[],
        roles: readonly string[],
        groups: readonly string[],
        quorum: number,
        notRequester: number,
        assurance?: Assurance,
      ]
    | undefined;
  readonly v?: readonly VoteRow[] | undefined; // votes
  readonly d?: readonly string[] | undefined; // editors
  readonly q: number; // requested at
  readonly b: number; // decide by
  readonly c?: number | undefined; // claim by
  readonly p?: number | undefined; // epoch
  readonly o?: string | undefined; // hash of the confirmation token
  readonly n?: readonly [hash: string, expiresAt: number] | undefined; // approval token
  readonly j?: 1 | string | undefined; // join key; 1 if it follows from the hash
  readonly i?: string | undefined; // idempotency key
  readonly z?: ResolutionRow | undefined;
  readonly x?: ExecutionRow | undefined;
  readonly m?: readonly (readonly [key: string, add: number, until?: number])[] | undefined; // reserved
  readonly f?: string | undefined; // supersedes
  readonly g?: string | undefined; // replaced by
  readonly l?: readonly [to: string, by: string] | undefined; // handed over, while it is open
  readonly y?: number | undefined; // erased at
}

type ResolutionRow = readonly [
  type: Resolution["type"],
  at: number,
  by?: string | null,
  reason?: string | null,
  on?: string,
];

type VoteRow = readonly [userId: string, at: number, assurance: Vote["assurance"], card?: string];

interface ExecutionRow {
  readonly c: string; // claim id
  readonly i?: string | undefined; // instance
  readonly a?: number | undefined; // attempt, 1 if absent
  readonly s: number; // started at
  readonly b?: number | undefined; // report by
  readonly f?: number | undefined; // finished at
  readonly e?: string | undefined; // error
  readonly o?: string | undefined; // why the result was not kept
  readonly h?: 1 | undefined; // withheld
  readonly r?: Json | undefined; // result
}

/**
 * The text of an `ApprovalRow`, with its fields in that order. Written piece by piece, because every step writes one: to make the
 * row and have it read by `JSON.stringify` takes three times as long.
 */
export function encodeApproval(approval: Approval): string {
  const { requester, audience, votes, editors, claimBy, tokenHash, approvalToken, joinKey, resolution, execution } =
    approval;
  const since = (time: number) => time - approval.requestedAt;
  // Nobody joins or claims an ended record by these any more, and only an expired one is still found by its token.
  const open = !isFinal(approval.state);
  const found = open || approval.state === "expired";
  let text = `{"s":${APPROVAL_STATES.indexOf(approval.state)}`;
  if (approval.revision > 1) text += `,"r":${approval.revision}`;
  text += `,"w":${quoted(approval.workspaceId)},"t":${quoted(approval.tool)},"h":"${shortHash(approval.toolCallHash)}"`;
  text += `,"k":${RISK_TIERS.indexOf(approval.riskTier)}`;
  if (!approval.hosted) text += ',"e":1';
  text += `,"u":[${quoted(requester.userId)},${quoted(requester.agentId)},${quoted(requester.sessionId)}`;
  text += requester.deviceId === undefined ? "]" : `,${quoted(requester.deviceId)}]`;
  if (!isDefault(audience, requester.userId)) text += `,"a":${JSON.stringify(encodeAudience(audience))}`;
  if (votes.length > 0) text += `,"v":[${votes.map((vote) => encodeVote(vote, since)).join()}]`;
  if (editors.length > 0) text += `,"d":${JSON.stringify(editors)}`;
  text += `,"q":${approval.requestedAt},"b":${since(approval.decideBy)}`;
  // An expired one keeps it: whether nobody answered or nobody claimed is told apart by it.
  if (found && claimBy !== undefined) text += `,"c":${since(claimBy)}`;
  if (approval.epoch > 0) text += `,"p":${approval.epoch}`;
  if (found && tokenHash !== undefined) text += `,"o":${quoted(tokenHash)}`;
  if (open && approvalToken) text += `,"n":[${quoted(approvalToken.hash)},${since(approvalToken.expiresAt)}]`;
  if (open && joinKey !== undefined) text += `,"j":${approval.revision === 1 ? 1 : quoted(joinKey)}`;
  if (approval.idempotencyKey !== undefined) text += `,"i":${quoted(approval.idempotencyKey)}`;
  if (resolution) text += `,"z":${encodeResolution(resolution, since)}`;
  if (execution) text += `,"x":${encodeExecution(execution, since, open)}`;
  if (open && approval.reserved) text += `,"m":${JSON.stringify(approval.reserved.map(encodeReservation))}`;
  if (approval.supersedes !== undefined) text += `,"f":${quoted(approval.supersedes)}`;
  if (approval.replacedBy !== undefined) text += `,"g":${quoted(approval.replacedBy)}`;
  if (open && approval.handedTo) text += `,"l":${JSON.stringify([approval.handedTo.userId, approval.handedTo.by])}`;
  if (approval.erasedAt !== undefined) text += `,"y":${since(approval.erasedAt)}`;
  return inOnePiece(`${text}}`);
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
    requester: deviceId === undefined ? { userId, agentId, sessionId } : { userId, agentId, sessionId, deviceId },
    audience: decodeAudience(row.a, userId),
    votes: row.v === undefined ? [] : row.v.map((vote) => decodeVote(vote, at)),
    editors: row.d ?? [],
    requestedAt: row.q,
    decideBy: at(row.b),
    claimBy: row.c === undefined ? undefined : at(row.c),
    epoch: row.p ?? 0,
    tokenHash: row.o,
    approvalToken: row.n && { hash: row.n[0], expiresAt: at(row.n[1]) },
    joinKey: row.j === 1 ? joinKeyOf(toolCallHash) : row.j,
    idempotencyKey: row.i,
    resolution: row.z && decodeResolution(row.z, at),
    execution: row.x && decodeExecution(row.x, at),
    reserved: row.m?.map(([key, add, until]) => (until === undefined ? { key, add } : { key, add, until })),
    supersedes: row.f,
    replacedBy: row.g,
    handedTo: row.l && { userId: row.l[0], by: row.l[1] },
    erasedAt: row.y === undefined ? undefined : at(row.y),
  };
}

function encodeReservation({ key, add, until }: Reservation): readonly [key: string, add: number, until?: number] {
  return until === undefined ? [key, add] : [key, add, until];
}

type Since = (time: number) => number;

/** Text of a `VoteRow`. */
function encodeVote({ userId, at, assurance, cardHash }: Vote, since: Since): string {
  const card = cardHash === undefined ? "" : `,"${shortHash(cardHash)}"`;
  return `[${quoted(userId)},${since(at)},${quoted(assurance)}${card}]`;
}

function decodeVote([userId, distance, assurance, card]: VoteRow, at: Since): Vote {
  return { userId, at: at(distance), assurance, ...(card !== undefined && { cardHash: longHash(card) }) };
}

/** Text of a `ResolutionRow`. */
function encodeResolution({ type, at, by, surface, reason }: Resolution, since: Since): string {
  const rest = surface !== undefined ? [by, reason, surface] : reason !== undefined ? [by, reason] : by && [by];
  const more = rest ? rest.map((each) => (each === undefined ? ",null" : `,${quoted(each)}`)).join("") : "";
  return `[${quoted(type)},${since(at)}${more}]`;
}

function decodeResolution(row: ResolutionRow, at: Since): Resolution {
  const [type, distance, by, reason, surface] = row;
  return {
    type,
    at: at(distance),
    ...(typeof by === "string" && { by }),
    ...(surface !== undefined && { surface }),
    ...(typeof reason === "string" && { reason }),
  };
}

/** Text of an `ExecutionRow`. */
function encodeExecution(execution: Execution, since: Since, open: boolean): string {
  const { reportBy, finishedAt, error, resultOmitted, result } = execution;
  let text = `{"c":${quoted(execution.claimId)}`;
  if (open) text += `,"i":${quoted(execution.instance)}`;
  if (execution.attempt > 1) text += `,"a":${execution.attempt}`;
  text += `,"s":${since(execution.startedAt)}`;
  if (reportBy !== undefined) text += `,"b":${since(reportBy)}`;
  if (finishedAt !== undefined) text += `,"f":${since(finishedAt)}`;
  if (error !== undefined) text += `,"e":${quoted(error)}`;
  if (resultOmitted !== undefined) text += `,"o":${quoted(resultOmitted)}`;
  if (execution.withheld) text += ',"h":1';
  if (result !== undefined) text += `,"r":${JSON.stringify(result)}`;
  return `${text}}`;
}

function decodeExecution(row: ExecutionRow, at: Since): Execution {
  return {
    claimId: row.c,
    instance: row.i ?? "",
    attempt: row.a ?? 1,
    startedAt: at(row.s),
    reportBy: row.b === undefined ? undefined : at(row.b),
    finishedAt: row.f === undefined ? undefined : at(row.f),
    result: row.r,
    withheld: row.h === undefined ? undefined : true,
    resultOmitted: row.o,
    error: row.e,
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
  return assurance === undefined ? asked : { assurance, ...asked };
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
  rest?: Omit<CallRecord, "canonical" | "bound" | "reasons" | "verdict">,
];

/** The canonical text stands first and unescaped, so that its bytes are the ones that were hashed. */
export function encodeCall({ canonical, bound: _bound, reasons, verdict, ...rest }: CallRecord): string {
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
  const canonical = value.slice(0, end);
  const verdict: Verdict = {
    type,
    step,
    rules,
    ...(typeof reason === "string" && { reason }),
    ...(requirement && { requirement }),
  };
  return { canonical, reasons: reasons.map(decodeSignal), verdict, ...rest };
}

/** A sentence that its code and fragment say already is not kept again. */
function encodeSignal(signal: Signal): SignalRow {
  const { source, code, riskTier, fragment, text } = signal;
  const tier = RISK_TIERS.indexOf(riskTier);
  if (reasonText(signal) !== text) return [source, code, tier, fragment ?? null, text];
  return fragment === undefined ? [source, code, tier] : [source, code, tier, fragment];
}

function decodeSignal([source, code, tier, fragment, text]: SignalRow): Signal {
  const riskTier = RISK_TIERS[tier] ?? "R4";
  const known = typeof fragment === "string" ? { source, code, riskTier, fragment } : { source, code, riskTier };
  return { text: text ?? reasonText(known) ?? code, ...known };
}
