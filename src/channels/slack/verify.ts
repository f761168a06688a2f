import { createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookRequest } from "../channel.js";

/** Seconds that a request may be old, or seem to come from the future. */
export const WINDOW = 300;

/**
 * Whether these very bytes were signed with the app's secret, and lately. The signature is judged first: what it does not cover
 * is not even worth a name.
 */
export function verify(request: WebhookRequest, secret: string, now: number): "genuine" | "signature" | "stale" {
  const given = request.headers["x-slack-signature"];
  const timestamp = request.headers["x-slack-request-timestamp"];
  if (given === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return "signature";
  const expected = Buffer.from(signatureOf(request.body, timestamp, secret));
  const presented = Buffer.from(given);
  if (presented.byteLength !== expected.byteLength || !timingSafeEqual(presented, expected)) return "signature";
  return Math.abs(now / 1000 - Number(timestamp)) > WINDOW ? "stale" : "genuine";
}

function signatureOf(body: Buffer, timestamp: string, secret: string): string {
  return `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")}`;
}
