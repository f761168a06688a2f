import { ChannelError } from "../channel.js";

/** What the library throws when Telegram answered with an error. Known by its fields: two copies may be loaded. */
interface ApiFailure {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number };
}

/** Descriptions of 400 that mean that this chat or message will never take it. */
const GONE =
  /chat not found|user not found|peer_id_invalid|message to edit not found|message_id_invalid|message can't be edited|upgraded to a supergroup|chat_write_forbidden|need administrator rights|not enough rights|have no rights|topic_closed|topic_deleted|deactivated/i;

/** The library's errors name the address, which holds the token, so none of them is kept as a cause. */
export function channelErrorOf(thrown: unknown): ChannelError {
  if (thrown instanceof ChannelError) return thrown;
  if (!isApiFailure(thrown)) return new ChannelError("down", "Telegram cannot be reached.");
  const { error_code: code, description, parameters } = thrown;
  const message = `Telegram answered ${code}: ${description}`;
  if (code === 429) {
    const { retry_after: seconds } = parameters ?? {};
    return new ChannelError("busy", message, typeof seconds === "number" ? { retryAfter: seconds * 1000 } : {});
  }
  if (code >= 500) return new ChannelError("down", message);
  const gone = code === 403 || (code === 400 && GONE.test(description));
  return new ChannelError(gone ? "gone" : "refused", message);
}

/** The card shows this already. */
export function isNotModified(thrown: unknown): boolean {
  return isApiFailure(thrown) && thrown.error_code === 400 && thrown.description.includes("message is not modified");
}

/** Somebody else reads this bot's updates now. */
export function isConflict(thrown: unknown): boolean {
  return isApiFailure(thrown) && thrown.error_code === 409;
}

/** Telegram does not know the token: 401, or 404 where it has not even the form of one. */
export function isUnknownToken(thrown: unknown): boolean {
  return isApiFailure(thrown) && (thrown.error_code === 401 || thrown.error_code === 404);
}

function isApiFailure(thrown: unknown): thrown is ApiFailure {
  const { error_code, description } = (thrown ?? {}) as Partial<ApiFailure>;
  return typeof error_code === "number" && typeof description === "string";
}
