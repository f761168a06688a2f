import { CountersignError } from "../core/errors.js";
import type { Head } from "../core/ports.js";
import { decodeBase64, parseVerifyingKey, type SigningKey, type VerifyingKey } from "./key.js";

/*
 * A checkpoint says in public: at this time the chain of this workspace had so many entries and ended in this hash. It is a
 * signed note (C2SP), with the extension lines that a checkpoint may have:
 *
 *   countersign/chain/v1/<workspace, percent-encoded>
 *   <number of entries>
 *   <hash of the last entry, base64>
 *   time <ISO 8601>
 *   epoch <number>
 *
 *   — <key name> <base64(key hash ‖ signature)>
 *
 * The hash is the end of a linear chain, not the root of a Merkle tree: consistency is shown by walking the entries.
 */
const ORIGIN = "countersign/chain/v1/";

export interface Checkpoint {
  readonly workspaceId: string;
  readonly seq: number;
  readonly hash: Uint8Array;
  /** When it was signed. */
  readonly time: number;
  readonly epoch: number;
  readonly keyId: string;
  /** The signed note itself. */
  readonly note: string;
}

export function signCheckpoint(head: Head, time: number, key: SigningKey): string {
  const text = `${ORIGIN}${encodeURIComponent(head.workspaceId)}\n${head.seq}\n${Buffer.from(head.hash).toString("base64")}\ntime ${new Date(time).toISOString()}\nepoch ${head.epoch}\n`;
  const signature = Buffer.concat([Buffer.from(key.keyId, "hex"), key.sign(text)]);
  return `${text}\n— ${key.name} ${signature.toString("base64")}\n`;
}

/**
 * Reads a note that one of these keys signed; anything else throws. Keys that sign no more stay in the list for as long as
 * their checkpoints are to count.
 */
export function openCheckpoint(note: string, publicKeys: readonly string[]): Checkpoint {
  const split = note.lastIndexOf("\n\n");
  const text = note.slice(0, split + 1);
  if (split < 0 || !note.endsWith("\n")) throw broken("it is not a signed note");
  const keyId = signerOf(text, note.slice(split + 2, -1).split("\n"), publicKeys.map(parseVerifyingKey));
  if (keyId === undefined) throw broken("no key that is trusted here has signed it");
  return { ...parseText(text), keyId, note };
}

function signerOf(text: string, lines: readonly string[], keys: readonly VerifyingKey[]): string | undefined {
  for (const line of lines) {
    const [, name, encoded = ""] = /^— (\S+) (\S+)$/u.exec(line) ?? [];
    const bytes = decodeBase64(encoded);
    if (name === undefined || bytes?.length !== 68) continue;
    const keyId = bytes.subarray(0, 4).toString("hex");
    const key = keys.find((known) => known.name === name && known.keyId === keyId);
    if (key?.verify(text, bytes.subarray(4))) return keyId;
  }
  return undefined;
}

const TEXT = new RegExp(`^${ORIGIN}(\\S*)\\n(0|[1-9]\\d*)\\n(\\S+)\\ntime (\\S+)\\nepoch (0|[1-9]\\d*)\\n$`);

function parseText(text: string): Omit<Checkpoint, "keyId" | "note"> {
  const [, workspace = "", seq, root = "", time = "", epoch] = TEXT.exec(text) ?? [];
  const hash = decodeBase64(root);
  if (hash?.length !== 32 || Number.isNaN(Date.parse(time))) throw broken("its form is not known here");
  const numbers = { seq: Number(seq), epoch: Number(epoch), time: Date.parse(time) };
  if (!Object.values(numbers).every(Number.isSafeInteger)) throw broken("its numbers are too large");
  return { workspaceId: decodeURIComponent(workspace), hash, ...numbers };
}

function broken(why: string): CountersignError {
  return new CountersignError("chain_broken", `A checkpoint cannot be trusted: ${why}.`);
}

/** The numbers of a note that was checked elsewhere or made here; proves nothing. */
export function readUnchecked(note: string): Omit<Checkpoint, "keyId" | "note"> {
  return parseText(note.slice(0, note.lastIndexOf("\n\n") + 1));
}
