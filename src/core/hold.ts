import { type Approval, type Assurance, type Audience, atVersion, stateAt, strongerAssurance } from "./approval.js";
import type { Assessment } from "./assess.js";
import { newEntry, shortHash } from "./audit.js";
import type { Caller, CanonicalCall, ToolCall } from "./call.js";
import type { Classification } from "./classify.js";
import { applyExpiry } from "./decide.js";
import { type Engine, loadApproval, loadCall, noteEpoch, transition } from "./engine.js";
import { CountersignError, errorOf, refuse } from "./errors.js";
import { newId, sha256Hex } from "./ids.js";
import { type JsonObject, toPlainJson } from "./json.js";
import type { Requirement, Verdict } from "./judge.js";
import { idempotencyKeyOf, joinKeyOf } from "./keys.js";
import type { Change } from "./ports.js";
import { type CallRecord, createChange, type Move, pendingKey } from "./record.js";
import { DEFAULT_ROLES } from "./roles.js";
import type { Soon } from "./soon.js";
import { timeToDecide } from "./time-to-decide.js";
import { hashToken, newConfirmationToken } from "./token.js";
import type { AnyTool, Preview } from "./tool.js";

/** A call on its way through the gate, with all that was found out about it. */
export interface Asked {
  readonly call: ToolCall;
  readonly caller: Caller;
  readonly tool: AnyTool;
  readonly canonical: CanonicalCall;
  readonly classification: Classification;
  readonly verdict: Verdict;
  readonly epoch: number;
  readonly times: Assessment["times"];
  readonly policy?: string;
  readonly preview?: Preview;
  /** When it puts a question again that people had edited. */
  readonly edited?: EditedBefore;
}

/** What people made of the question before: they still count as requesters, and the agent still has to be told. */
interface EditedBefore {
  readonly editors: readonly string[];
  readonly proposed: JsonObject;
}

/** What a new record came to: its own, or the one an identical call already has. */
export interface Held {
  readonly approval: Approval;
  readonly joined: boolean;
  /** The call row as just written. */
  readonly call?: CallRecord;
  /** Known only to whoever created the record; the store keeps its hash. */
  readonly confirmationToken?: string;
}

/** By default the person the call is made for decides, and so may the workspace's owners and approvers. */
export function audienceOf(caller: Caller, requirements: readonly (Requirement | undefined)[]): Audience {
  const audience = {
    persons: [caller.userId],
    roles: DEFAULT_ROLES,
    groups: [] as readonly string[],
    quorum: 1,
    notRequester: false,
  };
  let assurance: Assurance = "host";
  for (const required of requirements) {
    if (required === undefined) continue;
    const named = required.persons ?? required.roles ?? required.groups;
    if (named !== undefined) {
      audience.persons = [...(required.persons ?? [])];
      audience.roles = [...(required.roles ?? [])];
      audience.groups = [...(required.groups ?? [])];
    }
    audience.quorum = Math.max(audience.quorum, quorumOf(required));
    audience.notRequester ||= required.notRequester ?? false;
    assurance = strongerAssurance(assurance, required.assurance ?? "host");
  }
  return assurance === "host" ? audience : { assurance, ...audience };
}

/** Who may look at a call that needed no answer, and settle it when nobody can tell how it ended. */
export function overseersOf(engine: Engine, { call, caller }: Asked): Audience {
  return { ...audienceOf(caller, [engine.audience?.(call, caller)]), quorum: 0 };
}

/** More than anybody can bring together: a number that is none must not turn into "one will do". */
const UNREACHABLE = Number.MAX_SAFE_INTEGER;

function quorumOf({ quorum = 1 }: Requirement): number {
  return Number.isSafeInteger(quorum) ? quorum : UNREACHABLE;
}

/** Stores the approval durably. Nobody is told before that; nobody to ask means that it is refused. */
export async function hold(engine: Engine, asked: Asked): Promise<Held> {
  const { move, confirmationToken } = await question(engine, asked);
  const held = await tryCreate(engine, move, asked);
  if (isOutdated(held)) throw rulesChanged();
  return held.joined ? held : { confirmationToken, ...held };
}

