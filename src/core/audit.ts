import { sha256 } from "./ids.js";
import { canonicalize, inOnePiece, type Json, sortKeys } from "./json.js";
import type { Entry, NewEntry } from "./ports.js";

/*
 * One chain per workspace. Each link hashes the one before it, so that a changed, removed, inserted or reordered entry breaks
 * every link after it. Content enters as SHA-256(salt ‖ content): it can be erased later and the chain still verifies, and
 * without the salt nobody can guess what stood there.
 */
const CHAIN_TAG = "countersign/chain/v1\n";
const ENTRY_TAG = Buffer.from("countersign/entry/v1\n");
/** Hashing writes a lone surrogate as U+FFFD, so that two different texts would have one hash. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** The entry that names the sequence numbers whose content was erased. It cannot be erased itself. */
export const ERASED = "content.erased";

/** Its keys are words of this package, so that only the values have to be looked at as closely as what comes from outside. */
export function newEntry(type: string, ref: string, content: { readonly [key: string]: Json | undefined }): NewEntry {
  let text = "";
  for (const key of sortKeys(Object.keys(content))) {
    const value = content[key];
    if (value !== undefined) text += `${text === "" ? "" : ","}"${key}":${canonicalize(value)}`;
  }
  return { type, ref, content: inOnePiece(`{${text}}`) };
}

/** A call's hash as entries hold it: the chain is kept for years, and base64 is a third shorter than hex. */
export function shortHash(hex: string): string {
  if (hex === lastShort.hex) return lastShort.short;
  lastShort = { hex, short: Buffer.from(hex, "hex").toString("base64url") };
  return lastShort.short;
}

/** Each step writes its call's hash three times in a row: in its entry, in the record and in a key. */
let lastShort = { hex: "", short: "" };

/** Where a chain starts: bound to its workspace, so that chains cannot be swapped. */
export function genesis(workspaceId: string): Uint8Array {
  return sha256(CHAIN_TAG + workspaceId);
}

export function contentHash(salt: Uint8Array, content: string): Uint8Array {
  return sha256(salt, content);
}

/** Of the link that is being hashed. */
const numbers = Buffer.alloc(20);

/** The link: tag ‖ previous link ‖ seq ‖ time ‖ length of header ‖ header ‖ content hash, big-endian. */
export function linkHash(
  previous: Uint8Array,
  entry: { readonly seq: number; readonly time: number; readonly type: string; readonly ref: string },
  content: Uint8Array,
): Uint8Array {
  const header = `${entry.type}\n${entry.ref}`;
  writeWhole(numbers, entry.seq, 0);
  writeWhole(numbers, entry.time, 8);
  numbers.writeUInt32BE(Buffer.byteLength(header), 16);
  return sha256(ENTRY_TAG, previous, numbers, header, content);
}

/** A safe integer in eight bytes. */
function writeWhole(into: Buffer, value: number, at: number): void {
  into.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  into.writeUInt32BE(value % 2 ** 32, at + 4);
}

export interface ChainPoint {
  readonly seq: number;
  readonly hash: Uint8Array;
}

export type Verification =
  | { readonly ok: true; readonly seq: number; readonly hash: Uint8Array }
  | { readonly ok: false; readonly seq: number; readonly problem: string };

/**
 * Checks exported entries without trusting where they came from: every link, every content, no gap, and that missing content
 * was erased by an entry that says so. `expect` are points known from elsewhere (a head, a checkpoint): a chain that does not
 * run through them was cut or rewritten.
 */
export function verifyChain(
  workspaceId: string,
  entries: Iterable<Entry>,
  expect: readonly ChainPoint[] = [],
): Verification {
  const verifier = new ChainVerifier(workspaceId, expect);
  for (const entry of entries) {
    const bad = verifier.add(entry);
    if (bad) return bad;
  }
  return verifier.end();
}

/** The same, entry by entry, for chains that do not fit in memory. */
export class ChainVerifier {
  readonly #workspaceId: string;
  readonly #expect: ReadonlyMap<number, Uint8Array>;
  readonly #missing = new Set<number>();
  #hash: Uint8Array;
  #seq = 0;
  #time = 0;

  /** `from` is a point to go on from instead of the start; what stands before it is not judged. */
  constructor(workspaceId: string, expect: readonly ChainPoint[] = [], from?: ChainPoint) {
    this.#workspaceId = workspaceId;
    this.#expect = new Map(expect.map((point) => [point.seq, point.hash]));
    this.#hash = from?.hash ?? genesis(workspaceId);
    this.#seq = from?.seq ?? 0;
  }

  /** The problem with this entry, if it has one; nothing after it can be trusted then. */
  add(entry: Entry): Extract<Verification, { ok: false }> | undefined {
    const problem = this.#problemOf(entry);
    if (problem !== undefined) return { ok: false, seq: this.#seq + 1, problem };
    this.#hash = entry.hash;
    this.#seq = entry.seq;
    this.#time = entry.time;
    if (entry.content === null || entry.salt === null) this.#missing.add(entry.seq);
    // An erasure speaks only of what stands before it.
    if (entry.type === ERASED) for (const seq of erasedSeqs(entry)) this.#missing.delete(seq);
    return undefined;
  }

  /** Entries whose content is missing and that no entry so far has declared erased. */
  missing(): readonly number[] {
    return [...this.#missing];
  }

  end(): Verification {
    // Not spread: a checkpoint a minute is more in a season than a function can be given.
    let last = 0;
    for (const seq of this.#expect.keys()) last = Math.max(last, seq);
    if (last > this.#seq)
      return { ok: false, seq: this.#seq + 1, problem: `entries up to ${last} are known to exist and are missing` };
    const [gone] = this.#missing;
    if (gone !== undefined)
      return { ok: false, seq: gone, problem: "its content is missing and no entry says that it was erased" };
    return { ok: true, seq: this.#seq, hash: this.#hash };
  }

  #problemOf(entry: Entry): string | undefined {
    if (entry.seq !== this.#seq + 1) return `expected entry ${this.#seq + 1}, found ${entry.seq}`;
    if (entry.workspaceId !== this.#workspaceId) return "it belongs to another workspace";
    if (!Number.isSafeInteger(entry.time) || entry.time < this.#time) return "its time is before the entry before it";
    if (entry.type.includes("\n") || LONE_SURROGATE.test(entry.type + entry.ref)) return "its type is not a type";
    if (!contentHolds(entry)) return "its content does not match its hash";
    const hash = linkHash(this.#hash, entry, entry.contentHash);
    if (!equal(hash, entry.hash)) return "it does not follow from the entry before it";
    const expected = this.#expect.get(entry.seq);
    return expected === undefined || equal(expected, hash) ? undefined : "it differs from a point known from elsewhere";
  }
}

/** Content without its salt, or the salt alone, proves nothing: both are there and match, or both are gone. */
function contentHolds({ content, stored, salt, contentHash: kept }: Entry): boolean {
  if (content === null || salt === null) return content === salt;
  const hashed = stored ?? content;
  return !LONE_SURROGATE.test(hashed) && equal(contentHash(salt, hashed), kept);
}

/** Whatever is not a list of earlier sequence numbers excuses nothing. */
function erasedSeqs(entry: Entry): number[] {
  try {
    const content = JSON.parse(entry.content ?? "") as { readonly seqs?: unknown } | null;
    const seqs: readonly unknown[] = Array.isArray(content?.seqs) ? content.seqs : [];
    return seqs.filter((seq): seq is number => Number.isSafeInteger(seq) && (seq as number) < entry.seq);
  } catch {
    return [];
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
