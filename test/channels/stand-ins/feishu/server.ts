import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Connections } from "./connections.js";
import type { ApiAnswer, Messages } from "./messages.js";

export const APP = {
  id: "cli_a1b2c3d4e5f60718",
  secret: "fEiShU-sTaNd-In-SeCrEt-0000000001",
  bot: "ou_b07b07b07b07b07b",
};

const TOKEN_SECONDS = 7_200;

/** The platform's addresses on loopback. */
export class FeishuServer {
  readonly #messages: Messages;
  readonly #connections: Connections;
  readonly #now: () => number;
  readonly #tokens = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  readonly #failing: ("busy" | "down")[] = [];
  #server: Server | undefined;
  #port = 0;

  constructor(messages: Messages, connections: Connections, now: () => number) {
    this.#messages = messages;
    this.#connections = connections;
    this.#now = now;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** At the same port as before, so that clients find it again. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    server.on("upgrade", (request, socket, head) => this.#connections.upgrade(request, socket, head));
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    this.#connections.drop();
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  fail(how: "busy" | "down", count: number): void {
    this.#failing.push(...Array.from({ length: count }, () => how));
  }

  /** As after the app's secret was changed. */
  forgetTokens(): void {
    this.#tokens.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", this.url);
    const failing = url.pathname.startsWith("/open-apis/") ? this.#failing.shift() : undefined;
    const { status, body } =
      failing === undefined ? this.#answer(request, url, Buffer.concat(chunks)) : FAILURES[failing];
    // Whole seconds until the limit is lifted, as the platform names them.
    const limited = status === 429 ? { "x-ogw-ratelimit-limit": "100", "x-ogw-ratelimit-reset": "1" } : {};
    response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...limited });
    response.end(JSON.stringify(body));
  }

  #answer(request: IncomingMessage, url: URL, raw: Buffer): ApiAnswer {
    const body = (raw.length === 0 ? {} : JSON.parse(raw.toString())) as Record<string, string>;
    const route = `${request.method} ${url.pathname}`;
    if (route === "POST /open-apis/auth/v3/tenant_access_token/internal") return this.#token(body);
    if (route === "POST /callback/ws/endpoint") return this.#endpoint(body);
    const until = this.#tokens.get(request.headers.authorization?.replace(/^Bearer /, "") ?? "");
    if (until === undefined || until < this.#now()) {
      return { status: 400, body: { code: 99991663, msg: "Invalid access token for authorization." } };
    }
    if (route === "GET /open-apis/bot/v3/info") {
      return {
        status: 200,
        body: { code: 0, msg: "ok", bot: { activate_status: 2, app_name: "bot", open_id: APP.bot } },
      };
    }
    if (route === "POST /open-apis/im/v1/messages") {
      return this.#messages.create(url.searchParams.get("receive_id_type") ?? undefined, body, raw.length);
    }
    const [, messageId = "", verb] = /^\/open-apis\/im\/v1\/messages\/([^/]+)(\/reply)?$/.exec(url.pathname) ?? [];
    if (request.method === "POST" && verb === "/reply") return this.#messages.reply(messageId, body, raw.length);
    if (request.method === "PATCH" && messageId !== "") return this.#messages.patch(messageId, body, raw.length);
    return { status: 404, body: { code: 99991201, msg: `no such address: ${route}` } };
  }

  #token({ app_id: id, app_secret: secret }: Record<string, string>): ApiAnswer {
    if (id !== APP.id || secret !== APP.secret)
      return { status: 200, body: { code: 10014, msg: "app secret invalid" } };
    const token = `t-${this.#tokens.size}${Math.random().toString(36).slice(2)}`;
    this.#tokens.set(token, this.#now() + TOKEN_SECONDS * 1000);
    return { status: 200, body: { code: 0, msg: "ok", tenant_access_token: token, expire: TOKEN_SECONDS } };
  }

  #endpoint({ AppID: id, AppSecret: secret }: Record<string, string>): ApiAnswer {
    if (id !== APP.id || secret !== APP.secret)
      return { status: 200, body: { code: 514, msg: "auth failed", data: {} } };
    return { status: 200, body: this.#connections.invite(this.#port) };
  }
}

const FAILURES: Readonly<Record<"busy" | "down", ApiAnswer>> = {
  busy: { status: 429, body: { code: 99991400, msg: "request trigger frequency limit" } },
  down: { status: 503, body: {} },
};
