import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { CountersignError } from "../core/errors.js";
import { sha256 } from "../core/ids.js";

/*
 * Signing keys in the text forms of signed notes, so that other tools for transparency logs read them as they are:
 *
 *   public   name+keyhash+base64(1 ‖ 32 bytes)
 *   private  PRIVATE+KEY+name+keyhash+base64(1 ‖ 32 bytes of seed)
 */

/** Signs checkpoints. Holds the private key; keep it where agents cannot read it. */
export interface SigningKey {
  readonly name: string;
  /** First four bytes of the key's hash, in hex: tells which key signed. */
  readonly keyId: string;
  /** The text to hand to whoever verifies. */
  readonly publicKey: string;
  sign(text: string): Uint8Array;
}

export interface VerifyingKey {
  readonly name: string;
  readonly keyId: string;
  verify(text: string, signature: Uint8Array): boolean;
}

const ED25519 = 1;
const PRIVATE = "PRIVATE+KEY+";
// What stands before the raw bytes in the DER forms that node:crypto reads.
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const NAME = /^[^\s+]+$/u;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A new private key as text. `name` says whose key it is: a host name, a company, without blanks and `+`. */
export function generateSigningKey(name: string): string {
  return signingKeyOf(name, randomBytes(32));
}

/** The private key that 32 secret bytes make, as text: the same bytes and name always make the same one. */
export function signingKeyOf(name: string, seed: Uint8Array): string {
  if (!NAME.test(name))
    throw new CountersignError("invalid_call", "A signing key's name is a text without blanks and without +.");
  const keyId = keyHash(name, publicBytes(privateKey(seed))).toString("hex");
  return `${PRIVATE}${name}+${keyId}+${encode(seed)}`;
}

/** The key that a text of `generateSigningKey` holds. Throws where it is none, and never repeats it. */
export function parseSigningKey(text: string): SigningKey {
  const { name, keyId, bytes } = parseKey(text.trim(), PRIVATE);
  const key = privateKey(bytes);
  const raw = publicBytes(key);
  if (keyHash(name, raw).toString("hex") !== keyId) throw notAKey();
  return {
    name,
    keyId,
    publicKey: `${name}+${keyId}+${encode(raw)}`,
    sign: (message) => sign(null, Buffer.from(message), key),
  };
}

export function parseVerifyingKey(text: string): VerifyingKey {
  const { name, keyId, bytes } = parseKey(text.trim(), "");
  if (keyHash(name, bytes).toString("hex") !== keyId) throw notAKey();
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: "der", type: "spki" });
  return { name, keyId, verify: (message, signature) => verify(null, Buffer.from(message), key, signature) };
}

/** Strict: of the many texts that lenient decoders accept for the same bytes, one is right. */
export function decodeBase64(text: string): Buffer | undefined {
  if (!BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

function parseKey(text: string, prefix: string) {
  const [, name = "", keyId = "", encoded = ""] =
    /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text.slice(prefix.length)) ?? [];
  const bytes = decodeBase64(encoded);
  if (!text.startsWith(prefix) || name === "" || bytes?.length !== 33 || bytes[0] !== ED25519) throw notAKey();
  return { name, keyId, bytes: bytes.subarray(1) };
}

/** Never with the text itself: it may be a private key. */
function notAKey(): CountersignError {
  return new CountersignError(
    "invalid_call",
    "This is not a key: expected name+keyhash+base64 with an Ed25519 key in it.",
  );
}

function encode(bytes: Uint8Array): string {
  return Buffer.concat([Buffer.of(ED25519), bytes]).toString("base64");
}

function keyHash(name: string, raw: Uint8Array): Buffer {
  return sha256(`${name}\n`, Buffer.of(ED25519), raw).subarray(0, 4);
}

function privateKey(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
}

function publicBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI.length);
}
