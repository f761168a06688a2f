import { contentHash } from "../../core/audit.js";
import type { Entry, Head, Kind, Put, StoredRecord } from "../../core/ports.js";
import { emptyHead } from "../apply.js";

/*
 * How things look in Redis: text throughout, so that redis-cli shows it. A record is one line (version, due time, lists) and
 * then its value as it came; the script reads that line alone.
 */

export function recordRow({ version, due, indexes = [], value }: Put): string {
  return `${version + 1} ${due ?? "-"} ${JSON.stringify(indexes)}\n${value}`;
}

export function toRecord(kind: Kind, id: string, row: string): StoredRecord {
  const end = row.indexOf("\n");
  return { kind, id, version: Number.parseInt(row, 10), value: row.slice(end + 1) };
}

/** What the row says besides its value. */
export function headerOf(row: string): { readonly due: number | undefined; readonly indexes: readonly string[] } {
  const [, due, indexes] = /^\d+ (\S+) ([^\n]*)\n/.exec(row) ?? [];
  return { due: due === "-" ? undefined : Number(due), indexes: JSON.parse(indexes ?? "[]") as string[] };
}

/** 32 random bytes in base64 are 44 characters; an erased one starts with a character that base64 has not. */
const SALT_LENGTH = 44;
const ERASED_MARK = "-";

export function contentRow(salt: Uint8Array, content: string): string {
  return base64(salt) + content;
}

export function erasedRow(kept: Uint8Array): string {
  return ERASED_MARK + base64(kept);
}

/** Fields of a chain's stream, in the order they are written in. */
export const ENTRY_FIELDS = ["time", "type", "ref", "change", "hash"] as const;

export type StreamEntry = readonly [id: string, fields: readonly string[]];

export function seqOf([id]: StreamEntry): number {
  return Number.parseInt(id, 10);
}

export function fieldOf([, fields]: StreamEntry, name: (typeof ENTRY_FIELDS)[number]): string {
  return fields[2 * ENTRY_FIELDS.indexOf(name) + 1] ?? "";
}

export function toEntry(workspaceId: string, row: StreamEntry, kept: string | null): Entry {
  return {
    workspaceId,
    seq: seqOf(row),
    time: Number(fieldOf(row, "time")),
    type: fieldOf(row, "type"),
    ref: fieldOf(row, "ref"),
    hash: bytes(fieldOf(row, "hash")),
    ...toContent(kept ?? ERASED_MARK),
  };
}

function toContent(kept: string): Pick<Entry, "salt" | "content" | "contentHash"> {
  if (kept.startsWith(ERASED_MARK)) return { salt: null, content: null, contentHash: bytes(kept.slice(1)) };
  const salt = bytes(kept.slice(0, SALT_LENGTH));
  const content = kept.slice(SALT_LENGTH);
  return { salt, content, contentHash: contentHash(salt, content) };
}

/** The fields of a head that a commit needs, in the order in which they are asked for. */
export const HEAD_FIELDS = ["seq", "hash", "time", "epoch", "paused", "signed"] as const;

type HeadRow = readonly (string | null | undefined)[];

export function toHead(
  workspaceId: string,
  [seq, hash, time, epoch, paused, signed]: HeadRow,
): Head & { signed?: string } {
  const empty = emptyHead(workspaceId);
  return {
    workspaceId,
    seq: Number(seq ?? 0),
    hash: hash ? bytes(hash) : empty.hash,
    time: Number(time ?? 0),
    epoch: Number(epoch ?? 0),
    paused: paused === "1",
    ...(typeof signed === "string" ? { signed } : {}),
  };
}

export function base64(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.length).toString("base64");
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, "base64");
}
