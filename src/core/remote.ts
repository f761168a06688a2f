import { type Approval, stateAt } from "./approval.js";
import { askAnew } from "./asking-again.js";
import type { Caller } from "./call.js";
import { applyClaim, applyReceipt, type ClaimRequest, notClaimable, type Receipt } from "./claim.js";
import { type Engine, toolOf, transition } from "./engine.js";
import { CountersignError, errorOf, isRefusal, type Refusal, refuse } from "./errors.js";
import { callToRun } from "./execute.js";
import { failureText } from "./failure-text.js";
import { newId } from "./ids.js";
import { type JsonObject, toPlainJson } from "./json.js";
import { latest, locate } from "./locate.js";
import { ownCall, ownToMove } from "./own-call.js";
import { claimCounts, previewChanged, rejudge, type Starting } from "./recheck.js";
import { bindingOf, type Move } from "./record.js";
import { type ApprovalToken, hashToken, mintedEntry, newTokenId, sameSecret } from "./token.js";

/** Permission in hand: run exactly these arguments once, then report. */
export interface Claim {
  readonly approvalId: string;
  readonly claimId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly toolCallHash: string;
  /** Pass it to whatever deduplicates on the other side. */
  readonly idempotencyKey: string;
  /** Without a receipt by then the outcome counts as unknown. */
  readonly reportBy: string;
}

/** Claims an approved call that runs elsewhere. Spends the token; a refusal leaves it unspent. */
export async function claim(
  engine: Engine,
  input: { readonly approvalId: string; readonly tokenId: string; readonly toolCallHash?: string },
  caller: Caller,
): Promise<Claim> {
  if (typeof input.tokenId !== "string" || input.tokenId === "")
    throw new CountersignError("token_mismatch", "A claim needs the approval's token.");
  // As stored, not as last seen here: what is judged below may say no to it.
  const approval = await ownCall(engine, input, caller);
  return take(engine, approval, caller, input);
}

/**
 * The same by id, for the caller that asked. Whoever asked and looks is told the token: presenting it would prove nothing more
 * than being that caller does. What a gate runs itself is not for its caller to run.
 */
export async function claimOwn(engine: Engine, approvalId: string, caller: Caller): Promise<Claim> {
  const approval = await latest(engine, await ownCall(engine, { approvalId }, caller));
  if (approval.hosted) throw new CountersignError("not_supported", "This call runs where its tool is, not here.");
  return take(engine, approval, caller);
}

async function notStarted(engine: Engine, approval: Approval, why: Refusal): Promise<never> {
  await askAnew(engine, approval, why);
  throw errorOf(why);
}

async function take(
  engine: Engine,
  approval: Approval,
  caller: Caller,
  { tokenId, toolCallHash = approval.toolCallHash }: { readonly tokenId?: string; readonly toolCallHash?: string } = {},
): Promise<Claim> {
  // Before the rules are asked: who comes too late hears that, not what the policy thinks today.
  const notNow = notClaimable(approval, engine.store.time());
  if (notNow) throw errorOf(notNow);
  const call = await callToRun(engine, approval, caller.userId);
  const tool = toolOf(engine, approval);
  const bound = bindingOf(call);
  const { args, fingerprint } = bound;
  if (tool === undefined || tool.fingerprint !== fingerprint) {
    throw new CountersignError(
      "tool_changed",
      `"${approval.tool}" is not the tool it was when it was shown. Ask again.`,
    );
  }
  const starting = { approval, call, tool, bound };
  const reportBy = engine.store.time() + Math.round(tool.timeout ?? engine.limits.timeout);
  const request = {
    claimId: newId(),
    instance: `remote/${caller.agentId}`,
    reportBy,
    toolCallHash,
    ...(tokenId === undefined ? {} : { tokenId }),
    ...(caller.deviceId === undefined ? {} : { deviceId: caller.deviceId }),
  };
  let claimed = await claimUnderRules(engine, starting, request);
  // The rules known here were old: with that they are forgotten, and read anew.
  if (isRefusal(claimed) && claimed.refused === "policy_changed")
    claimed = await claimUnderRules(engine, starting, request);
  if (isRefusal(claimed)) throw errorOf(claimed);
  engine.minted.delete(claimed.approvalId);
  return {
    approvalId: claimed.approvalId,
    claimId: request.claimId,
    tool: claimed.tool,
    args,
    toolCallHash: claimed.toolCallHash,
    idempotencyKey: claimed.approvalId,
    reportBy: new Date(reportBy).toISOString(),
  };
}

