import { answer, settled } from "./answer.js";
import type { Approval } from "./approval.js";
import { newEntry, shortHash } from "./audit.js";
import type { Engine } from "./engine.js";
import { runClaimed, runRead } from "./execute.js";
import { type Asked, callRecord, isOutdated, newRecord, type Outdated, overseersOf, tryCreate } from "./hold.js";
import { newId } from "./ids.js";
import { failed, type Outcome, succeeded } from "./outcome.js";
import type { NewEntry } from "./ports.js";
import type { ReadLog } from "./read-log.js";
import type { Move } from "./record.js";
import { hashToken, mintedEntry, newTokenId } from "./token.js";
import type { WaitOptions } from "./wait.js";
import { withholdRead } from "./withhold.js";

/**
 * Lets a call through that nobody has to be asked about: a read runs at once; a write is claimed first, in one commit with its
 * record, and then runs. What it was let through on may be gone by then; then nothing has happened and it is judged again.
 */
export async function allow(
  engine: Engine,
  reads: ReadLog,
  asked: Asked,
  options: WaitOptions,
): Promise<Outcome | Outdated> {
  const { tool, caller, canonical, call, verdict } = asked;
  if (tool.execute === undefined) return allowRemote(engine, asked);
  const plain = tool.effect === "read" && call.idempotencyKey === undefined && verdict.counts === undefined;
  if (plain) return read(engine, reads, asked, options);
  const heldUntil = await engine.lease.held();
  const now = engine.store.time();
  const claimId = newId();
  const execution = { claimId, instance: engine.lease.instance, attempt: 1, startedAt: now };
  const record = { ...newRecord(asked, "executing", now, overseersOf(engine, asked)), execution };
  const created = await start(engine, asked, record, heldUntil);
  if (isOutdated(created)) return created;
  const { approval, joined } = created;
  // The signal goes to the tool: what has started is not cancelled by looking away.
  const outcome = settled(engine, approval, caller, withoutSignal(options));
  if (!joined) void runClaimed(engine, { tool, args: canonical.args, claimId }, approval, options.signal);
  return outcome;
}

/** An allowed call that runs elsewhere needs no person, but its own token and claim like any other. */
async function allowRemote(engine: Engine, asked: Asked): Promise<Outcome | Outdated> {
  const now = engine.store.time();
  const inTime = now + engine.limits.claimWindow;
  // What lets it through has to hold when it starts, not only now.
  const claimBy = Math.min(inTime, asked.verdict.until ?? inTime);
  const token = newTokenId();
  const created = await start(engine, asked, {
    ...newRecord(asked, "approved", now, overseersOf(engine, asked)),
    claimBy,
    approvalToken: { hash: hashToken(token), expiresAt: claimBy },
  });
  if (isOutdated(created)) return created;
  if (!created.joined) engine.minted.put(created.approval.approvalId, token);
  return answer(engine, created.approval);
}

/** Commits the record together with what the call takes from grants and budgets. */
function start(
  engine: Engine,
  asked: Asked,
  record: Approval,
  heldUntil = Number.MAX_SAFE_INTEGER,
): ReturnType<typeof tryCreate> {
  const { counts, until = heldUntil } = asked.verdict;
  const guards: Move["guards"] = {
    epoch: asked.epoch,
    ...(counts === undefined ? {} : { counts }),
    before: Math.min(until, heldUntil),
  };
  // Remembered on the record, so that a failure can give it back.
  const reserved = counts?.map(({ max: _max, ...taken }) => taken);
  const next = reserved === undefined ? record : { ...record, reserved };
  const { approvalId, toolCallHash, approvalToken } = next;
  const allowed = allowedEntry(approvalId, asked);
  const entries = approvalToken ? [allowed, mintedEntry(approvalId, toolCallHash, approvalToken.expiresAt)] : [allowed];
  const move = { next, call: callRecord(asked), entries, guards };
  return tryCreate(engine, move, asked);
}

function allowedEntry(
  approvalId: string,
  { tool, caller, canonical, classification, verdict, policy }: Asked,
): NewEntry {
  return newEntry("call.allowed", approvalId, {
    tool: tool.name,
    hash: shortHash(canonical.hash),
    tier: classification.riskTier,
    for: caller.userId,
    agent: caller.agentId,
    session: caller.sessionId,
    step: verdict.step,
    rules: verdict.rules.length === 0 ? undefined : [...verdict.rules],
    policy,
  });
}

async function read(engine: Engine, reads: ReadLog, asked: Asked, options: WaitOptions): Promise<Outcome> {
  const { tool, caller, canonical } = asked;
  const receipt = await runRead(engine, tool, canonical.args, caller, options);
  const told = {
    tool: tool.name,
    hash: shortHash(canonical.hash),
    for: caller.userId,
    agent: caller.agentId,
    session: caller.sessionId,
    as: receipt.type,
  };
  reads.add(caller.workspaceId, newEntry("call.read", "", told));
  if (receipt.type === "failed") return failed(receipt.error);
  const withheld = await withholdRead(engine, asked, receipt.value);
  return withheld === undefined ? succeeded(receipt.value) : answer(engine, withheld);
}

function withoutSignal({ deadline }: WaitOptions): WaitOptions {
  return deadline === undefined ? {} : { deadline };
}
