import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { CountersignError } from "../../core/errors.js";
import { parseStrictJson } from "../../core/strict-json.js";
import { agentOf, checkOrigin, personIn, sessionOf, sessionToken, workspaceNamed } from "../http/credentials.js";
import { isOwnHost, wrongHost } from "../http/hosts.js";
import { type Presented, pathOf, searchOf } from "../http/incoming.js";
import { passed } from "../http/limits.js";
import { headerOf } from "../http/node-incoming.js";
import { problemOf } from "../http/problem.js";
import type { PersonPrincipal } from "../identity/index.js";
import { notSignedIn } from "../identity/sessions.js";
import type { Service } from "../service.js";
import { CLOSED, Device, type DeviceContext, type DeviceOptions } from "./device.js";
import { SkillMessages } from "./skill-messages.js";
import { SkillTokens } from "./skill-tokens.js";

const SOCKET_PATH = "/v1/socket";
const MAX_MESSAGE = 256 * 1_024;
const HEARTBEAT = 30_000;
/** Whoever brings no session along has this long to send one. */
const TIME_TO_SIGN_IN = 10_000;
/** Whoever does not answer that their socket is closed is not waited for. */
const TIME_TO_LEAVE = 2_000;
const STRANGERS_A_MINUTE = 60;
const MAX_DEVICES = 50;

type Payload = Readonly<Record<string, unknown>>;

interface Entered {
  readonly by: PersonPrincipal;
  readonly options: DeviceOptions;
}

/** Serves people's devices at `/v1/socket` of this server. Closing ends them all; they come back and miss nothing. */
export function attachSockets(service: Service, server: Server): { close(): void } {
  const sockets = new Sockets(service);
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    sockets.upgrade(request, socket, head).catch((error: unknown) => refuse(socket, error));
  };
  server.on("upgrade", upgrade);
  return {
    close() {
      server.off("upgrade", upgrade);
      sockets.close();
    },
  };
}

class Sockets {
  readonly #context: DeviceContext;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });
  readonly #heard = new WeakSet<WebSocket>();
  readonly #devices = new Map<string, number>();
  #cancelBeat: () => void;

  constructor(service: Service) {
    const tokens = new SkillTokens();
    this.#context = { service, tokens, messages: new SkillMessages(service, tokens) };
    this.#cancelBeat = this.#beat();
  }