/** Spends the approval if the call still holds under the rules as they are known here. */
async function claimUnderRules(
  engine: Engine,
  starting: Starting,
  request: Omit<ClaimRequest, "epoch" | "counts">,
): Promise<Approval | Refusal> {
  const { approval } = starting;
  const judged = await rejudge(engine, starting);
  if (isRefusal(judged)) return notStarted(engine, approval, judged);
  const changed = await previewChanged(engine, starting);
  if (changed) return notStarted(engine, approval, changed);
  const judgedRequest = { ...request, epoch: judged.epoch, counts: claimCounts(engine, starting) };
  return transition(engine, approval, (current, now) => applyClaim(current, judgedRequest, now));
}

/** The agent's report of how its run ended. */
export async function finish(
  engine: Engine,
  input: { readonly approvalId: string; readonly claimId: string } & Receipt,
  caller: Caller,
): Promise<Approval> {
  const { approvalId, claimId, ...told } = input;
  const receipt = checkReceipt(told);
  const approval = await ownToMove(engine, approvalId, caller);
  const done = await transition(engine, approval, (current, now) => applyReceipt(current, claimId, receipt, now));
  if (!isRefusal(done)) return done;
  // Reported before, and the reply was lost: the first report stands and is told again.
  const stands = done.refused === "already_resolved" ? await locate(engine, { approvalId }) : undefined;
  if (stands?.execution?.claimId === claimId) return stands;
  throw errorOf(done);
}

export function checkReceipt(told: Receipt): Receipt {
  if (told?.type === "succeeded")
    return { type: "succeeded", ...(told.result === undefined ? {} : { result: toPlainJson(told.result) }) };
  if (told?.type === "failed" && typeof told.error === "string")
    return { type: "failed", error: failureText(told.error) };
  // Whatever else it is, it does not say how the call ended.
  throw new CountersignError(
    "invalid_call",
    'A receipt is { type: "succeeded", result } or { type: "failed", error }.',
  );
}

/**
 * The token of an approved call that runs elsewhere, for the caller that asked. The store keeps its hash alone: where this
 * process does not know the token itself, because another one minted it, a new one is minted and that one is void.
 */
export async function tokenFor(engine: Engine, approval: Approval): Promise<ApprovalToken | undefined> {
  const { approvalId, approvalToken } = approval;
  const known = engine.minted.get(approvalId);
  if (known !== undefined && approvalToken !== undefined && sameSecret(known, approvalToken.hash))
    return tokenOf(approval, known);
  const tokenId = newTokenId();
  const minted = await transition(engine, approval, (current, now) => reissue(current, hashToken(tokenId), now));
  if (isRefusal(minted)) return undefined;
  engine.minted.put(approvalId, tokenId);
  return tokenOf(minted, tokenId);
}

function tokenOf({ approvalId, approvalToken, toolCallHash, requester }: Approval, tokenId: string): ApprovalToken {
  const { deviceId } = requester;
  return {
    tokenId,
    approvalId,
    toolCallHash,
    expiresAt: new Date(approvalToken?.expiresAt ?? 0).toISOString(),
    singleUse: true,
    scope: { kind: "once" },
    ...(deviceId === undefined ? {} : { issuedToClientDeviceId: deviceId }),
  };
}

function reissue(approval: Approval, hash: string, now: number): Move | Refusal {
  if (stateAt(approval, now) !== "approved")
    return refuse("not_approved", "A token is minted only for an approved call.");
  const expiresAt = approval.claimBy ?? now;
  return {
    next: { ...approval, approvalToken: { hash, expiresAt } },
    entries: [mintedEntry(approval.approvalId, approval.toolCallHash, expiresAt)],
    guards: { before: expiresAt },
  };
}
