import { type Approval, isFinal } from "../../core/approval.js";
import { applyLoss } from "../../core/claim.js";
import { decodeApproval } from "../../core/codec.js";
import { applyCancel, applyExpiry } from "../../core/decide.js";
import { CountersignError, isRefusal } from "../../core/errors.js";
import type { Store } from "../../core/ports.js";
import { moveChange } from "../../core/record.js";
import type { Connection } from "./connection.js";
import type { Keys } from "./keys.js";

const WHY = "the store lost or restored data; what was open then is void";

/**
 * Ends every approval that looks open: whether it was used before the data was lost, nobody can tell any more. What runs
 * becomes unknown; the rest is cancelled, with an entry each, and may be asked again.
 */
export async function cancelOpen(store: Store, connection: Connection, keys: Keys): Promise<void> {
  const pattern = keys.text("approval", "*");
  let cursor = "0";
  do {
    const [next, found] = (await connection.send("SCAN", cursor, "MATCH", pattern, "COUNT", "1000")) as [
      string,
      string[],
    ];
    for (const key of found) await cancelOne(store, key.slice(pattern.length - 1));
    cursor = next;
  } while (cursor !== "0");
}

async function cancelOne(store: Store, id: string): Promise<void> {
  const record = await store.get("approval", id);
  if (record === undefined) return;
  const approval = readable(record);
  if (isFinal(approval.state) || approval.state === "unknown") return;
  const [applied] = await store.commit([moveChange(approval, endOf(approval, store.time()))]);
  if (!applied?.ok) throw new CountersignError("store_failed", "An open approval changed meanwhile. Renew once more.");
}

function readable(record: Parameters<typeof decodeApproval>[0]): Approval {
  try {
    return decodeApproval(record);
  } catch (cause) {
    throw new CountersignError(
      "store_failed",
      "The approvals are sealed, so that the open ones cannot be told from the others. Begin with another prefix instead.",
      { cause },
    );
  }
}

function endOf(approval: Approval, now: number) {
  const move =
    approval.state === "executing"
      ? applyLoss(approval, undefined, WHY)
      : firstOf(applyCancel(approval, "system", WHY, now), applyExpiry(approval, now));
  if (isRefusal(move)) throw new CountersignError("store_failed", move.message);
  return move;
}

function firstOf<T extends object>(one: T, other: T): T {
  return isRefusal(one) ? other : one;
}
