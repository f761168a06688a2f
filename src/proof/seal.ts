import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { CountersignError } from "../core/errors.js";
import { sha256 } from "../core/ids.js";

/*
 * AES-256-GCM with a random nonce. What a text is sealed for (`place`) is authenticated with it, so that a sealed text moved to
 * another record, version or workspace does not open. The envelope names its key:
 *
 *   sealed.v1.<key id>.<base64url(nonce ‖ ciphertext ‖ tag)>
 */
const PREFIX = "sealed.v1.";
const NONCE = 12;
const TAG = 16;

/** Keys in the order they came into use. The last one seals; all of them open. */
export interface KeyRing {
  seal(text: string, place: readonly string[]): string;
  /** Throws `unknown_key` for a key that is not in the ring, `hash_mismatch` for a text that was changed or moved. */
  open(sealed: string, place: readonly string[]): string;
}

/** A new sealing key as text: 32 random bytes in base64. */
export function generateSealingKey(): string {
  return randomBytes(32).toString("base64");
}

/**
 * Keys as text, oldest first, as one list or as lines of a key file. To rotate, add a line to every instance's ring; drop an old
 * key only when nothing sealed with it is wanted any more.
 */
export function createKeyRing(keys: string | readonly string[]): KeyRing {
  const texts = (typeof keys === "string" ? keys.split(/[\s,]+/) : keys).filter((text) => text !== "");
  const ring = new Map(texts.map(parseKey).map((key) => [idOf(key), key]));
  const [newest] = [...ring].slice(-1);
  if (newest === undefined) throw new CountersignError("unknown_key", "A key ring needs at least one key.");
  return {
    seal: (text, place) => sealWith(newest[0], newest[1], text, place),
    open(sealed, place) {
      const [keyId = "", body = ""] = sealed.slice(PREFIX.length).split(".");
      const key = ring.get(keyId);
      if (!isSealed(sealed) || key === undefined) {
        throw new CountersignError(
          "unknown_key",
          `This was sealed with the key ${keyId}, which is not here. Nothing was run; add the key to the ring.`,
        );
      }
      return openWith(key, Buffer.from(body, "base64url"), place);
    },
  };
}

export function isSealed(text: string): boolean {
  return text.startsWith(PREFIX);
}

function sealWith(keyId: string, key: Uint8Array, text: string, place: readonly string[]): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG }).setAAD(placeBytes(place));
  const body = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${PREFIX}${keyId}.${body.toString("base64url")}`;
}

function openWith(key: Uint8Array, body: Buffer, place: readonly string[]): string {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAAD(placeBytes(place)).setAuthTag(body.subarray(-TAG));
    return decipher.update(body.subarray(NONCE, -TAG), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new CountersignError("hash_mismatch", "A sealed text was changed, or belongs to another place.", { cause });
  }
}

/** A list, so that no part can bleed into the next. */
function placeBytes(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(["countersign/seal/v1", ...place]));
}

function parseKey(text: string): Buffer {
  const key = Buffer.from(text, "base64");
  if (key.length !== 32 || key.toString("base64") !== text)
    throw new CountersignError(
      "invalid_call",
      "A sealing key is 32 bytes in base64. Make one with generateSealingKey().",
    );
  return key;
}

function idOf(key: Uint8Array): string {
  return sha256("countersign/seal/key/v1\n", key).toString("hex").slice(0, 16);
}
