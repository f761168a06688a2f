import { type Approval, checkAudience, type Person } from "./approval.js";
import { assess } from "./assess.js";
import { bindCall } from "./call.js";
import { applyClaim } from "./claim.js";
import { decodeApproval } from "./codec.js";
import { applyCancel, applyDecision, applyWithdrawal, checkDecision, type Decision, type Edit } from "./decide.js";
import { type Engine, loadApproval, loadCall, transition } from "./engine.js";
import { CountersignError, errorOf, isRefusal, type Refusal, refuse, toCountersignError } from "./errors.js";
import { hostedClaim, type Ready, readyToClaim, runClaimed, start } from "./execute.js";
import { type Asked, audienceOf, callRecord, hold } from "./hold.js";
import { newId } from "./ids.js";
import { denialPut } from "./judging/denials.js";
import { type Granting, type GrantPreview, prepareGrant, wordsOf } from "./judging/granting.js";
import { forgetStanding } from "./judging/standing.js";
import { callerOf } from "./recheck.js";
import { argsOf, bindingOf, type CallRecord, type Move } from "./record.js";
import { validateArgs } from "./schema.js";
import { hashToken, newTokenId, sameSecret, tokenIndex } from "./token.js";

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
  const approval = await locate(engine, input);
  const who = await vouched(engine, person, approval);
  const stranger = checkAudience(approval, who);
  if (stranger) throw errorOf(stranger);
  const call = await loadCall(engine, approval);
  if (call === undefined) throw new CountersignError("not_found", "The call of this approval is gone.");
  const edit = input.args === undefined ? undefined : await prepareEdit(engine, approval, call, input.args);
  // Only the answer that completes the approval needs this; for the others it is a look that changes nothing.
  const ready =
    input.decision === "approve" ? await readyToClaim(engine, revised(approval, edit), edit?.call ?? call) : undefined;
  const { scope = { kind: "once" } } = input;
  const granting =
    scope.kind === "once"
      ? undefined
      : await prepareGrant(engine, revised(approval, edit), edit?.call ?? call, scope, who);
  const decided = await commitDecision(
    engine,
    approval,
    input,
    who,
    edit,
    ready && !isRefusal(ready) ? ready : undefined,
    granting,
  );
  if (decided.state === "approved" && decided.hosted) await startApproved(engine, decided);
  if (granting === undefined || decided.resolution?.type !== "approved") return told(decided);
  return { ...told(decided), grant: { grantId: granting.grant.grantId, ...wordsOf(granting.grant) } };
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
  if ((await locate(engine, input)).riskTier === "R4")
    throw new CountersignError("invalid_decision", "Calls of the highest risk are approved one at a time.");
}

