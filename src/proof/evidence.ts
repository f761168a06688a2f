import { type Approval, isFinal } from "../core/approval.js";
import { ERASED } from "../core/audit.js";
import { decodeApproval, decodeCall } from "../core/codec.js";
import { CountersignError } from "../core/errors.js";
import type { Json } from "../core/json.js";
import type { Entry, Store } from "../core/ports.js";
import { type CallRecord, callId } from "../core/record.js";
import { readUnchecked } from "./checkpoint.js";
import { entriesOf } from "./export.js";
import { asciiJson, type EntryLine, toLine } from "./lines.js";

export const EVIDENCE = "countersign/evidence/v1";

/**
 * One call's evidence. `entries` run without a gap from the call's first entry to its last, or on to the checkpoint; those of
 * other calls are there for their links alone, without content. `after` is the point they go on from.
 */
export interface Evidence {
  readonly evidence: typeof EVIDENCE;
  readonly workspace: string;
  readonly approvalId: string;
  /** What was asked, one per revision; absent where it was erased. */
  readonly calls: readonly { readonly revision: number; readonly call: CallRecord | null }[];
  /** What the run gave back; its hash stands in the chain. */
  readonly result?: Json;
  readonly after: { readonly seq: number; readonly hash: string | null };
  readonly entries: readonly EntryLine[];
  readonly checkpoint: string | null;
}

/** Clocks of several instances differ a little; the first entry is looked for from here on. */
const MARGIN = 10 * 60_000;

/**
 * Everything about one call as one file: what was asked, who decided, how it ended, and the links that tie it to a signed
 * checkpoint. `checkpoints` are notes from a sink; without them the newest one kept beside the chain is used.
 */
export async function exportEvidence(
  store: Store,
  approvalId: string,
  options: { readonly checkpoints?: readonly string[] } = {},
): Promise<string> {
  const record = await store.get("approval", approvalId);
  if (record === undefined) throw new CountersignError("not_found", "There is no such approval.");
  const approval = decodeApproval(record);
  const { workspaceId } = approval;
  const notes =
    options.checkpoints ?? [(await store.checkpoint(workspaceId)).signed].filter((note) => note !== undefined);
  const { before, entries, checkpoint } = await collect(store, approval, notes);
  const evidence: Evidence = {
    evidence: EVIDENCE,
    workspace: workspaceId,
    approvalId,
    calls: await callsOf(store, approval),
    ...(approval.execution?.result === undefined ? {} : { result: approval.execution.result }),
    after: { seq: before?.seq ?? 0, hash: before === undefined ? null : Buffer.from(before.hash).toString("hex") },
    entries: entries.map((entry) => toLine(entry, entry.ref !== approvalId && entry.type !== ERASED)),
    checkpoint: checkpoint ?? null,
  };
  return `${asciiJson(evidence, 1)}\n`;
}

interface Collected {
  /** The entry before the first of the call. */
  readonly before: Entry | undefined;
  readonly entries: readonly Entry[];
  readonly checkpoint: string | undefined;
}

async function collect(store: Store, approval: Approval, notes: readonly string[]): Promise<Collected> {
  const points = notes
    .map((note) => ({ note, ...readUnchecked(note) }))
    .filter((point) => point.workspaceId === approval.workspaceId)
    .sort((a, b) => a.seq - b.seq);
  let before: Entry | undefined;
  let last = 0;
  let ended = false;
  let erased = false;
  const entries: Entry[] = [];
  for await (const entry of entriesOf(store, approval.workspaceId, await seqBefore(store, approval))) {
    const own = entry.ref === approval.approvalId;
    if (!own && entries.length === 0) {
      before = entry;
      continue;
    }
    entries.push(entry);
    if (own || (erased && entry.type === ERASED)) last = entry.seq;
    // Erased content needs the entry that says so, wherever it stands.
    erased ||= own && entry.content === null;
    ended ||= own && isLast(approval, entry);
    if (ended && !erased && points.some(({ seq }) => seq >= last && seq <= entry.seq)) break;
  }
  const point = points.find(({ seq }) => seq >= last);
  const end = point?.seq ?? last;
  return { before, entries: entries.filter((entry) => entry.seq <= end), checkpoint: point?.note };
}

function isLast(approval: Approval, { type }: Entry): boolean {
  const ran = approval.state === "succeeded" || approval.state === "failed";
  return isFinal(approval.state) && type === (ran ? "call.executed" : "approval.resolved");
}

/** Entries are in order of time, so that the place can be found by halving instead of reading the whole chain. */
async function seqBefore(store: Store, approval: Approval): Promise<number> {
  let low = 0;
  let high = (await store.checkpoint(approval.workspaceId)).seq;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [entry] = await store.entries(approval.workspaceId, middle, 1);
    if (entry === undefined || entry.time >= approval.requestedAt - MARGIN) high = middle;
    else low = middle + 1;
  }
  // One more, because the link goes on from the entry before.
  return Math.max(0, low - 1);
}

async function callsOf(store: Store, { approvalId, revision }: Approval): Promise<Evidence["calls"]> {
  const revisions = Array.from({ length: revision }, (_, index) => index + 1);
  return Promise.all(
    revisions.map(async (number) => {
      const row = await store.get("call", callId(approvalId, number));
      return { revision: number, call: row === undefined ? null : decodeCall(row) };
    }),
  );
}
