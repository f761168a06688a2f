import type { Approval, Audience } from "./approval.js";
import type { Assessment } from "./assess.js";
import { newEntry, shortHash } from "./audit.js";
import type { Caller, CanonicalCall, ToolCall } from "./call.js";
import type { Classification } from "./classify.js";
import { type Engine, loadApproval, noteEpoch } from "./engine.js";
import { CountersignError, errorOf, refuse } from "./errors.js";
import { newId } from "./ids.js";
import { toPlainJson } from "./json.js";
import type { Requirement, Verdict } from "./judge.js";
import { idempotencyKeyOf, joinKeyOf } from "./keys.js";
import { type CallRecord, createChange, type Move, pendingKey } from "./record.js";
import { DEFAULT_ROLES } from "./roles.js";
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
  readonly preview?: Preview;
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
  for (const required of requirements) {
    if (required === undefined) continue;
    const named = required.persons ?? required.roles ?? required.groups;
    if (named !== undefined) {
      audience.persons = [...(required.persons ?? [])];
      audience.roles = [...(required.roles ?? [])];
      audience.groups = [...(required.groups ?? [])];
    }
    audience.quorum = Math.max(audience.quorum, required.quorum ?? 1);
    audience.notRequester ||= required.notRequester ?? false;
  }
  return audience;
}

/** Stores the approval durably. Nobody is told before that; nobody to ask means that it is refused. */
export async function hold(engine: Engine, asked: Asked, approvalId?: string): Promise<Held> {
  const { caller, tool, call, verdict } = asked;
  const { supersedes } = call;
  const audience = audienceOf(caller, [engine.audience?.(call, caller), verdict.requirement]);
  if (!(await someoneToAsk(engine, caller, audience))) {
    throw new CountersignError("no_approver", "NO_APPROVER: nobody may answer this, so it is refused.");
  }
  const now = engine.store.time();
  const confirmationToken = newConfirmationToken();
  const draft = newRecord(asked, "pending", now, audience);
  const ttl =
    verdict.requirement?.ttl ??
    ((engine.online?.(draft) ?? true)
      ? (asked.times.ttl ?? tool.ttl ?? engine.limits.ttl)
      : (asked.times.offlineTtl ?? tool.offlineTtl ?? engine.limits.offlineTtl));
  const next: Approval = {
    ...draft,
    ...(approvalId === undefined ? {} : { approvalId }),
    decideBy: now + ttl,
    tokenHash: hashToken(confirmationToken),
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(call.idempotencyKey === undefined ? { joinKey: joinKeyOf(asked.canonical.hash) } : {}),
  };
  const created = newEntry("approval.created", next.approvalId, {
    tool: next.tool,
    hash: shortHash(next.toolCallHash),
    tier: next.riskTier,
    for: caller.userId,
    agent: caller.agentId,
    session: caller.sessionId,
    rules: verdict.rules.length === 0 ? undefined : [...verdict.rules],
    ttl: next.decideBy - now,
    supersedes,
  });
  const held = await create(engine, { next, call: callRecord(asked), entries: [created] }, asked);
  return held.joined ? held : { ...held, confirmationToken };
}

async function someoneToAsk(engine: Engine, caller: Caller, audience: Audience): Promise<boolean> {
  const barred = audience.notRequester ? [caller.userId] : [];
  if (audience.persons.length + audience.roles.length + audience.groups.length === 0) return false;
  if (engine.people !== undefined) return engine.people.reachable(caller.workspaceId, { ...audience, barred });
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
    requester: {
      userId: caller.userId,
      agentId: caller.agentId,
      sessionId: caller.sessionId,
      ...(caller.deviceId === undefined ? {} : { deviceId: caller.deviceId }),
    },
    audience,
    votes: [],
    editors: [],
    requestedAt: now,
    decideBy: now,
    epoch: asked.epoch,
    ...(call.idempotencyKey === undefined
      ? {}
      : { idempotencyKey: idempotencyKeyOf(caller.workspaceId, caller.agentId, call.idempotencyKey) }),
  };
}

