import { z } from "zod";
import type { Clock } from "../../core/ports.js";
import { ChannelError } from "../channel.js";
import { channelErrorOf, TokenRefused, unreachable } from "./errors.js";

export interface ApiOptions {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clock: Clock;
}

interface ApiAnswer<T> {
  readonly body: T;
  /** DingTalk's time, and no earlier than it: its header counts whole seconds. */
  readonly at: number;
}

/** Where to connect to; the ticket is good for one connection, soon. */
interface Gateway {
  readonly endpoint: string;
  readonly ticket: string;
}

/** DingTalk's REST interface. What fails is a `ChannelError`. */
export interface Api {
  /** Asks for a token when it needs one, and once more when the one it has is refused. */
  call<T>(method: "POST" | "PUT", path: string, body: object, form: z.ZodType<T>): Promise<ApiAnswer<T>>;
  openGateway(subscriptions: readonly object[]): Promise<Gateway>;
}

const TIMEOUT = 10_000;
/** A token is renewed before its end, so that none ends on its way. */
const EARLY = 60_000;

const token = z.object({ accessToken: z.string().min(1), expireIn: z.number() });
const gateway = z.object({ endpoint: z.string().min(1), ticket: z.string().min(1) });

export function dingtalkApi({ baseUrl, clientId, clientSecret, clock }: ApiOptions): Api {
  let held: { readonly value: Promise<string>; until: number } | undefined;

  /** Those who come while it is asked for wait for the same one. */
  function accessToken(): Promise<string> {
    if (held !== undefined && clock.now() < held.until) return held.value;
    const asked = { value: ask(), until: Number.POSITIVE_INFINITY };
    held = asked;
    asked.value.catch(() => forget(asked.value));
    return asked.value;

    async function ask(): Promise<string> {
      const form = { appKey: clientId, appSecret: clientSecret };
      const { body } = await send("POST", "/v1.0/oauth2/accessToken", form, token);
      asked.until = clock.now() + body.expireIn * 1000 - EARLY;
      return body.accessToken;
    }
  }

  function forget(value: Promise<string>): void {
    if (held?.value === value) held = undefined;
  }

  async function send<T>(
    method: string,
    path: string,
    body: object,
    form: z.ZodType<T>,
    bearing?: string,
  ): Promise<ApiAnswer<T>> {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: bearing === undefined ? headers : { ...headers, "x-acs-dingtalk-access-token": bearing },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT),
    }).catch(unreachable);
    const answer = jsonOf(await response.text().catch(unreachable));
    if (!response.ok) throw channelErrorOf(response, answer);
    const read = form.safeParse(answer);
    if (!read.success)
      throw new ChannelError("down", "DingTalk answered with a success that lacks what was asked for.");
    const date = Date.parse(response.headers.get("date") ?? "");
    return { body: read.data, at: Number.isNaN(date) ? clock.now() : date + 999 };
  }

  return {
    async call(method, path, body, form) {
      const first = accessToken();
      try {
        return await send(method, path, body, form, await first);
      } catch (thrown) {
        if (!(thrown instanceof TokenRefused)) throw thrown;
        forget(first);
        return send(method, path, body, form, await accessToken());
      }
    },

    async openGateway(subscriptions) {
      const form = { clientId, clientSecret, ua: "countersign", subscriptions };
      return (await send("POST", "/v1.0/gateway/connections/open", form, gateway)).body;
    },
  };
}

/** Some refusals come as a page: no JSON, and nothing that says why. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