/** A new approval as it would be stored: its audience and its time to decide are fixed here. */
export async function question(
  engine: Engine,
  asked: Asked,
): Promise<{ readonly move: Move; readonly confirmationToken: string }> {
  const { caller, tool, call, verdict } = asked;
  const { supersedes } = call;
  const audience = audienceOf(caller, [engine.audience?.(call, caller), verdict.requirement]);
  const somebody = someoneToAsk(engine, asked, audience);
  if (!(somebody instanceof Promise ? await somebody : somebody)) {
    throw new CountersignError("no_approver", "NO_APPROVER: nobody may answer this, so it is refused.");
  }
  const now = engine.store.time();
  const confirmationToken = newConfirmationToken();
  const draft = newRecord(asked, "pending", now, audience);
  const ttl = timeToDecide(engine.online === undefined || (await engine.online(draft)), {
    person: asked.times,
    tool,
    rule: verdict.requirement?.ttl,
    call: call.stricter?.ttl,
    usual: engine.defaultTimes(),
  });
  const next: Approval = {
    ...draft,
    decideBy: now + ttl,
    tokenHash: hashToken(confirmationToken),
    supersedes,
    joinKey: call.idempotencyKey === undefined || call.join ? joinKeyOf(asked.canonical.hash) : undefined,
  };
  const created = newEntry("approval.created", next.approvalId, {
    tool: next.tool,
    hash: shortHash(next.toolCallHash),
    tier: next.riskTier,
    for: caller.userId,
    agent: caller.agentId,
    session: caller.sessionId,
    rules: verdict.rules.length === 0 ? undefined : [...verdict.rules],
    policy: asked.policy,
    ttl,
    supersedes,
  });
  return { move: { next, call: callRecord(asked), entries: [created] }, confirmationToken };
}

function someoneToAsk(engine: Engine, { caller, edited }: Asked, audience: Audience): Soon<boolean> {
  const barred = audience.notRequester ? [caller.userId, ...(edited?.editors ?? [])] : [];
  if (audience.persons.length + audience.roles.length + audience.groups.length === 0) return false;
  if (audience.quorum === UNREACHABLE) return false;
  if (engine.people !== undefined) return engine.people.reachable(caller.workspaceId, { barred, ...audience });
  return (
    audience.roles.length + audience.groups.length > 0 ||
    audience.persons.filter((person) => !barred.includes(person)).length >= audience.quorum
  );
}

/** A record in the given first state; held calls start pending, allowed ones go straight to work. */
export function newRecord(asked: Asked, state: Approval["state"], now: number, audience: Audience): Approval {
  const { caller, tool, canonical, classification, call } = asked;
  return {
    approvalId: newId(),
    version: 0,
    workspaceId: caller.workspaceId,
    state,
    revision: 1,
    tool: tool.name,
    toolCallHash: canonical.hash,
    riskTier: classification.riskTier,
    hosted: tool.execute !== undefined,
    requester: requesterOf(caller),
    audience,
    votes: [],
    editors: asked.edited?.editors ?? [],
    requestedAt: now,
    decideBy: now,
    claimBy: undefined,
    epoch: asked.epoch,
    tokenHash: undefined,
    approvalToken: undefined,
    joinKey: undefined,
    idempotencyKey:
      call.idempotencyKey === undefined
        ? undefined
        : idempotencyKeyOf(caller.workspaceId, caller.agentId, call.idempotencyKey),
    resolution: undefined,
    execution: undefined,
    reserved: undefined,
    supersedes: undefined,
    replacedBy: undefined,
    handedTo: undefined,
    erasedAt: undefined,
  };
}

function requesterOf({ userId, agentId, sessionId, deviceId }: Caller): Approval["requester"] {
  return deviceId === undefined ? { userId, agentId, sessionId } : { userId, agentId, sessionId, deviceId };
}

/** What a call was let through on is not there any more: it has to be judged again. */
export interface Outdated {
  /** The counter that is full; absent when time or the rules moved. */
  readonly outdated: string | undefined;
}

export function isOutdated(value: object): value is Outdated {
  return Object.hasOwn(value, "outdated");
}

export function rulesChanged(): CountersignError {
  return errorOf(refuse("policy_changed", "The rules changed at this moment. Nothing was started; try again."));
}

/** The change that stores a new record under the limits of this gate. */
export function creation(engine: Engine, move: Move, maxPending = engine.limits.pendingPerUser): Change {
  return createChange(move, {
    maxPending: Math.min(maxPending, engine.limits.pendingPerUser),
    idempotencyUntil: engine.store.time() + engine.limits.idempotency,
  });
}

