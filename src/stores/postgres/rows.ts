import { contentHash } from "../../core/audit.js";
import type { Entry, Head, StoredRecord } from "../../core/ports.js";
import { kindOf } from "../kind-codes.js";
import { unpackId } from "./ids.js";

/** Numbers of 64 bits come as text; all of ours are whole and far below 2⁵³. */
export interface RecordRow {
  readonly kind: string;
  readonly id: Buffer;
  readonly version: string;
  readonly value: string;
}

export function toRecord({ kind, id, version, value }: RecordRow): StoredRecord {
  return { kind: kindOf(kind), id: unpackId(id), version: Number(version), value };
}

export interface EntryRow {
  readonly seq: string;
  readonly time: string;
  readonly type: string;
  readonly ref: Buffer | null;
  readonly salt: Buffer | null;
  readonly content: string | null;
  readonly erased: Buffer | null;
  readonly hash: Buffer;
}

export function toEntry(workspaceId: string, row: EntryRow): Entry {
  const { type, salt, content, erased, hash } = row;
  return {
    workspaceId,
    seq: Number(row.seq),
    time: Number(row.time),
    type,
    ref: row.ref === null ? "" : unpackId(row.ref),
    salt,
    content,
    contentHash: erased ?? contentHash(salt ?? new Uint8Array(), content ?? ""),
    hash,
  };
}

export interface HeadRow {
  readonly id: string;
  readonly seq: string;
  readonly hash: Buffer;
  readonly time: string;
  readonly epoch: string;
  readonly paused: boolean;
  readonly signed: string | null;
}

export function toHead(row: HeadRow): Head & { readonly signed?: string } {
  const { hash, paused, signed } = row;
  const head = {
    workspaceId: row.id,
    seq: Number(row.seq),
    hash,
    time: Number(row.time),
    epoch: Number(row.epoch),
    paused,
  };
  return signed === null ? head : { ...head, signed };
}
