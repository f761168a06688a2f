import type * as Grammy from "grammy";
import { CountersignError } from "../../core/errors.js";
import { parseUrl } from "../../core/parse-url.js";
import { channelErrorOf, isUnknownToken } from "./errors.js";

export interface TelegramOptions {
  /** From BotFather. */
  readonly token: string;
  /** Another server of the Bot API, such as one's own. */
  readonly apiRoot?: string;
  /** Telegram calls this address instead of being asked; the secret is its only proof. */
  readonly webhook?: { readonly url: string; readonly secret: string };
  /** Milliseconds for which this instance leaves the updates to another that asked later; 30 seconds unless told. */
  readonly standBy?: number;
}

/** What Telegram takes as a secret. It is the whole proof, so what could be guessed is refused. */
const SECRET_FORM = /^[A-Za-z0-9_-]{32,256}$/;

/** A channel without its secrets does not start: a blank one would be equal to a blank header. */
export function checkOptions({ token, webhook }: TelegramOptions): void {
  if (!/^\d+:[A-Za-z0-9_-]+$/.test(token)) {
    throw new CountersignError("invalid_request", "The Telegram channel needs the bot token that BotFather gives.", {
      path: "telegram.token",
    });
  }
  if (webhook === undefined) return;
  if (!SECRET_FORM.test(webhook.secret)) {
    throw new CountersignError(
      "invalid_request",
      "A Telegram webhook needs a secret of 32 to 256 letters, digits, _ or -. Make one: openssl rand -hex 32",
      { path: "telegram.webhook.secret" },
    );
  }
  if (parseUrl(webhook.url)?.protocol !== "https:") {
    throw new CountersignError("invalid_request", "Telegram calls webhooks by https alone.", {
      path: "telegram.webhook.url",
    });
  }
}

export async function load(): Promise<typeof Grammy> {
  try {
    return await import("grammy");
  } catch (cause) {
    throw new CountersignError(
      "missing_dependency",
      'The Telegram channel needs the "grammy" package. Install it: npm i grammy',
      { cause },
    );
  }
}

/** Tells Telegram where updates go, and learns the bot's name. */
export async function introduce(
  api: Grammy.Api,
  webhook: TelegramOptions["webhook"],
  updates: readonly ("message" | "edited_message" | "callback_query")[],
): Promise<string> {
  try {
    const me = await api.getMe();
    if (webhook === undefined) await api.deleteWebhook();
    else await api.setWebhook(webhook.url, { secret_token: webhook.secret, allowed_updates: updates });
    return me.username;
  } catch (thrown) {
    if (!isUnknownToken(thrown)) throw channelErrorOf(thrown);
    throw new CountersignError(
      "invalid_request",
      "Telegram does not know this bot token. Copy it anew from BotFather (/mybots, API Token).",
      { path: "telegram.token" },
    );
  }
}