/** Each round means that the holder of the key went away in between; more than a few and its record is gone for good. */
const MAX_JOINS = 5;

/** Commits a new record, or joins the one that holds its key. */
export async function tryCreate(engine: Engine, move: Move, asked: Asked): Promise<Held | Outdated> {
  for (let round = 0; round < MAX_JOINS; round++) {
    const applied = await engine.grouper.commit(creation(engine, move, asked.call.stricter?.pendingPerUser));
    noteEpoch(engine, move.next.workspaceId, applied.epoch);
    if (applied.ok) {
      const approval = atVersion(move.next, 1);
      engine.waiters.changed(approval, move.call);
      return { approval, joined: false, ...(move.call === undefined ? {} : { call: move.call }) };
    }
    if (applied.refused === "late" || applied.refused === "epoch") return { outdated: undefined };
    if (applied.refused === "limit" && applied.key !== pendingKey(move.next)) return { outdated: applied.key };
    if (applied.refused === "limit") {
      throw errorOf(
        refuse(
          "too_many_pending",
          "As many questions wait for this person as may. Wait for an answer or withdraw one.",
        ),
      );
    }
    if (applied.refused !== "taken")
      throw errorOf(refuse("store_failed", `The store refused a new record: ${applied.problem ?? applied.refused}.`));
    const first = await loadApproval(engine, applied.holder ?? "");
    if (first === undefined) continue; // freed in between
    const isRepeat = first.idempotencyKey !== undefined && first.idempotencyKey === move.next.idempotencyKey;
    if (!isRepeat && stateAt(first, applied.time) === "expired") {
      // Its time is over and nobody has written that down yet: this call is a new question, not a late answer to the old.
      await transition(engine, first, applyExpiry);
      continue;
    }
    await checkSameCall(engine, first, asked);
    return { approval: first, joined: true };
  }
  throw errorOf(refuse("store_failed", "The record of an identical call cannot be read. Nothing was started."));
}

/** Keys are for repeating a call; another one under the same key is a mistake that nobody should take for its outcome. */
export async function checkSameCall(engine: Engine, first: Approval, { canonical }: Asked): Promise<void> {
  const used = "This idempotency key was used for";
  if (first.erasedAt !== undefined) {
    const ended = `a call that has been erased since (${first.state})`;
    throw errorOf(refuse("idempotency_conflict", `${used} ${ended}. Take a new key only for a new call.`));
  }
  if ((await proposedHash(engine, first)) !== canonical.hash)
    throw errorOf(refuse("idempotency_conflict", `${used} another call. Take a new key.`));
}

/** The hash of what was asked for, before any person edited it. */
async function proposedHash(engine: Engine, approval: Approval): Promise<string | undefined> {
  if (approval.revision === 1) return approval.toolCallHash;
  const first = await loadCall(engine, { ...approval, revision: 1 });
  return first && sha256Hex(first.canonical);
}

export function callRecord(asked: Asked): CallRecord {
  const { call, caller, tool, canonical, classification, verdict, preview, policy, edited } = asked;
  return {
    canonical: canonical.canonical,
    bound: canonical.bound,
    reasons: classification.reasons,
    verdict,
    ...(policy === undefined ? {} : { policy }),
    ...(call.confidence === undefined ? {} : { confidence: call.confidence }),
    ...(preview === undefined ? {} : { preview }),
    ...(call.summary === undefined ? {} : { summary: call.summary }),
    ...(call.model === undefined ? {} : { model: call.model }),
    ...(call.runId === undefined ? {} : { runId: call.runId }),
    ...(call.alternatives === undefined
      ? {}
      : {
          alternatives: call.alternatives.map((other) => ({ tool: other.tool, args: toPlainJson(other.args ?? {}) })),
        }),
    ...(caller.lineage === undefined ? {} : { lineage: caller.lineage }),
    ...(caller.surface === undefined ? {} : { surface: caller.surface }),
    ...(caller.scope === undefined ? {} : { scope: caller.scope }),
    ...(tool.sensitive.length === 0 ? {} : { sensitive: tool.sensitive }),
    ...(edited === undefined ? {} : { proposed: edited.proposed }),
  };
}
