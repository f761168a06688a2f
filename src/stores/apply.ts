import { contentHash, genesis, linkHash } from "../core/audit.js";
import { randomPooled } from "../core/ids.js";
import type { Applied, Change, Entry, Head, Kind, Put, StoredRecord } from "../core/ports.js";
import { problemOf } from "./broken.js";

/** The few operations a store needs inside one transaction. Everything else about a commit is written once, below. */
export interface Tables {
  head(workspaceId: string): Head;
  setHead(head: Head): void;
  record(kind: Kind, id: string): StoredRecord | undefined;
  /** 0 where there is none. */
  version(kind: Kind, id: string): number;
  put(put: Put): void;
  unique(key: string): { readonly id: string; readonly until: number } | undefined;
  setUnique(key: string, id: string, until: number): void;
  count(key: string): { readonly value: number; readonly until: number } | undefined;
  setCount(key: string, value: number, until: number): void;
  /** Told which changes come next, so that what they are judged by can be read together. */
  foresee?(group: readonly Change[]): void;
  /** The change id comes with the last entry of a change: one is enough to find it again. */
  append(entry: Entry, changeId: string | undefined): void;
}

export function emptyHead(workspaceId: string): Head {
  return { workspaceId, seq: 0, hash: genesis(workspaceId), time: 0, epoch: 0, paused: false };
}

/** Applies a group inside the caller's transaction, one change after the other. */
export function applyGroup(tables: Tables, group: readonly Change[], now: () => number): Applied[] {
  const problems = group.map(problemOf);
  tables.foresee?.(group.filter((_, index) => problems[index] === undefined));
  return group.map((change, index) => {
    const problem = problems[index];
    if (problem === undefined) return applyChange(tables, change, now());
    return { ok: false, refused: "broken", problem, time: now(), epoch: 0 };
  });
}

/**
 * Applies one change that is well formed. All conditions are judged before anything is written, so that a refused
 * change leaves no trace. Time is read after the workspace is locked and never runs backwards.
 */
function applyChange(tables: Tables, change: Change, clock: number): Applied {
  const head = tables.head(change.workspaceId);
  const time = Math.max(clock, head.time);
  const refusal = refusalOf(tables, change, head, time);
  if (refusal) return { ok: false, time, epoch: head.epoch, ...refusal };
  for (const put of change.puts) tables.put(put);
  for (const { key, id, until } of change.unique ?? []) tables.setUnique(key, id, until);
  for (const { key, add, until = Number.MAX_SAFE_INTEGER } of change.counts ?? []) {
    tables.setCount(key, countAt(tables, key, time) + add, until);
  }
  const epoch = head.epoch + (change.tighten || change.paused ? 1 : 0);
  const linked = link(tables, change, head, time);
  const next: Head = { workspaceId: head.workspaceId, ...linked, epoch, paused: change.paused ?? head.paused };
  if (linked.seq !== head.seq || epoch !== head.epoch || next.paused !== head.paused) tables.setHead(next);
  return { ok: true, time, seq: linked.seq, epoch };
}

type Refused = Pick<Extract<Applied, { ok: false }>, "refused" | "current" | "key" | "holder">;

function refusalOf(tables: Tables, change: Change, head: Head, time: number): Refused | undefined {
  if (change.before !== undefined && time >= change.before) return { refused: "late" };
  if (change.after !== undefined && time < change.after) return { refused: "early" };
  if (change.epoch !== undefined && change.epoch !== head.epoch) return { refused: "epoch" };
  const freed: string[] = [];
  for (const { key, id, until } of change.unique ?? []) {
    const held = freed.includes(key) ? undefined : tables.unique(key);
    if (held !== undefined && held.id !== id && held.until > time) return { refused: "taken", key, holder: held.id };
    if (until <= time) freed.push(key);
  }
  for (const put of change.puts) {
    if (tables.version(put.kind, put.id) === put.version) continue;
    const current = tables.record(put.kind, put.id);
    return { refused: "version", ...(current === undefined ? {} : { current }) };
  }
  for (const { key, add, max } of change.counts ?? []) {
    if (max !== undefined && countAt(tables, key, time) + add > max) return { refused: "limit", key };
  }
  return undefined;
}

/** A counter past its time counts from zero. */
export function countAt(tables: Pick<Tables, "count">, key: string, time: number): number {
  const count = tables.count(key);
  return count === undefined || count.until <= time ? 0 : count.value;
}

function link(tables: Tables, change: Change, head: Head, time: number): Pick<Head, "seq" | "hash" | "time"> {
  let { seq, hash } = head;
  change.entries.forEach(({ type, ref, content }, index) => {
    seq++;
    const salt = randomPooled(32);
    const hashed = contentHash(salt, content);
    hash = linkHash(hash, { seq, time, type, ref }, hashed);
    const linked = { workspaceId: change.workspaceId, seq, time, type, ref, salt, content, contentHash: hashed, hash };
    tables.append(linked, index === change.entries.length - 1 ? change.changeId : undefined);
  });
  return { seq, hash, time: change.entries.length === 0 ? head.time : time };
}
