import assert from "node:assert/strict";
import { newEntry, verifyChain } from "../../core/audit.js";
import { newId } from "../../core/ids.js";
import type { Json } from "../../core/json.js";
import type { Applied, Change, Entry, NewEntry, Put, Store, StoredRecord } from "../../core/ports.js";
import type { FakeClock } from "../clock.js";

/** What each test gets: an empty store, and the clock that store reads. */
export interface Bench {
  readonly store: Store;
  readonly clock: FakeClock;
  /** Opens the same data once more; the test's end closes it. */
  readonly reopen: () => Promise<Store>;
}

export interface StoreTest {
  readonly name: string;
  /** Only for stores whose data can be opened again. */
  readonly reopens?: true;
  readonly run: (bench: Bench) => Promise<void>;
}

const WORKSPACE = "workspace";

type Accepted = Extract<Applied, { ok: true }>;
type Refused = Extract<Applied, { ok: false }>;

export function change(parts: Partial<Change> = {}): Change {
  return { changeId: newId(), workspaceId: WORKSPACE, puts: [], entries: [], ...parts };
}

/** Puts an approval; any kind would do, for stores know none of them. */
export function put(
  id: string,
  version: number,
  value: string | null = `value ${version + 1}`,
  more: Partial<Put> = {},
) {
  return { kind: "approval" as const, id, version, value, ...more };
}

export function entry(content: { readonly [key: string]: Json } = {}, type = "thing.happened", ref = ""): NewEntry {
  return newEntry(type, ref, content);
}

export async function commitOne(store: Store, parts: Partial<Change> = {}): Promise<Applied> {
  const applied = await store.commit([change(parts)]);
  assert.equal(applied.length, 1, "one change, one answer");
  return applied[0] as Applied;
}

export async function accepted(store: Store, parts: Partial<Change> = {}): Promise<Accepted> {
  const applied = await commitOne(store, parts);
  assert.ok(applied.ok, `expected it to be applied: ${JSON.stringify(applied)}`);
  return applied;
}

export async function refused(store: Store, reason: Refused["refused"], parts: Partial<Change>): Promise<Refused> {
  const applied = await commitOne(store, parts);
  assert.equal(applied.ok ? "applied" : applied.refused, reason);
  return applied as Refused;
}

export function isRefused(reason: Refused["refused"]): (applied: Applied) => boolean {
  return (applied) => !applied.ok && applied.refused === reason;
}

export async function allEntries(store: Store, workspaceId = WORKSPACE): Promise<readonly Entry[]> {
  return store.entries(workspaceId, 0, 1_000_000);
}

/** The chain holds and ends at the head. */
export async function assertVerified(store: Store, workspaceId = WORKSPACE): Promise<void> {
  const head = await store.checkpoint(workspaceId);
  const verified = verifyChain(workspaceId, await allEntries(store, workspaceId), head.seq === 0 ? [] : [head]);
  assert.equal(verified.ok, true, JSON.stringify(verified));
  assert.equal(verified.seq, head.seq);
}

export const idsOf = (records: readonly StoredRecord[]): string[] => records.map((record) => record.id);
