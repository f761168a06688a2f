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

let digits = "";
let usedDigits = 0;

/** The same as hex digits, written once a draw: a buffer for each id would cost twice what the id itself does. */
export function randomHex(count: number): string {
  if (usedDigits + count > digits.length) {
    digits = randomBytes(POOL_SIZE).toString("hex");
    usedDigits = 0;
  }
  return digits.slice(usedDigits, (usedDigits += count));
}

let lastTime = 0;
let counter = 0;
/** The id that is being made: one text, instead of pieces that are put together wherever it is used. */
const idText = Buffer.from("00000000-0000-7000-8000-000000000000");
const DIGITS = Buffer.from("0123456789abcdef");

/**
 * UUID version 7. Ids made by one process sort in the order they were made (a counter fills the 12 bits after the time), so
 * that rows append at the end of an index instead of landing all over it.
 */
export function newId(now: number = Date.now()): string {
  if (now > lastTime) {
    beginAt(now);
    counter = randomPooled(2).readUInt16BE() & 0x7ff;
  } else if (++counter > 0xfff) {
    beginAt(lastTime + 1);
    counter = 0;
  }
  const random = randomPooled(8);
  writeByte(0x70 | (counter >> 8), 14);
  writeByte(counter & 0xff, 16);
  writeByte(0x80 | ((random[0] as number) & 0x3f), 19);
  writeByte(random[1] as number, 21);
  for (let index = 2; index < 8; index++) writeByte(random[index] as number, 20 + 2 * index);
  return idText.toString("latin1");
}

function beginAt(time: number): void {
  lastTime = time;
  const hex = time.toString(16).padStart(12, "0");
  idText.write(hex.slice(0, 8), 0, "latin1");
  idText.write(hex.slice(8), 9, "latin1");
}

function writeByte(byte: number, at: number): void {
  idText[at] = DIGITS[byte >> 4] as number;
  idText[at + 1] = DIGITS[byte & 15] as number;
}

/*
 * Hashes in one call, and as text: Node makes an object for each hash that is fed bit by bit, and asks half as long again for a
 * buffer as for a text that is copied into one.
 */

/** Where the parts of what is hashed are put together; nothing is awaited between filling it and hashing it. */
const scratch = Buffer.allocUnsafeSlow(8_192);

export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const [only = ""] = parts;
  const digest = Buffer.allocUnsafe(32);
  digest.write(hash("sha256", parts.length === 1 ? only : together(parts), "binary"), "latin1");
  return digest;
}

function together(parts: readonly (string | Uint8Array)[]): Uint8Array {
  let size = 0;
  for (const part of parts) {
    // A UTF-16 unit takes three bytes at most.
    if (size + part.length * 3 > scratch.length)
      return Buffer.concat(parts.map((each) => (typeof each === "string" ? Buffer.from(each) : each)));
    if (typeof part === "string") size += scratch.write(part, size);
    else {
      scratch.set(part, size);
      size += part.length;
    }
  }
  return scratch.subarray(0, size);
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