  /**
   * Who it is comes before the handshake where a cookie or header tells it, else as the first message. A cookie is not enough:
   * a browser says the ticket first that a page of ours has asked for.
   */
  async upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { service } = this.#context;
    if (!isOwnHost(service.doors.hosts, incoming.headers.host ?? "")) throw wrongHost();
    const request = requestOf(service, incoming);
    if (request.header("upgrade")?.toLowerCase() !== "websocket") {
      throw new CountersignError(
        "not_supported",
        "This server upgrades to WebSocket alone. A client that asks for HTTP/2 without TLS, as Java's does, is set to HTTP/1.1.",
        { path: "upgrade" },
      );
    }
    if (pathOf(request) !== SOCKET_PATH) {
      throw new CountersignError("not_found", "There is nothing at this address.");
    }
    // Whatever a page of another site brings along, it does not open a socket here.
    if (request.header("origin") !== undefined) checkOrigin(service.doors, request);
    const options = optionsOf(searchOf(request));
    const by = await this.#personOf(request);
    if (by === undefined) await this.#countStranger(incoming);
    const signsIn = request.header("authorization") === undefined;
    const token = signsIn ? sessionToken(service.doors, request) : undefined;
    this.#server.handleUpgrade(incoming, socket, head, (opened) => {
      this.#heard.add(opened);
      opened.on("pong", () => this.#heard.add(opened));
      opened.on("error", () => opened.terminate());
      if (by === undefined) this.#first(opened, (said) => this.#signIn(said, options));
      else if (token === undefined) void this.#open(opened, by, options);
      else this.#first(opened, (said) => this.#present(said, by, token, options));
    });
  }

  close(): void {
    this.#cancelBeat();
    for (const socket of this.#server.clients) socket.close(CLOSED.leaving, "the server is closing");
    this.#server.close();
    this.#context.service.clock.timer(TIME_TO_LEAVE, () => {
      for (const socket of this.#server.clients) socket.terminate();
    });
  }

  async #personOf(request: Presented): Promise<PersonPrincipal | undefined> {
    const { identity, doors } = this.#context.service;
    const session = await sessionOf(identity, doors, request);
    if (session !== undefined) return personIn(identity, session, workspaceNamed(request));
    if (request.header("authorization") === undefined) return undefined;
    if ((await agentOf(identity, request)) === undefined) throw notSignedIn();
    throw new CountersignError("not_permitted", "Only a signed-in person can do this; no key can.");
  }

  async #countStranger({ socket }: IncomingMessage): Promise<void> {
    const subject = ["socket", SOCKET_PATH, `address/${socket.remoteAddress ?? "unknown"}`];
    const { limits } = this.#context.service.identity;
    passed(await limits.countAttempt(subject, STRANGERS_A_MINUTE, 60_000));
  }

  /** What is said first has to tell who it is, soon; whatever comes before that decides nothing. */
  #first(socket: WebSocket, enter: (payload: Payload) => Promise<Entered>): void {
    const { clock } = this.#context.service;
    const refused = () => socket.close(CLOSED.signedOut, "not signed in");
    const cancel = clock.timer(TIME_TO_SIGN_IN, refused);
    socket.once("close", cancel);
    socket.once("message", (data) => {
      cancel();
      const entering = (async () => enter(payloadOf(bytesOf(data))))();
      entering.then(({ by, options }) => this.#open(socket, by, options), refused);
    });
  }

  /** `{ ticket, after? }`: a browser whose page has asked for it, in the session of its cookie. */
  async #present({ ticket, after }: Payload, by: PersonPrincipal, token: string, options: DeviceOptions) {
    const { socketTickets } = this.#context.service.identity;
    if (!(await socketTickets.spend(ticket, token))) throw notSignedIn();
    return { by, options: from(after, options) };
  }

  /** `{ token, workspace?, after? }`: a terminal's token, never a browser's. */
  async #signIn({ token, workspace, after }: Payload, options: DeviceOptions): Promise<Entered> {
    if (typeof token !== "string" || (workspace !== undefined && typeof workspace !== "string")) throw notSignedIn();
    const { identity, doors } = this.#context.service;
    const header = (name: string) => (name === "authorization" ? `Bearer ${token}` : undefined);
    const session = await sessionOf(identity, doors, { method: "GET", url: SOCKET_PATH, header });
    if (session === undefined) throw notSignedIn();
    return { by: await personIn(identity, session, workspace), options: from(after, options) };
  }

  async #open(socket: WebSocket, by: PersonPrincipal, options: DeviceOptions): Promise<void> {
    // Who went away while signing in closes no second time, and would be counted for ever.
    if (socket.readyState !== socket.OPEN) return;
    const open = (this.#devices.get(by.userId) ?? 0) + 1;
    if (open > MAX_DEVICES) return socket.close(CLOSED.refused, "too many devices");
    this.#devices.set(by.userId, open);
    socket.once("close", () => this.#leave(by.userId));
    const device = new Device(this.#context, socket, by, options);
    socket.on("message", (data) => void device.receive(bytesOf(data)));
    try {
      await device.open();
    } catch (error) {
      this.#context.service.notice("live.open_failed", { why: (error as Error).message });
      socket.close(CLOSED.leaving, "try again");
    }
  }

  #leave(userId: string): void {
    const left = (this.#devices.get(userId) ?? 1) - 1;
    if (left === 0) this.#devices.delete(userId);
    else this.#devices.set(userId, left);
  }

  /** A line that was cut somewhere says nothing: who does not answer is gone. */
  #beat(): () => void {
    return this.#context.service.clock.timer(HEARTBEAT, () => {
      for (const socket of this.#server.clients) {
        if (!this.#heard.delete(socket)) socket.terminate();
        else if (socket.readyState === socket.OPEN) socket.ping();
      }
      this.#cancelBeat = this.#beat();
    });
  }
}

/** The address is the configured one: what the Host header says is not trusted. */
function requestOf({ doors }: Service, incoming: IncomingMessage): Presented {
  const { url = "" } = incoming;
  return {
    method: "GET",
    url: `${doors.origins[0]}${url.startsWith("/") ? url : "/"}`,
    header: (name) => headerOf(incoming, name),
  };
}

function optionsOf(query: URLSearchParams): DeviceOptions {
  const after = query.get("after");
  return {
    locale: query.get("locale") === "zh" ? "zh" : "en",
    ...(after !== null && /^\d{1,15}$/.test(after) ? { after: Number(after) } : {}),
  };
}

/** The place named in the message, or else in the address. */
function from(after: unknown, options: DeviceOptions): DeviceOptions {
  return Number.isSafeInteger(after) ? { ...options, after: after as number } : options;
}

/** `{ type: "authenticate", payload }`: nothing else may come first. */
function payloadOf(data: Uint8Array): Payload {
  const message = parseStrictJson(data) as { type?: unknown; payload?: Payload } | null;
  if (message?.type !== "authenticate") throw notSignedIn();
  return message.payload ?? {};
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

function refuse(socket: Duplex, error: unknown): void {
  const problem = problemOf(error);
  const body = JSON.stringify(problem);
  // A line that its other side keeps open would keep this process from closing.
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nconnection: close\r\ncontent-type: application/problem+json\r\n` +
      `cache-control: no-store\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
