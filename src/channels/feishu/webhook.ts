import { createDecipheriv, createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/ports.js";
import type { RefusedCallback, WebhookAnswer, WebhookRequest } from "../channel.js";
import { MAX_BODY, type Webhook } from "../webhook.js";
import { type FlatEvent, parseRecord, recordIn, textIn } from "./inbound.js";
import { Memory } from "./memory.js";
import type { WebhookKeys } from "./options.js";
import type { Received } from "./receive.js";

/** A challenge is small; it comes without a signature, so nobody gets more than this decrypted unsigned. */
const MAX_CHALLENGE_BYTES = 4 * 1024;
/** The platform documents no window for its signature: this is ours, to both sides. */
const FRESH_FOR = 300_000;
const REMEMBERED = 20_000;

const STATUS: Readonly<Record<RefusedCallback, number>> = {
  signature: 401,
  stale: 401,
  replayed: 401,
  foreign_app: 401,
  malformed: 400,
  too_large: 413,
};

interface WebhookParts {
  readonly keys: WebhookKeys;
  readonly clock: Clock;
  /** Takes in an event that holds. */
  readonly receive: (type: string | undefined, event: FlatEvent) => Promise<Received>;
  /** Told once about each request that is refused. */
  readonly refused: (why: RefusedCallback) => Promise<void>;
}

/**
 * Takes what is posted to the address given in the developer console. Verifies the raw bytes before anything reads them: the
 * official library checks a body it has written anew, compares in variable time, knows no window, and lets clear text beside
 * the ciphertext overrule it.
 */
export function createWebhook({ keys, clock, receive, refused }: WebhookParts): Webhook {
  const requests = new Memory<true>(REMEMBERED);
  const answers = new Memory<Promise<WebhookAnswer>>(REMEMBERED);

  const refuse = async (why: RefusedCallback): Promise<WebhookAnswer> => {
    await refused(why);
    return { status: STATUS[why], body: "{}" };
  };

  const answered = async (event: FlatEvent, eventId: string): Promise<WebhookAnswer> => {
    try {
      const received = await receive(textIn(event, "event_type"), event);
      if ("refused" in received) return await refuse(received.refused);
      return { status: 200, body: JSON.stringify(received.answer) };
    } catch {
      // Not taken in: the platform is to deliver it again, and then it is looked at anew.
      answers.forget(eventId);
      return { status: 500, body: "{}" };
    }
  };

  return async ({ headers, body }) => {
    if (body.length > MAX_BODY) return await refuse("too_large");
    const proof = proofIn(headers);
    if (proof === "absent") return challengeIn(body, keys) ?? (await refuse("signature"));
    if (proof === undefined || !isSigned(proof, body, keys.encryptKey)) return await refuse("signature");

    const now = clock.now();
    const sent = Number(proof.timestamp) * 1000;
    if (Math.abs(now - sent) > FRESH_FOR) return await refuse("stale");
    const request = `${proof.timestamp}:${proof.nonce}`;
    if (requests.recall(request, now) !== undefined) return await refuse("replayed");
    if (!requests.keep(request, true, sent + FRESH_FOR + 1, now)) return { status: 503, body: "{}" };

    const envelope = openBody(body, keys.encryptKey);
    if (envelope === undefined) return await refuse("malformed");
    const challenge = answerChallenge(envelope, keys);
    if (challenge !== undefined) return challenge;
    const header = recordIn(envelope, "header");
    const eventId = textIn(header, "event_id");
    if (eventId === undefined) return await refuse("malformed");
    if (!hasToken(header, keys)) return await refuse("signature");

    // Delivered again by the platform, with a signature of its own: it gets the answer that the first delivery got.
    const first = answers.recall(eventId, now);
    if (first !== undefined) return await first;
    const answer = answered({ ...recordIn(envelope, "event"), ...header }, eventId);
    answers.keep(eventId, answer, now + 2 * FRESH_FOR, now);
    return await answer;
  };
}

interface Proof {
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
}

function proofIn(headers: WebhookRequest["headers"]): Proof | "absent" | undefined {
  const [timestamp, nonce, signature] = ["x-lark-request-timestamp", "x-lark-request-nonce", "x-lark-signature"].map(
    (name) => headers[name],
  );
  if (timestamp === undefined && nonce === undefined && signature === undefined) return "absent";
  if (typeof timestamp !== "string" || typeof nonce !== "string" || typeof signature !== "string") return undefined;
  // Set apart by length and alphabet: timestamp and nonce are hashed without anything between them.
  if (!/^\d{10}$/.test(timestamp) || nonce === "" || !/^[0-9a-f]{64}$/.test(signature)) return undefined;
  return { timestamp, nonce, signature };
}

function isSigned({ timestamp, nonce, signature }: Proof, body: Buffer, encryptKey: string): boolean {
  const expected = createHash("sha256").update(timestamp).update(nonce).update(encryptKey).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(signature, "hex"));
}

/** The body holds ciphertext and nothing beside it. */
function openBody(body: Buffer, encryptKey: string): FlatEvent | undefined {
  const outer = parseRecord(body.toString("utf8"));
  const encrypted = outer === undefined || Object.keys(outer).length !== 1 ? undefined : textIn(outer, "encrypt");
  const clear = encrypted === undefined ? undefined : decrypt(encryptKey, encrypted);
  return clear === undefined ? undefined : parseRecord(clear);
}

/** AES-256-CBC under the hash of the key, the vector before the text; undefined for what is no such text. */
export function decrypt(encryptKey: string, encrypted: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64");
  if (bytes.length < 32 || bytes.length % 16 !== 0) return undefined;
  const key = createHash("sha256").update(encryptKey).digest();
  const decipher = createDecipheriv("aes-256-cbc", key, bytes.subarray(0, 16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/**
 * Saving the address in the console sends a challenge that is encrypted but not signed. Whatever else comes without a
 * signature gets one and the same refusal, so that nobody learns from it what a ciphertext holds.
 */
function challengeIn(body: Buffer, keys: WebhookKeys): WebhookAnswer | undefined {
  const envelope = body.length > MAX_CHALLENGE_BYTES ? undefined : openBody(body, keys.encryptKey);
  return envelope === undefined ? undefined : answerChallenge(envelope, keys);
}

function answerChallenge(envelope: FlatEvent, keys: WebhookKeys): WebhookAnswer | undefined {
  const challenge = textIn(envelope, "challenge");
  if (textIn(envelope, "type") !== "url_verification" || challenge === undefined) return undefined;
  return hasToken(envelope, keys) ? { status: 200, body: JSON.stringify({ challenge }) } : undefined;
}

function hasToken(record: FlatEvent, { verificationToken }: WebhookKeys): boolean {
  if (verificationToken === undefined) return true;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(textIn(record, "token") ?? ""), digest(verificationToken));
}
