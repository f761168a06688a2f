import { contentHash } from "../../core/audit.js";
import type { Entry, Head, StoredRecord } from "../../core/ports.js";
import { kindOf } from "../kind-codes.js";
import { unpackType } from "./entry-types.js";
import { type Id, unpackId } from "./ids.js";

/* What rows hold, and what they stand for. */

export interface HeadRow extends Omit<Head, "workspaceId" | "paused"> {
  readonly n: number;
  readonly paused: number;
  readonly signed: string | null;
}

export function toHead(workspaceId: string, { seq, hash, time, epoch, paused }: HeadRow): Head {
  return { workspaceId, seq, hash, time, epoch, paused: paused === 1 };
}

export interface EntryRow {
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  readonly ref: Id | null;
  readonly salt: Uint8Array | null;
  readonly content: string | null;
  readonly erased: Uint8Array | null;
  readonly hash: Uint8Array;
}

export function toEntry(workspaceId: string, { seq, time, type, ref, salt, content, erased, hash }: EntryRow): Entry {
  const kept = erased ?? contentHash(salt ?? new Uint8Array(), content ?? "");
  return {
    workspaceId,
    seq,
    time,
    type: unpackType(type),
    ref: ref === null ? "" : unpackId(ref),
    salt,
    content,
    contentHash: kept,
    hash,
  };
}

export interface RecordRow {
  readonly kind: string;
  readonly id: Id;
  readonly version: number;
  readonly value: string;
}

export function toRecord({ kind, id, version, value }: RecordRow): StoredRecord {
  return { kind: kindOf(kind), id: unpackId(id), version, value };
}

/** A counter, and when its time is over. */
export interface CountRow {
  readonly value: number;
  readonly until: number;
}

/** Who holds a key, and until when. */
export interface HeldRow {
  readonly id: string;
  readonly until: number;
}
