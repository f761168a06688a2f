import type { Approval, Person } from "./approval.js";
import { assessRecorded } from "./assess-recorded.js";
import type { Card } from "./card/card.js";
import type { Edit } from "./decide.js";
import { editedAudience } from "./edited-audience.js";
import { type Engine, loadIntactCall } from "./engine.js";
import { CountersignError, errorOf, isRefusal } from "./errors.js";
import { callRecord } from "./hold.js";
import { toPlainJson } from "./json.js";
import { locate } from "./locate.js";
import { restoreMasked } from "./mask.js";
import { argsOf, type CallRecord } from "./record.js";
import type { Locale } from "./tool.js";
import { cardOf } from "./views.js";
import { ofAudience } from "./vouch.js";

/** Edited arguments are a new call: validated, classified, judged and hashed like any other. */
export async function prepareEdit(
  engine: Engine,
  approval: Approval,
  record: CallRecord,
  args: unknown,
): Promise<Edit | undefined> {
  const sent = restoreMasked(toPlainJson(args), argsOf(record), record.sensitive ?? [], engine.mask);
  const asked = await assessRecorded(engine, approval, record, sent, true);
  if (asked.canonical.hash === approval.toolCallHash) return undefined;
  if (asked.verdict.type === "deny")
    throw new CountersignError("policy_denied", asked.verdict.reason ?? "The policy denies these arguments.");
  return {
    toolCallHash: asked.canonical.hash,
    riskTier: asked.classification.riskTier,
    audience: editedAudience(engine, approval, asked, argsOf(record)),
    call: { ...callRecord(asked), proposed: record.proposed ?? argsOf(record) },
  };
}

/** The card as it would be after an edit, with the difference. Nothing is stored: whoever likes it approves with these args. */
export async function draft(
  engine: Engine,
  approvalId: string,
  args: unknown,
  person: Person,
  locale?: Locale,
): Promise<Card | undefined> {
  const approval = await locate(engine, { approvalId });
  await ofAudience(engine, approval, person);
  const call = await loadIntactCall(engine, approval);
  if (isRefusal(call)) throw errorOf(call);
  return cardOf(engine, approval, locale, await prepareEdit(engine, approval, call, args));
}
