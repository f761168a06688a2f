import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { CountersignError } from "../core/errors.js";
import type { Entry } from "../core/ports.js";
import { escapeText } from "../core/text/escape.js";

/*
 * One entry, one line. In JSON every byte that the chain hashed is there, and everything outside printable ASCII is escaped, so
 * that a line stays a line in every editor, terminal and log. The table form is for people and spreadsheets; it proves nothing.
 */

/** An entry as it stands in a file. */
export interface EntryLine {
  readonly workspace: string;
  readonly seq: number;
  readonly time: number;
  readonly type: string;
  readonly ref: string;
  readonly content: string | null;
  readonly salt: string | null;
  readonly contentHash: string;
  readonly hash: string;
}

const HASH = /^[0-9a-f]{64}$/;

/** `bare` leaves the content out, as if it had been erased: the link still holds. */
export function toLine(entry: Entry, bare = false): EntryLine {
  const { workspaceId, seq, time, type, ref, content, stored, salt } = entry;
  return {
    workspace: workspaceId,
    seq,
    time,
    type,
    ref,
    content: bare ? null : (stored ?? content),
    salt: bare || salt === null ? null : hex(salt),
    contentHash: hex(entry.contentHash),
    hash: hex(entry.hash),
  };
}

/** Strict: what is not exactly an entry is not taken for one. */
export function fromLine(line: unknown): Entry {
  if (!isEntryLine(line))
    throw new CountersignError("chain_broken", "It is not an entry: a field is missing or has another form.");
  const { workspace: workspaceId, seq, time, type, ref, content, salt } = line;
  const bytes = (text: string) => Buffer.from(text, "hex");
  return {
    workspaceId,
    seq,
    time,
    type,
    ref,
    content,
    salt: salt === null ? null : bytes(salt),
    contentHash: bytes(line.contentHash),
    hash: bytes(line.hash),
  };
}

function isEntryLine(line: unknown): line is EntryLine {
  const { workspace, seq, time, type, ref, content, salt, contentHash, hash } = (line ?? {}) as Partial<EntryLine>;
  return (
    [workspace, type, ref].every((value) => typeof value === "string") &&
    Number.isSafeInteger(seq) &&
    Number.isSafeInteger(time) &&
    (content === null || typeof content === "string") &&
    (salt === null || isHash(salt)) &&
    isHash(contentHash) &&
    isHash(hash)
  );
}

export function asciiJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The entries of a file of `exportEntries`, one at a time. */
export async function* readLines(path: string): AsyncGenerator<Entry> {
  const input = createReadStream(path, "utf8");
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line !== "") yield fromLine(parse(line));
    }
  } finally {
    input.destroy();
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CountersignError("chain_broken", "It is not a line of JSON.");
  }
}

export const TABLE_HEADER = ["seq", "time", "type", "ref", "content", "hash"].map(quoted).join(",");

export function toTableRow({ seq, time, type, ref, content, hash }: Entry): string {
  const cells = [String(seq), new Date(time).toISOString(), type, ref, content ?? "", hex(hash)];
  return cells.map(toCell).join(",");
}

/** A spreadsheet runs a cell that starts like a formula; an apostrophe makes it text. Controls and line breaks are escaped. */
function toCell(text: string): string {
  const shown = escapeText(text);
  return quoted(/^[=+\-@\t\r]/.test(text) || /^[=+\-@]/.test(shown.trimStart()) ? `'${shown}` : shown);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && HASH.test(value);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
