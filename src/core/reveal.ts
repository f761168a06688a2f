import type { Person } from "./approval.js";
import { newEntry, shortHash } from "./audit.js";
import { type Engine, loadCall } from "./engine.js";
import { errorOf, refuse } from "./errors.js";
import { newId } from "./ids.js";
import { locate } from "./locate.js";
import { sensitiveValues } from "./mask.js";
import { argsOf } from "./record.js";
import { type ShownValue, showValue } from "./text/value.js";
import { ofAudience } from "./vouch.js";

/** Shows one hidden value to one person. The entry, without the value, is committed before anything is told. */
export async function reveal(engine: Engine, approvalId: string, label: string, person: Person): Promise<ShownValue> {
  const approval = await locate(engine, { approvalId });
  const who = await ofAudience(engine, approval, person);
  const call = await loadCall(engine, approval);
  const patterns = call?.sensitive ?? [];
  const value = call === undefined ? undefined : sensitiveValues(argsOf(call), patterns).get(label);
  if (value === undefined) throw errorOf(refuse("not_found", "No hidden value stands at this place of the call."));
  const entry = newEntry("value.revealed", approvalId, {
    to: who.userId,
    assurance: who.assurance ?? "host",
    label,
    hash: shortHash(approval.toolCallHash),
  });
  const { workspaceId } = approval;
  const applied = await engine.grouper.commit({ changeId: newId(), workspaceId, puts: [], entries: [entry] });
  if (!applied.ok) throw errorOf(refuse("store_failed", "It could not be written down, so it is not shown."));
  return showValue(value);
}
