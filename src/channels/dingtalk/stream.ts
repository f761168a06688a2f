import { backoff, pause } from "../waiting.js";
import type { Api } from "./api.js";
import { type AppSecrets, type Connection, type Frame, openConnection } from "./connection.js";

export interface StreamListener {
  received(frame: Frame): void;
  /** A frame that is none. */
  malformed(): void;
  line(state: "up" | "down", why?: string): void;
}

/** A connection that is made anew when it ends, after pauses that grow, until it is closed. */
export interface Stream {
  close(): Promise<void>;
}

/** Rejects when the first connection fails. */
export async function openStream(api: Api, app: AppSecrets, listener: StreamListener): Promise<Stream> {
  const closing = new AbortController();
  let current: Connection | undefined;

  async function connect(): Promise<void> {
    let connection: Connection | undefined;
    connection = await openConnection(api, app, {
      received: (frame) => listener.received(frame),
      malformed: () => listener.malformed(),
      // The next one is made while this one still answers.
      leaving: () => replace("moved"),
    });
    current = connection;
    listener.line("up");
    void connection.ended.then(() => replace("closed"));

    function replace(why: string): void {
      if (connection === undefined || connection !== current) return;
      current = undefined;
      if (!closing.signal.aborted) void reconnect(why);
    }
  }

  async function reconnect(why: string): Promise<void> {
    listener.line("down", why);
    for (let failures = 1; !closing.signal.aborted; failures += 1) {
      await pause(backoff(failures), closing.signal);
      if (closing.signal.aborted) return;
      try {
        await connect();
        // It was closed meanwhile, when there was nothing to close.
        if (closing.signal.aborted) await current?.close();
        return;
      } catch {
        // Tried again after a longer pause, for as long as it takes.
      }
    }
  }

  await connect();
  return {
    async close() {
      closing.abort();
      await current?.close();
    },
  };
}
