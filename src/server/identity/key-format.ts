import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "csk_live_";
const BODY = 40;
const CHECK = 6;

/** For secret scanners: anything of this form that passes `isApiKey` is ours. */
export const API_KEY_PATTERN = /csk_live_[0-9A-Za-z]{46}/;
const WHOLE = new RegExp(`^${API_KEY_PATTERN.source}$`);

/** 40 random characters (238 bits) and a checksum, so that typing errors and random guesses never reach the database. */
export function newApiKey(): string {
  const start = PREFIX + randomText(BODY);
  return start + checksum(start);
}

export function isApiKey(text: unknown): text is string {
  return typeof text === "string" && WHOLE.test(text) && checksum(text.slice(0, -CHECK)) === text.slice(-CHECK);
}

/** Enough to tell one's keys apart, too little to help a guesser: 4 + 4 of 46 characters, the last of which are checksum. */
export function keyHint(key: string): string {
  return `${key.slice(0, PREFIX.length + 4)}…${key.slice(-4)}`;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECK; i++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Bytes that would favour the first digits are drawn again. */
function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += DIGITS[byte % 62];
    }
  }
  return text;
}
