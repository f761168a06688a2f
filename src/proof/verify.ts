import { ChainVerifier } from "../core/audit.js";
import { CountersignError } from "../core/errors.js";
import type { Entry, Store } from "../core/ports.js";
import { type Checkpoint, openCheckpoint } from "./checkpoint.js";
import { readLines } from "./lines.js";

export interface Trust {
  /** Signed notes that were kept somewhere else than the entries. */
  readonly checkpoints: readonly string[];
  /** Public keys whose checkpoints count, retired ones too. */
  readonly publicKeys: readonly string[];
}

/**
 * `valid`: every entry stands under a checkpoint and is what it was then. `unanchored`: the chain holds in itself, but nothing
 * outside vouches for the entries named; whoever owns the store could have written them today. `broken`: it was changed.
 */
export interface ProofReport {
  readonly verdict: "valid" | "unanchored" | "broken";
  readonly workspaceId: string;
  /** Entries that were read and hold. */
  readonly entries: number;
  /** The last entry that a checkpoint vouches for. */
  readonly anchoredTo: number;
  readonly unanchored?: { readonly from: number; readonly to: number };
  /** The first thing that is wrong: what, and at which entry. */
  readonly problem?: { readonly seq: number; readonly text: string };
}

/**
 * Checks an export (a file of `exportEntries`, or entries at hand) against checkpoints, trusting neither the store nor whoever
 * made the export. Finds entries that were changed, removed, inserted, reordered, cut off or rewritten, content that is missing
 * without an erasure, and checkpoints that cannot belong to one history.
 */
export async function verifyExport(
  source: string | Iterable<Entry> | AsyncIterable<Entry>,
  workspaceId: string,
  trust: Trust,
): Promise<ProofReport> {
  let entries = 0;
  const broken = (seq: number, text: string, anchoredTo = 0): ProofReport => ({
    verdict: "broken",
    workspaceId,
    entries,
    anchoredTo,
    problem: { seq, text },
  });
  const opened = openAll(trust, workspaceId);
  if (typeof opened === "string") return broken(0, opened);
  const split = splitView(opened);
  if (split !== undefined) return broken(split.seq, split.text);
  const verifier = new ChainVerifier(workspaceId, opened);
  try {
    for await (const entry of typeof source === "string" ? readLines(source) : source) {
      const bad = verifier.add(entry);
      if (bad) return broken(bad.seq, bad.problem, lastBefore(opened, bad.seq));
      entries++;
    }
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    return broken(entries + 1, error.message, lastBefore(opened, entries + 1));
  }
  const end = verifier.end();
  if (!end.ok) return broken(end.seq, end.problem, lastBefore(opened, end.seq));
  const anchoredTo = opened.at(-1)?.seq ?? 0;
  return anchoredTo === end.seq
    ? { verdict: "valid", workspaceId, entries, anchoredTo }
    : { verdict: "unanchored", workspaceId, entries, anchoredTo, unanchored: { from: anchoredTo + 1, to: end.seq } };
}

/**
 * Before anything runs on a store: is it the one these checkpoints were made of, and not an older copy of it? Throws
 * `chain_broken` when it is not, because on an older copy an approval that was used could be used again.
 */
export async function checkAgainst(store: Store, workspaceId: string, trust: Trust): Promise<Checkpoint | undefined> {
  const refuse = (text: string) => new CountersignError("chain_broken", `Workspace "${workspaceId}": ${text}`);
  const opened = openAll(trust, workspaceId);
  if (typeof opened === "string") throw refuse(opened);
  const split = splitView(opened);
  if (split !== undefined) throw refuse(split.text);
  const last = opened.at(-1);
  if (last === undefined || last.seq === 0) return last;
  const head = await store.checkpoint(workspaceId);
  const when = new Date(last.time).toISOString();
  if (head.seq < last.seq || head.epoch < last.epoch) {
    throw refuse(
      `the store ends at entry ${head.seq}, but a checkpoint of ${when} says that there were ${last.seq}. ` +
        "It is an older copy, or its end was cut off. Nothing is started on it: restore the newer one.",
    );
  }
  const [entry] = await store.entries(workspaceId, last.seq - 1, 1);
  if (entry?.seq !== last.seq || Buffer.compare(entry.hash, last.hash) !== 0) {
    throw refuse(`entry ${last.seq} is not the one that a checkpoint of ${when} names. Its history was rewritten.`);
  }
  return last;
}

/** Of this workspace, in the order of the chain; a note that no trusted key signed is a reason to stop. */
function openAll({ checkpoints, publicKeys }: Trust, workspaceId: string): Checkpoint[] | string {
  try {
    return checkpoints
      .map((note) => openCheckpoint(note, publicKeys))
      .filter((checkpoint) => checkpoint.workspaceId === workspaceId)
      .sort((a, b) => a.seq - b.seq || a.time - b.time);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Two checkpoints that no one chain can have: somebody was shown another history. */
function splitView(sorted: readonly Checkpoint[]): { readonly seq: number; readonly text: string } | undefined {
  for (const [index, later] of sorted.entries()) {
    const earlier = sorted[index - 1];
    if (earlier === undefined) continue;
    const two = earlier.seq === later.seq && Buffer.compare(earlier.hash, later.hash) !== 0;
    if (two || later.epoch < earlier.epoch) {
      return { seq: later.seq, text: `two signed checkpoints at entry ${later.seq} cannot belong to one history.` };
    }
  }
  return undefined;
}

function lastBefore(sorted: readonly Checkpoint[], seq: number): number {
  return sorted.findLast((checkpoint) => checkpoint.seq < seq)?.seq ?? 0;
}
