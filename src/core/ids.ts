import { hash, randomBytes } from "node:crypto";

const POOL_SIZE = 8_192;
let pool = Buffer.alloc(0);
let used = 0;

/** Fresh random bytes, cut from a larger draw: asking the system for a few at a time costs more than all else an id does. */
export function randomPooled(size: number): Buffer {
  if (used + size > pool.length) {
    pool = randomBytes(POOL_SIZE);
    used = 0;
  }
  return pool.subarray(used, (used += size));
}

let lastTime = 0;
let counter = 0;

/**
 * UUID version 7. Ids made by one process sort in the order they were made (a counter fills the 12 bits after the time), so
 * that rows append at the end of an index instead of landing all over it.
 */
export function newId(now: number = Date.now()): string {
  if (now > lastTime) {
    lastTime = now;
    counter = randomPooled(2).readUInt16BE() & 0x7ff;
  } else if (++counter > 0xfff) {
    lastTime++;
    counter = 0;
  }
  const bytes = randomPooled(16);
  bytes.writeUIntBE(lastTime, 0, 6);
  bytes[6] = 0x70 | (counter >> 8);
  bytes[7] = counter & 0xff;
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/*
 * Hashes in one call, and as text: Node makes an object for each hash that is fed bit by bit, and asks twice as long for a buffer
 * as for the digits of one.
 */

export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const [only = ""] = parts;
  const whole =
    parts.length === 1
      ? only
      : Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  return Buffer.from(hash("sha256", whole, "hex"), "hex");
}

export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}

export function sha256Base64(text: string): string {
  return hash("sha256", text, "base64url");
}

/** Without 0/O, 1/I/L and U: read aloud and typed without mistakes. */
const CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A short name for people to tell approvals apart. It locates nothing and authorises nothing. */
export function shortCode(approvalId: string): string {
  const digest = sha256(`countersign/code/v1\n${approvalId}`);
  let code = "";
  for (let i = 0; i < 4; i++) code += CODE_ALPHABET[(digest[i] as number) % CODE_ALPHABET.length];
  return code;
}
