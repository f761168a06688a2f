import { type Approval, checkAudience, type Person } from "./approval.js";
import { askAnew } from "./asking-again.js";
import { applyClaim } from "./claim.js";
import { applyDecision, applyWithdrawal, checkDecision, type Decision, type Edit, revisedBy } from "./decide.js";
import { prepareEdit } from "./editing.js";
import { type Engine, transition } from "./engine.js";
import { CountersignError, errorOf, isRefusal, type Refusal, refuse, toCountersignError } from "./errors.js";
import { callToRun, hostedClaim, type Ready, readyToClaim, runClaimed, start } from "./execute.js";
import { denialPut } from "./judging/denials.js";
import { type Granting, type GrantPreview, prepareGrant, wordsOf } from "./judging/granting.js";
import { forgetStanding } from "./judging/standing.js";
import { refusalOf } from "./late-answer.js";
import { locate } from "./locate.js";
import { lapsedVoters, requesterEnded } from "./recheck.js";
import type { CallRecord, Move } from "./record.js";
import { type Soon, whenThere } from "./soon.js";
import { hashOfNoToken, hashToken, newTokenId } from "./token.js";
import { cardToDraw } from "./views.js";
import { ofAudience, vouched } from "./vouch.js";
import { LOCALES } from "./words/words.js";

/** How an answer was taken. */
export interface Decided {
  readonly approvalId: string;
  readonly state: Approval["state"];
  readonly resolution?: Approval["resolution"];
  readonly toolCallHash: string;
  readonly revision: number;
  readonly votes: number;
  readonly quorum: number;
  /** The grant that was given with it. */
  readonly grant?: GrantPreview & { readonly grantId: string };
}

export type DecideResult = ({ readonly ok: true } & Decided) | { readonly ok: false; readonly error: CountersignError };

/** Takes one person's answer. An approval that is complete starts its call here, in the same commit where it can. */
export async function decide(engine: Engine, input: Decision, person: Person): Promise<Decided> {
  checkDecision(input);
  const atHand = answeredAtHand(engine, input, person);
  const { approval, who, call } =
    (atHand instanceof Promise ? await atHand : atHand) ?? (await answered(engine, input, person));
  // A no needs nothing from the call, so that also one that was tampered with can be refused.
  const prepared = input.decision === "approve" ? await prepare(engine, approval, input, who, call) : NOTHING_TO_RUN;
  if (input.cardHash !== undefined) await checkCard(engine, approval, prepared.edit, input.cardHash);
  const decided = await commitDecision(engine, approval, input, who, prepared);
  if (decided.state === "approved" && decided.hosted) await startApproved(engine, decided);
  const given = decided.resolution?.type === "approved" ? prepared.granting?.grant : undefined;
  return given === undefined
    ? told(decided)
    : { ...told(decided), grant: { grantId: given.grantId, ...(await wordsOf(engine, given, "en", given.givenAt)) } };
}

interface Answered {
  readonly approval: Approval;
  readonly who: Person;
  /** As it was asked in this process, where it was. */
  readonly call?: CallRecord | undefined;
}

async function answered(engine: Engine, input: Decision, person: Person): Promise<Answered> {
  const approval = await locate(engine, input);
  return { approval, who: await ofAudience(engine, approval, person) };
}

/** A plain yes or no to what this process has just asked needs no reading: if somebody was faster, the commit tells. */
function answeredAtHand(
  engine: Engine,
  { approvalId = "", args, cardHash, toolCallHash }: Decision,
  person: Person,
): Soon<Answered | undefined> {
  const approval =
    args === undefined && cardHash === undefined ? engine.waiters.atHand.approval(approvalId) : undefined;
  if (approval?.state !== "pending" || (toolCallHash ?? approval.toolCallHash) !== approval.toolCallHash)
    return undefined;
  return whenThere(vouched(engine, person, approval.workspaceId), (who) =>
    checkAudience(approval, who) === undefined
      ? { approval, who, call: engine.waiters.atHand.call(approval) }
      : undefined,
  );
}

/** What an answer comes with. */
interface Prepared {
  readonly edit?: Edit | undefined;
  /** Set when the call could start at once. */
  readonly ready?: Ready | undefined;
  readonly granting?: Granting | undefined;
}

const NOTHING_TO_RUN: Prepared = {};

/** What a yes needs: the call as it was held, the edit and the grant if there are any, and whether it could start at once. */
async function prepare(
  engine: Engine,
  approval: Approval,
  { args, scope = { kind: "once" } }: Decision,
  who: Person,
  asked: CallRecord | undefined,
): Promise<Prepared> {
  const ended = engine.people && (await requesterEnded(engine, approval));
  if (ended) throw errorOf(ended);
  const held = asked ?? (await callToRun(engine, approval, who.userId));
  const edit = args === undefined ? undefined : await prepareEdit(engine, approval, held, args);
  const call = edit?.call ?? held;
  const revised = edit === undefined ? approval : revisedBy(approval, edit);
  // Only the answer that completes the approval needs this; for the others it is a look that changes nothing.
  const ready = await readyToClaim(engine, revised, call);
  const granting = scope.kind === "once" ? undefined : await prepareGrant(engine, revised, call, scope, who);
  return { edit, ready: isRefusal(ready) ? undefined : ready, granting };
}

/**
 * Many answers at once, each its own: one that is refused says why and harms no other. A yes among several names exactly what
 * was shown, and the highest risk is approved one at a time.
 */
