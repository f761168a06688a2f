import { useEffect, useState } from "react";
import { readEvents } from "./event-stream.js";

/** Something that happened. Its details are read where they are kept. */
export interface LiveEvent {
  readonly seq: number;
  readonly type: string;
  readonly approvalId?: string;
}

/** While the stream is down, lists are read this often. */
const POLL_EVERY = 5_000;
const FIRST_RETRY = 1_000;
const LAST_RETRY = 5_000;
/** The server says something every quarter of a minute; a stream that is silent for longer is dead. */
const SILENCE = 40_000;

export type Connection = "live" | "reconnecting" | "offline";

/**
 * Listens to the server's events, from where it stopped after every break. `onEvent` with nothing says that something may have been
 * missed: read the lists.
 */
export function useLive(workspace: string | undefined, onEvent: (event?: LiveEvent) => void): Connection {
  const [connection, setConnection] = useState<Connection>("reconnecting");
  useEffect(() => {
    const stopped = new AbortController();
    const network = new EventTarget();
    let isOpen = false;
    const down = () => setConnection(navigator.onLine ? "reconnecting" : "offline");
    void listen({
      workspace,
      signal: stopped.signal,
      network,
      onEvent,
      onOpen: () => {
        isOpen = true;
        setConnection("live");
        onEvent();
      },
      onClose: () => {
        isOpen = false;
        down();
      },
    });
    const online = () => network.dispatchEvent(new Event("back"));
    const offline = () => network.dispatchEvent(new Event("gone"));
    const poll = setInterval(() => {
      if (!isOpen) onEvent();
    }, POLL_EVERY);
    addEventListener("online", online);
    addEventListener("offline", offline);
    return () => {
      stopped.abort();
      clearInterval(poll);
      removeEventListener("online", online);
      removeEventListener("offline", offline);
    };
  }, [workspace, onEvent]);
  return connection;
}

interface Listening {
  readonly workspace: string | undefined;
  readonly signal: AbortSignal;
  /** `back` ends a wait between two tries; `gone` ends a stream that may never notice. */
  readonly network: EventTarget;
  onOpen(): void;
  onClose(): void;
  onEvent(event?: LiveEvent): void;
}

async function listen({ workspace, signal, network, onOpen, onClose, onEvent }: Listening): Promise<void> {
  let last = 0;
  let wait = FIRST_RETRY;
  while (!signal.aborted) {
    const stream = new AbortController();
    const end = () => stream.abort();
    signal.addEventListener("abort", end, { once: true });
    network.addEventListener("gone", end, { once: true });
    let silence = setTimeout(end, SILENCE);
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE);
    };
    try {
      const query = new URLSearchParams({
        ...(last === 0 ? {} : { after: String(last) }),
        ...(workspace === undefined ? {} : { workspace }),
      });
      const response = await fetch(`/v1/events?${query}`, {
        signal: stream.signal,
        credentials: "same-origin",
        cache: "no-store",
      });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (!response.ok || !isStream || response.body === null) throw new Error(`HTTP ${response.status}`);
      wait = FIRST_RETRY;
      onOpen();
      for await (const { data } of readEvents(response.body, alive)) {
        const event = JSON.parse(data) as LiveEvent;
        if (event.seq > last) last = event.seq;
        onEvent(event.type === "stream.reset" ? undefined : event);
      }
    } catch {
      // Whatever it was, the next try tells.
    }
    clearTimeout(silence);
    if (signal.aborted) return;
    onClose();
    await pause(wait, network, signal);
    wait = Math.min(wait * 2, LAST_RETRY);
  }
}

function pause(milliseconds: number, network: EventTarget, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    network.addEventListener("back", end, { once: true });
    signal.addEventListener("abort", end, { once: true });
  });
}
