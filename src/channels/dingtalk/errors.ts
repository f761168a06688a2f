import { ChannelError } from "../channel.js";

/** The access token is not, or no longer, good. */
export class TokenRefused extends ChannelError {}

/** A card of this id stands already. */
export class CardExists extends ChannelError {}

/** Too much in one second is answered 403 with one of these codes, not 429. */
const BUSY = /qpslimit|throttl|too\.?(?:fast|many)|^9000[02]|^90018/i;
/** The chat, the person or the card is no more, or the robot is not in it. */
const GONE =
  /cardNotExist|userIdNotExist|staffId\.notExisted|openConversationId(?:\.notExisted)?$|robotCode\.notExsit|robot\.oto\.notExist|chatbotNotInstall|bot\.stopped|resource\.(?:unavailable|not\.found)|illegal\.receivers/i;

/** Judged by the status and the code alone: DingTalk's sentences may repeat what was sent. */
export function channelErrorOf({ status, headers }: Pick<Response, "status" | "headers">, body: unknown): ChannelError {
  const code = codeOf(body);
  const message = `DingTalk answered ${status}${code === "" ? "" : ` ${code}`}.`;
  if (status === 429 || BUSY.test(code)) {
    const seconds = Number.parseFloat(headers.get("retry-after") ?? "");
    return new ChannelError("busy", message, Number.isFinite(seconds) ? { retryAfter: seconds * 1000 } : {});
  }
  if (status >= 500) return new ChannelError("down", message);
  if (status === 401) return new TokenRefused("refused", message);
  if (/cardAlreadyExist/i.test(code)) return new CardExists("refused", message);
  return new ChannelError(status === 404 || GONE.test(code) ? "gone" : "refused", message);
}

/** A code is a word; whatever else stands in its place is not repeated. */
function codeOf(body: unknown): string {
  const { code } = (body ?? {}) as { readonly code?: unknown };
  return typeof code === "string" && /^[\w.-]{1,100}$/.test(code) ? code : "";
}

/** Nobody answered. Names no address: it may hold a ticket. */
export function unreachable(thrown: unknown): never {
  const { name, cause } = thrown instanceof Error ? thrown : new Error("unknown");
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  throw new ChannelError("down", `DingTalk cannot be reached (${typeof code === "string" ? code : name}).`);
}
