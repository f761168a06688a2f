import { createHash, timingSafeEqual } from "node:crypto";
import type { ChannelEvents } from "../channel.js";
import { MAX_BODY, type Webhook } from "../webhook.js";

const SECRET_HEADER = "x-telegram-bot-api-secret-token";

/**
 * Telegram proves itself by a secret in a header and signs nothing, so the secret is the whole proof: it is compared before the
 * body is looked at. An update is acknowledged after it was handled; what fails comes again, with the same number.
 */
export function telegramWebhook(
  secret: string,
  handle: (update: unknown) => Promise<void>,
  refused: ChannelEvents["refused"],
): Webhook {
  const expected = digest(secret);
  return async (request) => {
    if (request.body.byteLength > MAX_BODY) {
      await refused("too_large");
      return { status: 413, body: "" };
    }
    const given = request.headers[SECRET_HEADER];
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      await refused("signature");
      return { status: 401, body: "" };
    }
    const update = jsonOf(request.body);
    if (update === undefined) {
      await refused("malformed");
      return { status: 400, body: "" };
    }
    await handle(update);
    return { status: 200, body: "" };
  };
}

/** Of one length for every input, so that the comparison tells nothing of the secret's. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
