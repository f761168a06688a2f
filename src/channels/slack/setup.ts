import type * as SocketMode from "@slack/socket-mode";
import type * as WebApi from "@slack/web-api";
import { CountersignError } from "../../core/errors.js";
import { channelErrorOf, tokenProblemOf } from "./errors.js";
import type { Self } from "./parse.js";

export interface SlackOptions {
  /** Of the app in its workspace: xoxb-… */
  readonly botToken: string;
  /** For Socket Mode, which needs no public address: xapp-… */
  readonly appToken?: string;
  /** For events by HTTP instead: what Slack signs them with. */
  readonly signingSecret?: string;
  /** Another address of the Web API. */
  readonly apiUrl?: string;
  /** The time in milliseconds, to judge how old a signed request is. */
  readonly now?: () => number;
}

/** A channel without its secrets does not start: with a blank one anybody could sign. */
export function checkOptions({ botToken, appToken, signingSecret }: SlackOptions): void {
  if (!/^xoxb-\S+$/.test(botToken)) {
    throw problem("botToken", "The Slack channel needs the bot token of the installed app; it begins with xoxb-.");
  }
  if ((appToken === undefined) === (signingSecret === undefined)) {
    throw problem(
      "appToken",
      "The Slack channel needs an app token for Socket Mode, or a signing secret for HTTP: one.",
    );
  }
  if (appToken !== undefined && !/^xapp-\S+$/.test(appToken)) {
    throw problem("appToken", "Socket Mode needs an app-level token with connections:write; it begins with xapp-.");
  }
  if (signingSecret !== undefined && !/^[0-9a-zA-Z]{20,}$/.test(signingSecret)) {
    throw problem("signingSecret", "Events by HTTP need the signing secret of the app (Basic Information).");
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
export function clientOptions({ apiUrl }: SlackOptions): WebApi.WebClientOptions {
  return {
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
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
