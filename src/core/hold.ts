import { type Approval, type Audience, stateAt } from "./approval.js";
import { newEntry } from "./audit.js";
import type { Caller, CanonicalCall, ToolCall } from "./call.js";
import type { Classification } from "./classify.js";
import { applyExpiry } from "./decide.js";
import { type Engine, loadApproval, loadCall, noteEpoch, transition } from "./engine.js";
import { CountersignError, errorOf, refuse } from "./errors.js";
import { newId, sha256 } from "./ids.js";
import { toPlainJson } from "./json.js";
import type { Requirement, Verdict } from "./judge.js";
import { type CallRecord, createChange, type Move } from "./record.js";
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
  readonly preview?: Preview;
}

/** What a new record came to: its own, or the one an identical call already has. */
export interface Held {
  readonly approval: Approval;
  readonly joined: boolean;
  /** Known only to whoever created the record; the store keeps its hash. */
  readonly confirmationToken?: string;
}

/** By default the person the call is made for decides, and so may the workspace's owners and approvers. */
const DEFAULT_ROLES = ["owner", "approver"];

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
      ? (tool.ttl ?? engine.limits.ttl)
      : (tool.offlineTtl ?? engine.limits.offlineTtl));
  const next: Approval = {
    ...draft,
    ...(approvalId === undefined ? {} : { approvalId }),
    decideBy: now + ttl,
    tokenHash: hashToken(confirmationToken),
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(call.idempotencyKey === undefined ? { joinKey: joinKey(asked) } : {}),
  };
  const created = newEntry("approval.created", next.approvalId, {
    tool: next.tool,
    hash: next.toolCallHash,
    tier: next.riskTier,
    for: caller.userId,
    agent: caller.agentId,
    session: caller.sessionId,
    step: verdict.step,
    rules: verdict.rules.length === 0 ? undefined : [...verdict.rules],
    decideBy: next.decideBy,
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
    workspaceId: caller.workspaceId,
    state,
    revision: 1,
    tool: tool.name,
    toolCallHash: canonical.hash,
    fingerprint: tool.fingerprint,
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
      : { idempotencyKey: keyOf("i", caller.workspaceId, caller.agentId, call.idempotencyKey) }),
  };
}

/** Commits a new record, or joins the one that holds its key. */
export async function create(engine: Engine, move: Move, asked: Asked): Promise<Held> {
  for (;;) {
    const change = createChange(move, {
      maxPending: engine.limits.pendingPerUser,
      idempotencyUntil: engine.store.time() + engine.limits.idempotency,
    });
    const applied = await engine.grouper.commit(change);
    noteEpoch(engine, move.next.workspaceId, applied.epoch);
    if (applied.ok) {
      engine.waiters.changed(move.next);
      return { approval: move.next, joined: false };
    }
    if (applied.refused === "limit") {
      throw errorOf(
        refuse(
          "too_many_pending",
          `${engine.limits.pendingPerUser} questions wait for this person already. Wait for an answer or withdraw one.`,
        ),
      );
    }
    if (applied.refused === "epoch")
      throw errorOf(refuse("policy_changed", "The rules changed at this moment. Nothing was started; try again."));
    if (applied.refused !== "taken")
      throw errorOf(refuse("store_failed", `The store refused a new record: ${applied.problem ?? applied.refused}.`));
    const first = await loadApproval(engine, applied.holder ?? "");
    if (first === undefined) continue; // freed in between
    if (!(await asksTheSame(engine, first.approval, asked))) {
      throw errorOf(refuse("idempotency_conflict", "This idempotency key was used for another call. Take a new key."));
    }
    // Time has ended the question that holds the key and nobody has written it down: this call gets a question of its own.
    const over = stateAt(first.approval, engine.store.time()) !== first.approval.state;
    if (!over || asked.call.idempotencyKey !== undefined) return { approval: first.approval, joined: true };
    await transition(engine, first.approval.approvalId, applyExpiry);
  }
}

/** An edit changes what will run, not what the agent asked: its first revision is the one to compare with. */
async function asksTheSame(engine: Engine, approval: Approval, { canonical }: Asked): Promise<boolean> {
  if (approval.revision === 1) return approval.toolCallHash === canonical.hash;
  return (await loadCall(engine, { ...approval, revision: 1 }))?.canonical === canonical.canonical;
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
  };
}

/** The hash binds workspace, agent, session and arguments, so it alone tells identical calls of a session. */
function joinKey({ canonical }: Asked): string {
  return keyOf("j", canonical.hash);
}

/** Keys are hashed: they come from callers, may be long, and are nobody's business in an index. */
function keyOf(prefix: string, ...parts: readonly string[]): string {
  return `${prefix}/${sha256(JSON.stringify(parts)).toString("base64url").slice(0, 22)}`;
}
