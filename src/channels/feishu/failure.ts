import { ChannelError } from "../channel.js";

/** Too often, or another try with the same id is still under way. */
const BUSY = new Set([99991400, 230020, 230049]);
/**
 * The bot is no longer in the group or the chat was dissolved; the person left, is out of the app's reach or wants nothing from
 * it; the message was recalled, deleted or is older than the fourteen days in which cards can change.
 */
const GONE = new Set([230002, 230045, 232009, 230013, 230029, 230053, 230011, 230050, 230110, 230031]);
const EXPIRED_TOKEN = new Set([99991663, 99991664, 99991677]);

/** How every answer of the platform begins. */
export interface Answer {
  readonly code?: number | undefined;
  readonly msg?: string | undefined;
}

interface HttpFailure {
  readonly response?: {
    readonly status?: number;
    readonly data?: unknown;
    readonly headers?: Readonly<Record<string, unknown>>;
  };
}

/** The one table from the platform's answers to why a message did not get through. */
export function failureOf(thrown: unknown): ChannelError {
  if (thrown instanceof ChannelError) return thrown;
  const response = responseOf(thrown);
  if (response === undefined) return withoutResponse(thrown);
  const { status = 0, data, headers = {} } = response;
  const answer = (typeof data === "object" && data !== null ? data : {}) as Answer;
  if (status === 429 || BUSY.has(answer.code ?? 0)) return busy(answer, headers);
  if (status >= 500) return new ChannelError("down", `Feishu answers with status ${status}.`);
  return refusalOf(answer, status);
}

/** An answer that came with status 200 and is a refusal all the same. */
export function refusalOf(answer: Answer, status = 200): ChannelError {
  const code = answer.code ?? 0;
  const said = `Feishu refuses it: status ${status}, code ${code}${answer.msg === undefined ? "" : `, ${answer.msg}`}.`;
  if (BUSY.has(code)) return busy(answer, {});
  return new ChannelError(GONE.has(code) ? "gone" : "refused", said);
}

/** The token that was kept is not good any more, as after the secret was changed. */
export function isExpiredToken(thrown: unknown): boolean {
  const data = responseOf(thrown)?.data;
  return typeof data === "object" && data !== null && EXPIRED_TOKEN.has((data as Answer).code ?? 0);
}

function busy({ code }: Answer, headers: Readonly<Record<string, unknown>>): ChannelError {
  const seconds = Number(headers["x-ogw-ratelimit-reset"] ?? headers["retry-after"]);
  const retryAfter = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds * 1000 } : {};
  return new ChannelError("busy", `Feishu asks to slow down (code ${code ?? 0}).`, retryAfter);
}

function responseOf(thrown: unknown): HttpFailure["response"] {
  return typeof thrown === "object" && thrown !== null ? (thrown as HttpFailure).response : undefined;
}

/** Nobody answered, or the library itself says no, as when the app's secret is wrong. */
function withoutResponse(thrown: unknown): ChannelError {
  const { isAxiosError, message } = (thrown ?? {}) as { readonly isAxiosError?: boolean; readonly message?: string };
  if (isAxiosError !== true) return new ChannelError("refused", `Feishu refuses it: ${message ?? "no reason given"}.`);
  // Not the error itself: it holds the request, and that the token and the card.
  return new ChannelError("down", `Feishu does not answer: ${message ?? "no reason given"}.`);
}
