import type { EventEmitter } from "node:events";
import type { DWClient, DWClientDownStream } from "dingtalk-stream";
import { CountersignError } from "../../core/errors.js";
import { backoff, pause } from "../waiting.js";
import type { Api } from "./api.js";

/** Something DingTalk asks or tells over the connection. */
export interface Frame {
  readonly topic: "message" | "click";
  readonly id: string;
  readonly data: string;
  /** Answers it; what is not answered comes again. */
  acknowledge(response: object): void;
}

export interface StreamListener {
  received(frame: Frame): void;
  /** A frame that is none. */
  malformed(): void;
  line(state: "up" | "down", why?: string): void;
}

/** A connection that is made anew when it ends, until it is closed. */
export interface Stream {
  close(): Promise<void>;
}

type Socket = EventEmitter & { close(): void; terminate(): void };
type Library = typeof import("dingtalk-stream");

const HANDSHAKE = 15_000;
const GOODBYE = 1000;

/**
 * Connects by DingTalk's own library; rejects when the first connection fails. Three things are done here instead of there:
 * the gateway is asked by us, for the library knows one address only and puts the secret into its errors; a connection that
 * ends is replaced with growing pauses, for the library knocks every second; and a frame that is no JSON is told to the
 * listener, for in the library it ends the process.
 */
export async function openStream(
  api: Api,
  app: { readonly clientId: string; readonly clientSecret: string },
  listener: StreamListener,
): Promise<Stream> {
  const library = await load();
  const closing = new AbortController();
  let current: Connection | undefined;

  interface Connection {
    readonly client: DWClient;
    readonly socket: Socket;
    readonly ended: Promise<void>;
  }

  async function connect(): Promise<void> {
    const client = newClient(library, app, listener, () => {
      // DingTalk is about to end this connection: the next one is made while it still answers.
      if (client !== current?.client) return;
      current = undefined;
      void reconnect("moved");
    });
    const { endpoint, ticket } = await api.openGateway(client.config.subscriptions);
    Reflect.set(client, "dw_url", `${endpoint}?ticket=${encodeURIComponent(ticket)}`);
    await withinHandshake(client);
    const socket = Reflect.get(client, "socket") as Socket;
    const ended = new Promise<void>((resolve) => {
      socket.once("close", () => {
        // Ends its heartbeat, which would go on for ever.
        client.disconnect();
        resolve();
        if (client !== current?.client) return;
        current = undefined;
        if (!closing.signal.aborted) void reconnect("closed");
      });
    });
    current = { client, socket, ended };
    if (closing.signal.aborted) socket.close();
  }

  async function reconnect(why: string): Promise<void> {
    listener.line("down", why);
    for (let failures = 1; !closing.signal.aborted; failures += 1) {
      await pause(backoff(failures), closing.signal);
      if (closing.signal.aborted) return;
      try {
        await connect();
        listener.line("up");
        return;
      } catch {
        // Tried again after a longer pause, for as long as it takes.
      }
    }
  }

  await connect();
  listener.line("up");
  return {
    async close() {
      closing.abort();
      const last = current;
      if (last === undefined) return;
      last.socket.close();
      const patience = setTimeout(() => last.socket.terminate(), GOODBYE);
      await last.ended;
      clearTimeout(patience);
    },
  };
}

function newClient(
  { DWClient: Client, TOPIC_CARD, TOPIC_ROBOT }: Library,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  listener: StreamListener,
  leaving: () => void,
): DWClient {
  const client = new Client({ clientId, clientSecret, keepAlive: true });
  client.config.autoReconnect = false;
  // Its own list is shared by all clients, and asks for every event of the company.
  client.config.subscriptions = [];
  for (const [event, topic] of [
    [TOPIC_ROBOT, "message"],
    [TOPIC_CARD, "click"],
  ] as const) {
    client.registerCallbackListener(event, ({ headers: { messageId: id }, data }: DWClientDownStream) =>
      listener.received({ topic, id, data, acknowledge: (response) => client.socketCallBackResponse(id, response) }),
    );
  }
  const [read, system] = [client.onDownStream.bind(client), client.onSystem.bind(client)];
  client.onDownStream = (data) => {
    try {
      read(data);
    } catch {
      listener.malformed();
    }
  };
  client.onSystem = (frame) => {
    system(frame);
    if (frame.headers.topic === "disconnect") leaving();
  };
  return client;
}

/** The library waits for ever. */
async function withinHandshake(client: DWClient): Promise<void> {
  let patience: NodeJS.Timeout | undefined;
  const opened = client._connect();
  const late = new Promise<never>((_, reject) => {
    patience = setTimeout(() => reject(new Error("No connection in time.")), HANDSHAKE);
  });
  try {
    await Promise.race([opened, late]);
  } catch (thrown) {
    opened.catch(() => undefined);
    client.disconnect();
    throw thrown;
  } finally {
    clearTimeout(patience);
  }
}

async function load(): Promise<Library> {
  try {
    return await import("dingtalk-stream");
  } catch (cause) {
    throw new CountersignError(
      "missing_dependency",
      'The DingTalk channel needs the "dingtalk-stream" package. Install it: npm i dingtalk-stream',
      { cause },
    );
  }
}
