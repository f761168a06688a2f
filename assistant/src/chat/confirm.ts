import { CountersignError, type ErrorCode, inputPreview, type JsonObject, type Outcome } from "countersign";
import { newId } from "../household/household.js";
import { wordsIn } from "../words/words.js";
import type { HeldCall } from "./held-calls.js";
import { ended, type Performed, perform, type Stage } from "./perform.js";
import { ChatError } from "./request.js";

/** How long a confirmed call may take before the reply says that it still runs. */
const PATIENCE = 60_000;

/** The person's yes to what the token names: runs it once, and says what it came to. */
export async function confirm(stage: Stage, call: HeldCall): Promise<Performed> {
  const { gate, person, caller, held, locale } = stage;
  const { approvalId, toolCallHash } = call;
  try {
    const decided = await gate.decide({ approvalId, decision: "approve", toolCallHash }, person);
    if (decided.state === "pending") return said(call, wordsIn(locale).needsOthers);
  } catch (error) {
    return refusedYes(stage, call, error);
  }
  // What it would do has changed, and the gate has put the question anew.
  const { replacedBy } = await gate.approval(approvalId, person);
  if (replacedBy !== undefined) return askAnew(stage, call, replacedBy);
  const outcome = await gate.resume(approvalId, caller, { deadline: PATIENCE });
  if (outcome.type === "pending") return said(call, wordsIn(locale).stillWaits);
  held.remove(approvalId);
  return ended(stage, { ...call, callId: newId("call") }, outcome, await latencyOf(stage, approvalId));
}

/** The new question is put by this chat instead of the gate, so that there is a token for it. */
async function askAnew(stage: Stage, call: HeldCall, replacedBy: string): Promise<Performed> {
  const { gate, caller, held, locale } = stage;
  await gate.cancel({ approvalId: replacedBy }, caller, "asked again in the chat").catch(() => undefined);
  held.remove(call.approvalId);
  const { domain, tool, args } = call;
  const again = await perform(stage, { domain, tool, args, confidence: 1, ask: true });
  return { ...again, text: `${wordsIn(locale).changedSince}\n\n${again.text}` };
}

/** Takes back what waits; what was decided meanwhile is left to be told as news. */
export async function cancelCalls(stage: Stage, calls: readonly HeldCall[]): Promise<readonly string[]> {
  const cancelled: string[] = [];
  for (const { approvalId, description } of calls) {
    const outcome = await stage.gate
      .cancel({ approvalId }, stage.caller, "cancelled in the chat")
      .catch(() => undefined);
    if (outcome?.type !== "cancelled") continue;
    stage.held.remove(approvalId);
    cancelled.push(description);
  }
  return cancelled;
}

/** What became elsewhere of calls that waited in this conversation: approved in the inbox, denied, expired. */
export async function newsOf(stage: Stage, calls: readonly HeldCall[]): Promise<readonly Performed[]> {
  const news: Performed[] = [];
  for (const call of calls) {
    const outcome = await stage.gate.resume(call.approvalId, stage.caller).catch(() => undefined);
    if (outcome?.type === "pending") continue;
    stage.held.remove(call.approvalId);
    if (outcome === undefined) continue;
    const args = await argsAsRun(stage, call, outcome);
    const latency = await latencyOf(stage, call.approvalId);
    news.push(ended(stage, { ...call, args, callId: newId("call") }, outcome, latency));
  }
  return news;
}

/** The arguments it ran with: a person may have changed them. */
export async function argsAsRun({ gate, person }: Stage, call: HeldCall, outcome: Outcome): Promise<JsonObject> {
  if (outcome.type !== "succeeded" || outcome.changes === undefined) return call.args;
  const card = await gate.card(call.approvalId, person).catch(() => undefined);
  return card === undefined ? call.args : inputPreview(card);
}

/** How long the tool itself took, without the time a person took to answer. */
export async function latencyOf({ gate, person }: Stage, approvalId: string): Promise<number> {
  const approval = await gate.approval(approvalId, person).catch(() => undefined);
  const execution = approval?.execution;
  return execution?.finishedAt === undefined ? 0 : execution.finishedAt - execution.startedAt;
}

const NOT_VALID: readonly ErrorCode[] = [
  "not_found",
  "user_mismatch",
  "family_mismatch",
  "expired",
  "already_resolved",
  "already_claimed",
  "hash_mismatch",
  "hash_required",
];

function refusedYes(stage: Stage, call: HeldCall, error: unknown): Performed {
  if (!(error instanceof CountersignError)) throw error;
  stage.notice("chat.confirmation_refused", { code: error.code, approvalId: call.approvalId });
  if (NOT_VALID.includes(error.code)) throw new ChatError("invalid_confirmation", error.code);
  if (error.code === "step_up_required") return said(call, wordsIn(stage.locale).needsMoreProof);
  return said(call, wordsIn(stage.locale).wentWrong);
}

function said({ domain }: HeldCall, text: string): Performed {
  return { domain, text };
}
