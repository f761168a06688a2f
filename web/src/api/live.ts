import type { LiveEvent } from "countersign/client";
import { useEffect, useState } from "react";
import { events } from "./http.js";

export type Connection = "live" | "reconnecting" | "offline";

/**
 * Listens to the server's events, from where it stopped after every break. `onEvent` with nothing says that something may have been
 * missed: read the lists.
 */
export function useLive(workspace: string | undefined, onEvent: (event?: LiveEvent) => void): Connection {
  const [connection, setConnection] = useState<Connection>("reconnecting");
  useEffect(() => {
    let listening = new AbortController();
    let after: number | undefined;
    const listen = async ({ signal }: AbortController) => {
      const onConnection = (connected: boolean) => {
        if (signal.aborted) return;
        setConnection(connected ? "live" : navigator.onLine ? "reconnecting" : "offline");
        if (connected) onEvent();
      };
      try {
        for await (const event of events({ after, signal, onConnection })) {
          after = event.seq;
          onEvent(event.type === "stream.reset" ? undefined : event);
        }
      } catch {
        // The right to listen is gone; the lists say why.
        if (!signal.aborted) onEvent();
      }
    };
    // A stream may never notice that the network has gone.
    const offline = () => {
      listening.abort();
      setConnection("offline");
    };
    const online = () => {
      listening.abort();
      listening = new AbortController();
      setConnection("reconnecting");
      void listen(listening);
    };
    void listen(listening);
    addEventListener("online", online);
    addEventListener("offline", offline);
    return () => {
      listening.abort();
      removeEventListener("online", online);
      removeEventListener("offline", offline);
    };
  }, [workspace, onEvent]);
  return connection;
}
