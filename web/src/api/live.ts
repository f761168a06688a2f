import { useEffect, useState } from "react";

/** Something that happened. Its details are read where they are kept. */
export interface LiveEvent {
  readonly seq: number;
  readonly type: string;
  readonly approvalId?: string;
}

/** While the stream is down, lists are read this often. */
const POLL_EVERY = 5_000;
const FIRST_RETRY = 1_000;
const LAST_RETRY = 15_000;

export type Connection = "live" | "reconnecting" | "offline";

/**
 * Listens to the server's events, from where it stopped after every break. `onEvent` with nothing says that something may have been
 * missed: read the lists.
 */
export function useLive(workspace: string | undefined, onEvent: (event?: LiveEvent) => void): Connection {
  const [connection, setConnection] = useState<Connection>("reconnecting");
  useEffect(() => {
    let stopped = false;
    let source: EventSource | undefined;
    let last = 0;
    let wait = FIRST_RETRY;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = (message: MessageEvent<string>) => {
      const event = JSON.parse(message.data) as LiveEvent;
      if (event.seq > last) last = event.seq;
      onEvent(event.type === "stream.reset" ? undefined : event);
    };
    const open = () => {
      if (stopped) return;
      const query = new URLSearchParams({
        ...(last === 0 ? {} : { after: String(last) }),
        ...(workspace === undefined ? {} : { workspace }),
      });
      source = new EventSource(`/v1/events?${query}`);
      source.addEventListener("open", () => {
        wait = FIRST_RETRY;
        setConnection("live");
        onEvent();
      });
      source.addEventListener("message", listen);
      source.addEventListener("error", () => {
        // Our own retry: the browser's gives up on an error status, and tells nobody.
        source?.close();
        setConnection(navigator.onLine ? "reconnecting" : "offline");
        clearTimeout(timer);
        timer = setTimeout(open, wait);
        wait = Math.min(wait * 2, LAST_RETRY);
      });
    };
    const online = () => {
      clearTimeout(timer);
      source?.close();
      open();
    };
    const offline = () => setConnection("offline");
    open();
    const poll = setInterval(() => {
      if (source?.readyState !== EventSource.OPEN) onEvent();
    }, POLL_EVERY);
    addEventListener("online", online);
    addEventListener("offline", offline);
    return () => {
      stopped = true;
      clearTimeout(timer);
      clearInterval(poll);
      source?.close();
      removeEventListener("online", online);
      removeEventListener("offline", offline);
    };
  }, [workspace, onEvent]);
  return connection;
}