/** What the store has to find true for a call that was let through. */
export function guardsOf({ epoch, verdict: { counts, until } }: Asked): NonNullable<Move["guards"]> {
  return { epoch, ...(counts === undefined ? {} : { counts }), ...(until === undefined ? {} : { before: until }) };
}

/** What it takes, remembered on its record so that a failure can give it back. */
export function reservedBy({ verdict: { counts } }: Asked): Pick<Approval, "reserved"> {
  return counts === undefined ? {} : { reserved: counts.map(({ max: _max, ...taken }) => taken) };
}

/** What a call was let through on is not there any more: it has to be judged again. */
export interface Outdated {
  /** The counter that is full; absent when time or the rules moved. */
  readonly outdated: string | undefined;
}

export function isOutdated(value: object): value is Outdated {
  return Object.hasOwn(value, "outdated");
}

async function create(engine: Engine, move: Move, asked: Asked): Promise<Held> {
  const created = await tryCreate(engine, move, asked);
  if (isOutdated(created)) throw rulesChanged();
  return created;
}

export function rulesChanged(): CountersignError {
  return errorOf(refuse("policy_changed", "The rules changed at this moment. Nothing was started; try again."));
}

/** Commits a new record, or joins the one that holds its key. */
export async function tryCreate(engine: Engine, move: Move, asked: Asked): Promise<Held | Outdated> {
  for (;;) {
    const change = createChange(move, {
      maxPending: engine.limits.pendingPerUser,
      idempotencyUntil: engine.store.time() + engine.limits.idempotency,
    });
    const applied = await engine.grouper.commit(change);
    noteEpoch(engine, move.next.workspaceId, applied.epoch);
    if (applied.ok) {
      const approval = { ...move.next, version: 1 };
      engine.waiters.changed(approval);
      return { approval, joined: false, ...(move.call === undefined ? {} : { call: move.call }) };
    }
    if (applied.refused === "late" || applied.refused === "epoch") return { outdated: undefined };
    if (applied.refused === "limit" && applied.key !== pendingKey(move.next)) return { outdated: applied.key };
    if (applied.refused === "limit") {
      throw errorOf(
        refuse(
          "too_many_pending",
          `${engine.limits.pendingPerUser} questions wait for this person already. Wait for an answer or withdraw one.`,
        ),
      );
    }
    if (applied.refused !== "taken")
      throw errorOf(refuse("store_failed", `The store refused a new record: ${applied.problem ?? applied.refused}.`));
    const first = await loadApproval(engine, applied.holder ?? "");
    if (first === undefined) continue; // freed in between
    if (first.toolCallHash !== asked.canonical.hash && first.revision === 1) {
      throw errorOf(refuse("idempotency_conflict", "This idempotency key was used for another call. Take a new key."));
    }
    return { approval: first, joined: true };
  }
}

export function callRecord({ call, caller, canonical, classification, verdict, preview }: Asked): CallRecord {
  return {
    canonical: canonical.canonical,
    reasons: classification.reasons,
    verdict,
    ...(call.confidence === undefined ? {} : { confidence: call.confidence }),
    ...(preview === undefined ? {} : { preview }),
    ...(call.summary === undefined ? {} : { summary: call.summary }),
    ...(call.model === undefined ? {} : { model: call.model }),
    ...(call.runId === undefined ? {} : { runId: call.runId }),
    ...(call.alternatives === undefined
      ? {}
      : { alternatives: call.alternatives.map(({ tool, args }) => ({ tool, args: toPlainJson(args ?? {}) })) }),
    ...(caller.lineage === undefined ? {} : { lineage: caller.lineage }),
    ...(caller.surface === undefined ? {} : { surface: caller.surface }),
    ...(caller.scope === undefined ? {} : { scope: caller.scope }),
  };
}
