import type * as SocketMode from "@slack/socket-mode";
import type * as WebApi from "@slack/web-api";
import { CountersignError } from "../../core/errors.js";
import type { Clock } from "../../core/ports.js";
import { channelErrorOf, tokenProblemOf } from "./errors.js";
import type { Self } from "./parse.js";

export interface SlackOptions {
  /** Of the app in its workspace: xoxb-… */
  readonly botToken: string;
  /** Socket Mode, which needs no public address, unless told that Slack calls. */
  readonly mode?: "connection" | "webhook";
  /** For the connection: xapp-… */
  readonly appToken?: string;
  /** For the webhook: what Slack signs its requests with. */
  readonly signingSecret?: string;
  /** Another address of the Web API. */
  readonly baseUrl?: string;
  /** Judges how old a signed request is. */
  readonly clock?: Pick<Clock, "now">;
}

/** A channel without its secrets does not start: with a blank one anybody could sign. */
export function checkOptions({ botToken, mode, appToken = "", signingSecret = "" }: SlackOptions): void {
  if (!/^xoxb-\S+$/.test(botToken)) {
    throw problem("botToken", "The Slack channel needs the bot token of the installed app; it begins with xoxb-.");
  }
  if (mode !== "webhook" && !/^xapp-\S+$/.test(appToken)) {
    throw problem("appToken", "Socket Mode needs an app-level token with connections:write; it begins with xapp-.");
  }
  if (mode === "webhook" && !/^[0-9a-zA-Z]{20,}$/.test(signingSecret)) {
    throw problem("signingSecret", "Requests by HTTP need the signing secret of the app (Basic Information).");
  }
}

interface Libraries {
  readonly web: typeof WebApi;
  readonly socket: typeof SocketMode | undefined;
}

export async function load(bySocket: boolean): Promise<Libraries> {
  try {
    return {
      web: await import("@slack/web-api"),
      socket: bySocket ? await import("@slack/socket-mode") : undefined,
    };
  } catch (cause) {
    throw new CountersignError(
      "missing_dependency",
      'The Slack channel needs the packages "@slack/web-api" and "@slack/socket-mode". Install them: npm i @slack/web-api @slack/socket-mode',
      { cause },
    );
  }
}

const CALL_WITHIN = 15_000;

/** No tries and no waiting of the library's own, which would go on for half an hour: whoever calls knows until when it matters. */
export function clientOptions({ baseUrl }: SlackOptions): WebApi.WebClientOptions {
  return {
    ...(baseUrl === undefined ? {} : { slackApiUrl: baseUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_WITHIN,
  };
}

/** Its lines would tell operators nothing that the channel does not tell, and could hold what people wrote. */
export function silent({ LogLevel }: typeof WebApi): WebApi.Logger {
  const nothing = () => undefined;
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    setLevel: nothing,
    setName: nothing,
    getLevel: () => LogLevel.ERROR,
  };
}

/** Learns from Slack whose token this is. */
export async function introduce(client: WebApi.WebClient): Promise<Self> {
  const { team_id: teamId, user_id: botUserId } = await mended("botToken", () => client.auth.test());
  if (teamId === undefined || botUserId === undefined) throw problem("botToken", "This is not the token of a bot.");
  return { teamId, botUserId };
}

/** Tells what an operator has to mend from what passes by itself. */
export async function mended<T>(option: "botToken" | "appToken", call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    const error = tokenProblemOf(thrown);
    if (error === undefined) throw channelErrorOf(thrown);
    throw problem(option, `Slack does not take this token (${error}). Install the app anew and copy the token.`);
  }
}

function problem(option: string, message: string): CountersignError {
  return new CountersignError("invalid_request", message, { path: `slack.${option}` });
}
