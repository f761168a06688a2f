import { createHmac } from "node:crypto";
import { type Approval, indexesOf, isFinal } from "../core/approval.js";
import { ERASED, newEntry } from "../core/audit.js";
import { decodeApproval, encodeApproval } from "../core/codec.js";
import { CountersignError } from "../core/errors.js";
import { newId } from "../core/ids.js";
import type { Store } from "../core/ports.js";
import { callId } from "../core/record.js";

/** Entries whose content goes, and the ended calls that go with them. */
export interface Batch {
  readonly workspaceId: string;
  readonly seqs: readonly number[];
  readonly calls: readonly Approval[];
  /** Also who asked and who answered, not only what. */
  readonly persons: boolean;
  readonly reason: "retention" | "request";
  readonly key: string | undefined;
}

/** Sequence numbers that one erasure names. */
export const MAX_BATCH = 500;

/**
 * Erases for ever: content and salt of the entries, the rows of the calls, and from the approvals everything that was said or
 * can be guessed from a hash. The erasure is an entry; doing it twice is harmless.
 */
export async function eraseBatch(store: Store, batch: Batch): Promise<void> {
  const { workspaceId, seqs, calls, reason, key } = batch;
  const kept = calls.filter((call) => call.toolCallHash !== "");
  const hashes = Object.fromEntries(kept.map((call) => [call.approvalId, keptHash(key ?? "", call.toolCallHash)]));
  const records = calls.flatMap((call) =>
    Array.from({ length: call.revision }, (_, index) => ({
      kind: "call" as const,
      id: callId(call.approvalId, index + 1),
    })),
  );
  const entry = newEntry(ERASED, "", {
    seqs: [...seqs],
    reason,
    ...(key === undefined || kept.length === 0 ? {} : { hashes }),
  });
  // Stripped first: a store that overwrites what it erases then has everything to overwrite.
  await stripAll(store, calls, batch.persons);
  await store.erase({ workspaceId, seqs, records }, entry);
}

/** A result may be released while it is erased: then the newer row is stripped, or it would stay for ever. */
async function stripAll(store: Store, calls: readonly Approval[], persons: boolean): Promise<void> {
  for (let left = calls; left.length > 0; ) {
    const applied = await store.commit(left.map((call) => strippedChange(store, call, persons)));
    const failed = applied.find((one) => !one.ok && one.refused !== "version");
    if (failed !== undefined) throw new CountersignError("store_failed", "The calls could not be erased.");
    const moved = left.filter((_, index) => applied[index]?.ok === false);
    const fresh = await Promise.all(moved.map((call) => loadEnded(store, call.approvalId)));
    left = fresh.filter((call) => typeof call === "object");
  }
}

/**
 * A keyed hash of an erased call. Whoever still has the call, and the key, can show that it was this one; without the key
 * nobody can guess short values from it.
 */
export function keptHash(key: string, toolCallHash: string): string {
  return createHmac("sha256", key).update("countersign/kept/v1\n").update(toolCallHash).digest("hex");
}

export async function loadEnded(store: Store, approvalId: string): Promise<Approval | "gone" | "open"> {
  const record = await store.get("approval", approvalId);
  if (record === undefined) return "gone";
  const approval = decodeApproval(record);
  return isFinal(approval.state) ? approval : "open";
}

export function endedAt({ execution, resolution, requestedAt }: Approval): number {
  return execution?.finishedAt ?? resolution?.at ?? requestedAt;
}

function strippedChange(store: Store, approval: Approval, persons: boolean) {
  const next = strip(approval, persons, store.time());
  return {
    changeId: newId(),
    workspaceId: approval.workspaceId,
    puts: [
      {
        kind: "approval" as const,
        id: approval.approvalId,
        version: approval.version,
        value: encodeApproval(next),
        indexes: persons ? [] : indexesOf(next),
      },
    ],
    entries: [],
  };
}

/** The row itself stays: it holds its idempotency key, so that a repeated call is refused rather than run again. */
function strip(approval: Approval, persons: boolean, now: number): Approval {
  const { joinKey: _join, tokenHash: _token, execution, resolution, ...rest } = approval;
  const kept: Approval = {
    ...rest,
    toolCallHash: "",
    // A card is drawn from the arguments, so that its hash could be found by trying short ones.
    votes: approval.votes.map(({ cardHash: _card, ...vote }) => vote),
    erasedAt: approval.erasedAt ?? now,
    ...(resolution === undefined ? {} : { resolution: stripResolution(resolution, persons) }),
    ...(execution === undefined ? {} : { execution: stripExecution(execution) }),
  };
  if (!persons) return kept;
  const audience = { ...kept.audience, persons: [] };
  return { ...kept, requester: { userId: GONE, agentId: GONE, sessionId: GONE }, audience, votes: [], editors: [] };
}

const GONE = "erased";
const WAS_ERASED = "it was erased";

function stripResolution({ type, at, by }: NonNullable<Approval["resolution"]>, persons: boolean) {
  return { type, at, ...(persons || by === undefined ? {} : { by }) };
}

function stripExecution(execution: NonNullable<Approval["execution"]>): NonNullable<Approval["execution"]> {
  const { result, error, withheld: _nothingToRelease, ...rest } = execution;
  return {
    ...rest,
    ...(result === undefined ? {} : { resultOmitted: WAS_ERASED }),
    ...(error === undefined ? {} : { error: WAS_ERASED }),
  };
}