export async function decideAll(engine: Engine, inputs: readonly Decision[], person: Person): Promise<DecideResult[]> {
  return Promise.all(
    inputs.map(async (input): Promise<DecideResult> => {
      try {
        if (inputs.length > 1) await checkBatched(engine, input);
        return { ok: true, ...(await decide(engine, input, person)) };
      } catch (error) {
        return { ok: false, error: toCountersignError(error) };
      }
    }),
  );
}

async function checkBatched(engine: Engine, input: Decision): Promise<void> {
  checkDecision(input);
  if (input.decision === "deny") return;
  if (input.toolCallHash === undefined)
    throw new CountersignError("hash_required", "Approving several at once names the toolCallHash of each as shown.");
  if (input.args !== undefined)
    throw new CountersignError(
      "invalid_decision",
      "Changed arguments are approved one at a time: they may be another risk.",
    );
  if ((await locate(engine, input)).riskTier === "R4")
    throw new CountersignError("invalid_decision", "Calls of the highest risk are approved one at a time.");
}

const NOBODY: readonly string[] = [];

async function commitDecision(
  engine: Engine,
  approval: Approval,
  input: Decision,
  who: Person,
  { edit, ready, granting }: Prepared,
): Promise<Approval> {
  // What runs here is claimed without a token.
  const token = approval.hosted ? undefined : newTokenId();
  const tokenHash = token === undefined ? hashOfNoToken() : hashToken(token);
  const claimWindow = engine.limits.claimWindow;
  const lapsed = engine.people === undefined ? NOBODY : await lapsedVoters(engine.people, approval);
  const answer = (current: Approval, now: number) => {
    const move = applyDecision(current, input, who, { now, claimWindow, tokenHash, lapsed }, edit);
    return isRefusal(move) ? move : remembered(move, granting, engine.limits.denialCoolDown);
  };
  const both = (current: Approval, now: number) => {
    const move = answer(current, now);
    return isRefusal(move) || ready === undefined ? move : withClaim(engine, move, ready, now);
  };
  let decided = await transition(engine, approval, both);
  // The rules changed between look and claim: the answer still counts, and the start is judged anew.
  if (isRefusal(decided) && decided.refused === "policy_changed")
    decided = await transition(engine, approval.approvalId, answer);
  if (isRefusal(decided)) throw await refusalOf(engine, approval.workspaceId, decided);
  if (token !== undefined && decided.state === "approved") engine.minted.put(decided.approvalId, token);
  if (granting !== undefined || decided.state === "denied") forgetStanding(engine, decided.workspaceId);
  if (ready !== undefined && decided.execution?.claimId === ready.claimId) void runClaimed(engine, ready, decided);
  return decided;
}

/** What is to be remembered of an answer goes into its own commit: the grant that a yes gives, the denial that a no is. */
function remembered(move: Move, granting: Granting | undefined, coolDown: number): Move | Refusal {
  const denial = denialPut(move.next, coolDown);
  if (denial !== undefined) return { ...move, beside: { puts: [denial], entries: [] } };
  if (granting === undefined || move.next.state !== "approved") return move;
  if (granting.toolCallHash !== move.next.toolCallHash)
    return refuse("hash_mismatch", "The arguments were edited since. Look again before you let such calls run.");
  return { ...move, beside: { puts: [granting.put], entries: [granting.entry] } };
}

/** Decide and claim share one commit when this gate can start the call at once. */
function withClaim(engine: Engine, decided: Move, ready: Ready, now: number): Move {
  if (decided.next.state !== "approved" || decided.next.toolCallHash !== ready.toolCallHash) return decided;
  const claimed = applyClaim(decided.next, hostedClaim(engine, ready, decided.next), now);
  if (isRefusal(claimed)) return decided;
  return {
    next: claimed.next,
    entries: [...decided.entries, ...claimed.entries],
    through: "approved",
    guards: { ...claimed.guards, before: Math.min(decided.next.decideBy, ready.heldUntil) },
    beside: decided.beside,
    call: decided.call,
  };
}

async function startApproved(engine: Engine, approval: Approval): Promise<void> {
  const started = await start(engine, approval.approvalId);
  if (isRefusal(started) && !(await askAnew(engine, approval, started)))
    engine.notice("call.not_started", { approvalId: approval.approvalId, why: started.refused });
}

/** A person may have read the card in any language; one that was never drawn from this call proves nothing. */
async function checkCard(engine: Engine, approval: Approval, edit: Edit | undefined, cardHash: string): Promise<void> {
  const card = await cardToDraw(engine, edit === undefined ? approval : revisedBy(approval, edit), edit?.call);
  if (card !== undefined && LOCALES.some((locale) => card.draw(locale).cardHash === cardHash)) return;
  throw errorOf(refuse("hash_mismatch", "The card you saw is not the one that stands here now. Look again."));
}

/** Takes a vote, or an unclaimed approval, back. */
export async function withdraw(engine: Engine, approvalId: string, person: Person): Promise<Decided> {
  const approval = await locate(engine, { approvalId });
  const who = await vouched(engine, person, approval.workspaceId);
  const withdrawn = await transition(engine, approvalId, (current, now) => applyWithdrawal(current, who, now));
  if (isRefusal(withdrawn)) throw await refusalOf(engine, approval.workspaceId, withdrawn);
  return told(withdrawn);
}

function told(approval: Approval): Decided {
  return {
    approvalId: approval.approvalId,
    state: approval.state,
    ...(approval.resolution === undefined ? {} : { resolution: approval.resolution }),
    toolCallHash: approval.toolCallHash,
    revision: approval.revision,
    votes: approval.votes.length,
    quorum: approval.audience.quorum,
  };
}
