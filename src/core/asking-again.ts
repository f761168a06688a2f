import type { Approval } from "./approval.js";
import { assessRecorded } from "./assess-recorded.js";
import { applyCancel } from "./decide.js";
import { type Engine, loadIntactCall, transition } from "./engine.js";
import { CountersignError, type ErrorCode, errorOf, isRefusal, type Refusal, toCountersignError } from "./errors.js";
import { type Asked, creation, hold, question } from "./hold.js";
import { requesterEnded } from "./recheck.js";
import { argsOf, type Move } from "./record.js";

/** What kept an approved call from its start, and people may answer again. */
const ASKED_ANEW: { readonly [code in ErrorCode]?: string } = {
  preview_changed: "what it would do has changed since it was shown",
  authority_lost: "somebody who asked for it or approved it may no longer do so",
};

/**
 * What was shown, or who said yes to it, counts no longer: the approval ends unspent and the question is put again, with the
 * difference. Both are one commit, so that whoever waits for the old one finds the new one. Where nobody can be asked, it only
 * ends. False for what asking again would not help.
 */
export async function askAnew(engine: Engine, approval: Approval, { refused }: Refusal): Promise<boolean> {
  const why = ASKED_ANEW[refused];
  if (why === undefined) return false;
  const end = (again?: Move) =>
    transition(engine, approval.approvalId, (current, now) => {
      const move = applyCancel(current, "countersign", why, now, again?.next.approvalId);
      return isRefusal(move) || again === undefined ? move : { ...move, beside: creation(engine, again) };
    });
  let again: Move | undefined;
  try {
    again = (await question(engine, await askedAgain(engine, approval))).move;
  } catch (error) {
    engine.notice("call.not_asked", { approvalId: approval.approvalId, why: toCountersignError(error).code });
  }
  const ended = await end(again);
  if (again !== undefined && isRefusal(ended) && ended.refused === "too_many_pending") await end();
  return true;
}

/** Puts the same call again, with a new id, linked to the one it follows. */
export async function holdAgain(engine: Engine, approval: Approval): Promise<Approval> {
  return (await hold(engine, await askedAgain(engine, approval))).approval;
}

/** The call of a record judged anew; it asks, whatever would be allowed by now, because somebody wanted to see it. */
async function askedAgain(engine: Engine, approval: Approval): Promise<Asked> {
  const ended = await requesterEnded(engine, approval);
  if (ended) throw errorOf(ended);
  const call = await loadIntactCall(engine, approval);
  if (isRefusal(call)) throw errorOf(call);
  const asked = await assessRecorded(engine, approval, call, argsOf(call), false);
  // What an allowed call would take or be limited by says nothing to a question.
  const { counts: _counts, until: _until, ...verdict } = asked.verdict;
  if (verdict.type === "deny")
    throw new CountersignError("policy_denied", verdict.reason ?? "The policy denies this now.");
  const { proposed } = call;
  const edited = proposed === undefined ? {} : { edited: { editors: approval.editors, proposed } };
  return { ...asked, ...edited, verdict: { ...verdict, type: "confirm" } };
}
