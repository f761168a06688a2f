import type * as Lark from "@larksuiteoapi/node-sdk";
import type { FlatEvent } from "./inbound.js";
import type { Attempt, AttemptEvents } from "./line.js";
import type { CheckedOptions } from "./options.js";
import { CLICK_EVENT, MESSAGE_EVENT } from "./receive.js";
import { boundedHttp, SILENT, TokenCache } from "./sdk.js";

const HANDSHAKE_WITHIN = 10_000;
/** Seconds in which the platform must answer a ping before the connection counts as dead. */
const PONG_WITHIN = 10;

type Handler = (type: string, event: FlatEvent) => Promise<object>;

/**
 * One try of the official library's long connection. Events on it need no signature: the platform was authenticated by TLS and
 * we by the app's secret when the address of the connection was asked for.
 */
export function connectOnce(
  lark: typeof Lark,
  { appId, appSecret, baseUrl }: CheckedOptions,
  handle: Handler,
  events: AttemptEvents,
): Attempt {
  const dispatcher = new lark.EventDispatcher({ logger: SILENT, cache: new TokenCache() }).register({
    [MESSAGE_EVENT]: (event: FlatEvent) => handle(MESSAGE_EVENT, event),
    [CLICK_EVENT]: (event: FlatEvent) => handle(CLICK_EVENT, event),
  });
  const once = settleOnce();
  const http = boundedHttp(lark);
  const client = new lark.WSClient({
    appId,
    appSecret,
    domain: baseUrl,
    logger: SILENT,
    handshakeTimeoutMs: HANDSHAKE_WITHIN,
    wsConfig: { pingTimeout: PONG_WITHIN },
    httpInstance: {
      ...http,
      // Asking for the address: the library would try again by itself, unheard.
      request: async (options) => {
        try {
          return await http.request(options);
        } catch (error) {
          once(() => events.failed("it cannot be reached.", false));
          throw error;
        }
      },
    },
    onReady: () => events.ready(),
    onError: (error) => once(() => events.failed(`it refuses the connection: ${error.message}.`, true)),
    onReconnecting: () => once(() => events.lost()),
  });
  void client.start({ eventDispatcher: dispatcher });
  return { close: () => client.close({ force: true }) };
}

/** Runs the first of what it is given, when the library is done with what it was doing: its timers are set by then. */
function settleOnce(): (act: () => void) => void {
  let settled = false;
  return (act) => {
    if (settled) return;
    settled = true;
    setImmediate(act);
  };
}
