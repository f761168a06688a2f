import { ChannelError } from "../channel.js";

/** What the library throws, known by its code: two copies may be loaded. */
interface Failure {
  readonly code?: unknown;
  readonly retryAfter?: unknown;
  readonly statusCode?: unknown;
  readonly data?: { readonly error?: unknown; readonly response_metadata?: { readonly retryAfter?: unknown } };
}

const BUSY = new Set(["ratelimited", "rate_limited", "message_limit_exceeded"]);
const DOWN = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"]);
const GONE = new Set([
  "channel_not_found",
  "not_in_channel",
  "is_archived",
  "is_inactive",
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
  "user_not_found",
  "user_not_in_channel",
  "user_disabled",
  "messages_tab_disabled",
  "restricted_action",
  "restricted_action_read_only_channel",
]);
const UNKNOWN_TOKEN = new Set([
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "not_allowed_token_type",
  "missing_scope",
  "no_permission",
]);

export function channelErrorOf(thrown: unknown): ChannelError {
  if (thrown instanceof ChannelError) return thrown;
  const { code, retryAfter, statusCode, data } = (thrown ?? {}) as Failure;
  if (code === "slack_webapi_rate_limited_error") return busy(retryAfter);
  if (code === "slack_webapi_http_error") {
    const answered = `Slack answered with status ${String(statusCode)}.`;
    return new ChannelError(Number(statusCode) >= 500 ? "down" : "refused", answered);
  }
  const error = platformErrorOf(thrown);
  if (error === undefined) return new ChannelError("down", "Slack cannot be reached.");
  if (BUSY.has(error)) return busy(data?.response_metadata?.retryAfter);
  const reason = DOWN.has(error) ? "down" : GONE.has(error) ? "gone" : "refused";
  return new ChannelError(reason, `Slack answered: ${error}`);
}

/** Whether an operator has to mend a token or a scope; the word that Slack says it with. */
export function tokenProblemOf(thrown: unknown): string | undefined {
  const error = platformErrorOf(thrown);
  return error !== undefined && UNKNOWN_TOKEN.has(error) ? error : undefined;
}

function platformErrorOf(thrown: unknown): string | undefined {
  const { code, data } = (thrown ?? {}) as Failure;
  return code === "slack_webapi_platform_error" && typeof data?.error === "string" ? data.error : undefined;
}

function busy(seconds: unknown): ChannelError {
  const retryAfter = typeof seconds === "number" ? { retryAfter: seconds * 1000 } : {};
  return new ChannelError("busy", "Slack asks for patience.", retryAfter);
}
