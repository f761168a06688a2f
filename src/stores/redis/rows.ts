import { contentHash } from "../../core/audit.js";
import { quoted } from "../../core/json.js";
import type { Entry, Head, Kind, StoredRecord } from "../../core/ports.js";
import { emptyHead } from "../apply.js";

/*
 * How things look in Redis: text throughout, so that redis-cli shows it. A text begins with a line that says everything by
 * which a change is judged, and which the script compares. Heads, unique keys and counters are that line alone; after a
 * record's line (version, due time, lists, mirror) comes its value as it came.
 */

/** What the line of a record says besides its version. */
export interface RecordLine {
  readonly due: number | undefined;
  readonly indexes: readonly string[];
  /** The key that mirrors it for others to read. */
  readonly mirror: string | undefined;
}

/** Of a record that is not there. */
export const NOTHING: RecordLine = { due: undefined, indexes: [], mirror: undefined };

export function recordLine(version: number, { due, indexes, mirror }: RecordLine): string {
  const lists = indexes.map(quoted).join(",");
  return `${version} [${due ?? null},[${lists}]${mirror === undefined ? "" : `,${quoted(mirror)}`}]\n`;
}

/** Of a whole row or of its line. */
export function parseLine(row: string): RecordLine {
  const said = row.slice(row.indexOf(" "), row.indexOf("\n"));
  const [due, indexes, mirror] = JSON.parse(said) as [number | null, string[], string?];
  return { due: due ?? undefined, indexes, mirror };
}

/** 0 for a record that is not there. */
export function versionOf(row: string): number {
  return row === "" ? 0 : Number.parseInt(row, 10);
}

export function toRecord(kind: Kind, id: string, row: string): StoredRecord {
  const end = row.indexOf("\n");
  return { kind, id, version: versionOf(row), value: row.slice(end + 1) };
}

export function uniqueLine(id: string, until: number): string {
  return `${until} ${JSON.stringify(id)}\n`;
}

export function toUnique(line: string): { readonly id: string; readonly until: number } {
  return { until: Number.parseInt(line, 10), id: JSON.parse(line.slice(line.indexOf(" "))) as string };
}

export function countLine({ value, until }: { readonly value: number; readonly until: number }): string {
  return `${until} ${value}\n`;
}

export function toCount(line: string): { readonly value: number; readonly until: number } {
  const [until, value] = line.split(" ").map(Number) as [number, number];
  return { value, until };
}

export function headLine({ seq, hash, time, epoch, paused }: Head): string {
  return `${seq} ${base64(hash)} ${time} ${epoch} ${paused ? "paused" : "open"}\n`;
}

export function toHead(workspaceId: string, line: string): Head {
  if (line === "") return emptyHead(workspaceId);
  const [seq, hash = "", time, epoch, paused] = line.slice(0, -1).split(" ");
  return {
    workspaceId,
    seq: Number(seq),
    hash: bytes(hash),
    time: Number(time),
    epoch: Number(epoch),
    paused: paused === "paused",
  };
}

/** 32 random bytes in base64 are 44 characters; an erased content starts with a character that base64 has not. */
const SALT_LENGTH = 44;
const ERASED_MARK = "-";
/** Neither entries nor members of lists may hold it. */
export const SEPARATOR = "\0";

/** The change stands in its last entry: one is enough to find it again. */
export function entryRow({ time, type, ref, hash, salt, content }: Entry, changeId = ""): string {
  const kept = salt === null || content === null ? "" : base64(salt) + content;
  return `${time}\0${type}\0${ref}\0${changeId}\0${base64(hash)}\0${kept}`;
}

export function changeIdOf(row: string): string {
  return row.split(SEPARATOR, 4)[3] ?? "";
}

export function toEntry(workspaceId: string, seq: number, row: string): Entry {
  const [time, type = "", ref = "", , hash = "", kept = ERASED_MARK] = row.split(SEPARATOR);
  return { workspaceId, seq, time: Number(time), type, ref, hash: bytes(hash), ...toContent(kept) };
}

/** The same entry without its content; of that remains what the chain needs. */
export function erasedRow(row: string): string {
  const start = row.lastIndexOf(SEPARATOR) + 1;
  return row.slice(0, start) + ERASED_MARK + base64(toContent(row.slice(start)).contentHash);
}

function toContent(kept: string): Pick<Entry, "salt" | "content" | "contentHash"> {
  if (kept.startsWith(ERASED_MARK)) return { salt: null, content: null, contentHash: bytes(kept.slice(1)) };
  const salt = bytes(kept.slice(0, SALT_LENGTH));
  const content = kept.slice(SALT_LENGTH);
  return { salt, content, contentHash: contentHash(salt, content) };
}

/** What was hashed or minted here is a buffer already; another view of it would cost more than the text. */
function base64(value: Uint8Array): string {
  const buffer = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.length);
  return buffer.toString("base64");
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, "base64");
}
