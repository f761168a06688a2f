import type { Locale } from "../core/tool.js";
import { Approvals } from "./approvals.js";
import { Calls, type RunOptions, type SentCall } from "./calls.js";
import { type DeviceProver, deviceTokens } from "./device-tokens.js";
import { type EventsOptions, liveEvents } from "./events.js";
import { Replies } from "./replies.js";
import type { OnRetry } from "./retry.js";
import { type Authorize, Transport } from "./transport.js";

export interface ClientOptions {
  /** Where the server is, as people know it: `https://countersign.example.com`. */
  readonly url: string;
  /** An agent's API key. Left out with `session`, the browser's own cookie counts. */
  readonly key?: string | undefined;
  /** A terminal's session token. */
  readonly session?: string | undefined;
  /** Needed by people who belong to several. */
  readonly workspace?: string;
  /** The agent's own name for its run, for every call that names none. */
  readonly sessionId?: string;
  /** Proves which device this is, for keys that work from approved devices alone. */
  readonly device?: DeviceProver;
  readonly locale?: Locale;
  readonly fetch?: typeof fetch;
  /** Told before something is tried again: a server that is not there, a limit that has to pass first. Silent unless given. */
  readonly onRetry?: OnRetry;
}

/** A server, typed. Holds nothing open by itself; only what is awaited or iterated does. */
export type Client = ReturnType<typeof createClient>;

/** Talks to one server, as an agent by `key`, as a terminal by `session`, or from a page of that server by its cookie. */
export function createClient(options: ClientOptions) {
  const { url, workspace, sessionId, locale, onRetry, fetch: own } = options;
  const transport = new Transport({
    url,
    workspace,
    authorize: authorizeBy(options),
    onRetry,
    // Browsers want their own `fetch` called on nothing but the window.
    fetch: own ?? ((input, init) => fetch(input, init)),
  });
  const calls = new Calls(transport, sessionId);
  return {
    calls,
    approvals: new Approvals(transport, locale),
    replies: new Replies(transport),
    /** Asks and waits: the whole life of a call in one line. */
    run: (call: SentCall, wait?: RunOptions) => calls.run(call, wait),
    /** What happens, as it happens, without a gap. */
    events: (listen?: EventsOptions) => liveEvents(transport, listen),
    /** Any other route of the server, with the same credentials and errors. */
    request: <Body>(...sent: Parameters<Transport["json"]>) => transport.json<Body>(...sent),
    /** The same, its answer read as it comes. */
    open: (...sent: Parameters<Transport["stream"]>) => transport.stream(...sent),
  };
}

function authorizeBy({ key, session, device }: ClientOptions): Authorize {
  if (key !== undefined && device !== undefined) return deviceTokens(key, device);
  const bearer = key ?? session;
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  return async () => headers;
}