async function commitDecision(
  engine: Engine,
  approval: Approval,
  input: Decision,
  who: Person,
  edit: Edit | undefined,
  ready: Ready | undefined,
  granting: Granting | undefined,
): Promise<Approval> {
  const tokenHash = hashToken(newTokenId());
  const claimWindow = engine.limits.claimWindow;
  const answer = (current: Approval, now: number) => {
    const move = applyDecision(current, input, who, { now, claimWindow, tokenHash }, edit);
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
  if (isRefusal(decided)) throw errorOf(decided);
  if (granting !== undefined || decided.state === "denied") forgetStanding(engine, decided.workspaceId);
  if (ready !== undefined && decided.execution?.claimId === ready.claimId) void runClaimed(engine, ready, decided);
  return decided;
}

/** What is to be remembered of an answer goes into its own commit: the grant that a yes gives, the denial that a no is. */
function remembered(move: Move, granting: Granting | undefined, coolDown: number): Move | Refusal {
  const denial = denialPut(move.next, coolDown);
  if (denial !== undefined) return { ...move, puts: [denial] };
  if (granting === undefined || move.next.state !== "approved") return move;
  if (granting.toolCallHash !== move.next.toolCallHash)
    return refuse("hash_mismatch", "The arguments were edited since. Look again before you let such calls run.");
  return { ...move, puts: [granting.put], entries: [...move.entries, granting.entry] };
}

/** Decide and claim share one commit when this gate can start the call at once. */
function withClaim(engine: Engine, decided: Move, ready: Ready, now: number): Move {
  if (decided.next.state !== "approved" || decided.next.toolCallHash !== ready.toolCallHash) return decided;
  const claimed = applyClaim(decided.next, hostedClaim(engine, ready, decided.next), now);
  if (isRefusal(claimed)) return decided;
  return {
    ...claimed,
    entries: [...decided.entries, ...claimed.entries],
    through: "approved",
    guards: { ...claimed.guards, ...decided.guards, epoch: ready.epoch },
    ...(decided.puts === undefined ? {} : { puts: decided.puts }),
    ...(decided.call === undefined ? {} : { call: decided.call }),
  };
}

async function startApproved(engine: Engine, approval: Approval): Promise<void> {
  const started = await start(engine, approval.approvalId);
  if (isRefusal(started) && started.refused === "preview_changed") await askAnew(engine, approval);
  else if (isRefusal(started))
    engine.notice("call.not_started", { approvalId: approval.approvalId, why: started.refused });
}

/** What it would do is not what was shown: the approval ends unspent and the question is put again, with the difference. */
async function askAnew(engine: Engine, approval: Approval): Promise<void> {
  const replacedBy = newId();
  const ended = await transition(engine, approval.approvalId, (current, now) =>
    applyCancel(current, "countersign", "what it would do has changed since it was shown", now, replacedBy),
  );
  if (!isRefusal(ended)) await holdAgain(engine, ended, replacedBy);
}

/** Puts the same call again: judged anew, with a new id, linked to the one it follows. */
export async function holdAgain(engine: Engine, approval: Approval, approvalId = newId()): Promise<Approval> {
  const call = await loadCall(engine, approval);
  const tool = engine.registry.find(approval.tool);
  if (call === undefined || tool === undefined)
    throw new CountersignError("not_found", "The call or its tool is gone.");
  const asked = await assessCall(engine, approval, call, argsOf(call), false);
  const verdict = asked.verdict.type === "deny" ? undefined : { ...asked.verdict, type: "confirm" as const };
  if (verdict === undefined)
    throw new CountersignError("policy_denied", asked.verdict.reason ?? "The policy denies this now.");
  return (await hold(engine, { ...asked, verdict }, approvalId)).approval;
}

/** The call of a record, once more through schema, classification and judgement, with the given arguments. */
async function assessCall(
  engine: Engine,
  approval: Approval,
  record: CallRecord,
  sent: unknown,
  byPerson: boolean,
): Promise<Asked> {
  const tool = engine.registry.find(approval.tool);
  if (tool === undefined) throw new CountersignError("unknown_tool", `"${approval.tool}" is not known here.`);
  const args = await validateArgs(tool.name, tool.inputSchema, sent);
  const caller = callerOf(approval, record);
  const { confidence, summary, model, runId, alternatives } = record;
  const call = {
    tool: tool.name,
    args,
    supersedes: approval.approvalId,
    ...(confidence === undefined ? {} : { confidence }),
    ...(summary === undefined ? {} : { summary }),
    ...(model === undefined ? {} : { model }),
    ...(runId === undefined ? {} : { runId }),
    ...(alternatives === undefined ? {} : { alternatives }),
  };
  const canonical = bindCall(tool, args, caller, bindingOf(record).context);
  const circumstances = { toolCallHash: canonical.hash, byPerson };
  return { call, caller, tool, canonical, ...(await assess(engine, call, caller, tool, args, circumstances)) };
}

/** Edited arguments are a new call: validated, classified, judged and hashed like any other. */
async function prepareEdit(
  engine: Engine,
  approval: Approval,
  record: CallRecord,
  args: unknown,
): Promise<Edit | undefined> {
  const asked = await assessCall(engine, approval, record, args, true);
  if (asked.canonical.hash === approval.toolCallHash) return undefined;
  if (asked.verdict.type === "deny")
    throw new CountersignError("policy_denied", asked.verdict.reason ?? "The policy denies these arguments.");
  const wanted = audienceOf(asked.caller, [engine.audience?.(asked.call, asked.caller), asked.verdict.requirement]);
  const audience = {
    ...(asked.verdict.requirement === undefined ? approval.audience : wanted),
    quorum: Math.max(approval.audience.quorum, wanted.quorum),
    notRequester: approval.audience.notRequester || wanted.notRequester,
  };
  return {
    toolCallHash: asked.canonical.hash,
    riskTier: asked.classification.riskTier,
    audience,
    call: { ...callRecord(asked), proposed: record.proposed ?? argsOf(record) },
  };
}

function revised(approval: Approval, edit: Edit | undefined): Approval {
  if (edit === undefined) return approval;
  const { toolCallHash, riskTier, audience } = edit;
  return { ...approval, toolCallHash, riskTier, audience, votes: [] };
}

/** Takes a vote, or an unclaimed approval, back. */
export async function withdraw(engine: Engine, approvalId: string, person: Person): Promise<Decided> {
  const approval = await locate(engine, { approvalId });
  const who = await vouched(engine, person, approval);
  const withdrawn = await transition(engine, approvalId, (current, now) => applyWithdrawal(current, who, now));
  if (isRefusal(withdrawn)) throw errorOf(withdrawn);
  return told(withdrawn);
}

/** Finds an approval by id or by its confirmation token. */
export async function locate(
  engine: Engine,
  by: { readonly approvalId?: string; readonly confirmationToken?: string },
): Promise<Approval> {
  const notFound = () => errorOf(refuse("not_found", "There is no such approval."));
  if (by.approvalId !== undefined) {
    const approval = await loadApproval(engine, by.approvalId);
    if (approval === undefined) throw notFound();
    return approval;
  }
  const token = by.confirmationToken ?? "";
  const found = (await engine.store.list(tokenIndex(hashToken(token)), "", 2)).map(decodeApproval);
  const approval = found.find(
    (candidate) => candidate.tokenHash !== undefined && sameSecret(token, candidate.tokenHash),
  );
  if (approval === undefined) throw notFound();
  return approval;
}

/** Roles and groups come from the directory where there is one; what a request says of itself does not count then. */
async function vouched(engine: Engine, person: Person, approval: Approval): Promise<Person> {
  if (engine.people === undefined || person?.kind !== "person" || person.workspaceId !== approval.workspaceId)
    return person;
  const member = await engine.people.member(person.workspaceId, person.userId);
  if (member === undefined) throw errorOf(refuse("user_mismatch", "This person does not belong to the workspace."));
  return { ...person, roles: member.roles, groups: member.groups };
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
