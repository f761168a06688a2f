import type { EventEmitter } from "node:events";
import type * as Library from "dingtalk-stream";
import { CountersignError } from "../../core/errors.js";
import { ChannelError } from "../channel.js";
import type { Api } from "./api.js";

/** Something DingTalk asks or tells over the connection. */
export interface Frame {
  readonly topic: "message" | "click";
  readonly id: string;
  readonly data: string;
  /** Answers it; what is not answered comes again. */
  readonly acknowledge: (response: object) => void;
}

export interface ConnectionListener {
  received(frame: Frame): void;
  /** A frame that is none. */
  malformed(): void;
  /** DingTalk is about to end this connection. */
  leaving(): void;
}

export interface Connection {
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface AppSecrets {
  readonly clientId: string;
  readonly clientSecret: string;
}

type Socket = EventEmitter & { close(): void; terminate(): void; ping(): void };

const HANDSHAKE = 15_000;
const GOODBYE = 1000;
const HEARTBEAT = 8000;

/**
 * Connects by DingTalk's own library, once. Some things are done here instead of there: the gateway is asked by us, for the
 * library knows one address only and puts the secret into its errors; it connects one time, for it would knock every second;
 * a frame that is no JSON is told to the listener, for in the library it ends the process; and opening and closing are ours,
 * for the library announces them on standard output, which belongs to whoever runs this, and has no switch for it.
 */
export async function openConnection(api: Api, app: AppSecrets, listener: ConnectionListener): Promise<Connection> {
  const client = listening(await load(), app, listener);
  let failure: unknown = new ChannelError("down", "DingTalk did not take the connection.");
  client.getEndpoint = async () => {
    try {
      const { endpoint, ticket } = await api.openGateway(client.config.subscriptions);
      Reflect.set(client, "dw_url", `${endpoint}?ticket=${encodeURIComponent(ticket)}`);
      return client;
    } catch (thrown) {
      failure = thrown;
      throw thrown;
    }
  };
  client["_connect"] = opensQuietly(client);
  // The library keeps to itself what failed.
  await client.connect();
  if (!client.connected) throw failure;
  const socket = socketOf(client);
  const stop = heartbeat(socket);
  const ended = new Promise<void>((resolve) => {
    socket.once("close", () => {
      stop();
      resolve();
    });
  });
  return {
    ended,
    async close() {
      socket.close();
      const last = setTimeout(() => socket.terminate(), GOODBYE);
      await ended;
      clearTimeout(last);
    },
  };
}

/** The library's own way to open a socket, but for what it does once it is open: there it has nothing to do for us but talk. */
function opensQuietly(client: Library.DWClient): () => Promise<void> {
  const open = client["_connect"].bind(client);
  return async () => {
    const failed = open();
    const socket: Socket | undefined = socketOf(client);
    if (socket === undefined) return failed;
    socket.removeAllListeners("open");
    const opened = new Promise<void>((resolve) => {
      socket.once("open", () => {
        client.connected = true;
        resolve();
      });
    });
    // Without this it would wait for ever; ending the socket makes the library give up.
    const patience = setTimeout(() => socket.terminate(), HANDSHAKE);
    await Promise.race([opened, failed]).finally(() => clearTimeout(patience));
  };
}

/** Ends a line on which nothing was heard for two beats. */
function heartbeat(socket: Socket): () => void {
  let heard = true;
  for (const sign of ["pong", "message"]) socket.on(sign, () => (heard = true));
  const beat = setInterval(() => {
    if (!heard) return socket.terminate();
    heard = false;
    socket.ping();
  }, HEARTBEAT);
  return () => clearInterval(beat);
}

function socketOf(client: Library.DWClient): Socket {
  return Reflect.get(client, "socket") as Socket;
}

function listening(
  { DWClient, TOPIC_CARD, TOPIC_ROBOT }: typeof Library,
  { clientId, clientSecret }: AppSecrets,
  listener: ConnectionListener,
): Library.DWClient {
  const client = new DWClient({ clientId, clientSecret, keepAlive: false });
  client.config.autoReconnect = false;
  // Its own list is shared by all clients, and asks for every event of the company.
  client.config.subscriptions = [];
  for (const [event, topic] of [
    [TOPIC_ROBOT, "message"],
    [TOPIC_CARD, "click"],
  ] as const) {
    client.registerCallbackListener(event, ({ headers: { messageId: id }, data }) =>
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
    if (frame.headers.topic === "disconnect") listener.leaving();
  };
  return client;
}

async function load(): Promise<typeof Library> {
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
