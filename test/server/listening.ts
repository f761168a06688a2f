import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { LiveEvents } from "../../src/client/wire-live.js";
import { nodeListener } from "../../src/server/http/node-listener.js";
import { attachSockets } from "../../src/server/live/sockets.js";
import type { Service } from "../../src/server/service.js";
import { ORIGIN, type ServerWorld, type Visitor } from "./world.js";

/** The world's server on a real port, sockets and all, until the test is over. */
export async function listen({ app, service }: Pick<ServerWorld, "app" | "service">, port = 0) {
  const listening = await listenTo(app, service, port);
  onTestFinished(listening.close);
  return listening;
}

export async function listenTo(app: ServerWorld["app"], service: Service, port = 0) {
  const server = createServer(nodeListener(app.answer));
  const sockets = attachSockets(service, server);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    sockets.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
}

export interface Told {
  readonly type: string;
  readonly seq?: number;
  readonly payload: Record<string, unknown>;
  readonly request_id?: string;
}

/** Things that come one by one, of which a test waits for the next of some kind. */
function inbox<T extends { readonly type: string }>() {
  const waiting: T[] = [];
  const wanted: {
    readonly types: readonly string[];
    readonly take: (item: T) => void;
    readonly fail: (why: Error) => void;
  }[] = [];
  const seen: T[] = [];
  let ended: Error | undefined;
  return {
    seen,
    add(item: T) {
      seen.push(item);
      const at = wanted.findIndex(({ types }) => types.includes(item.type));
      if (at === -1) waiting.push(item);
      else wanted.splice(at, 1)[0]?.take(item);
    },
    end(why: Error) {
      ended = why;
      for (const { fail } of wanted.splice(0)) fail(why);
    },
    next(...types: readonly string[]): Promise<T> {
      const at = waiting.findIndex((item) => types.includes(item.type));
      if (at !== -1) return Promise.resolve(waiting.splice(at, 1)[0] as T);
      if (ended !== undefined) return Promise.reject(ended);
      return new Promise((take, fail) => wanted.push({ types, take, fail }));
    },
  };
}

/** A page asks for it before it opens its socket. */
async function ticketFor(url: string, { headers }: Pick<Visitor, "headers">): Promise<unknown> {
  const body = "{}";
  const asked = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
  const response = await fetch(`${url}/v1/socket/ticket`, asked);
  return ((await response.json()) as { ticket?: string }).ticket;
}

/** A person's device at the socket: a browser says its ticket first, unless something else is to be said. */
export async function openDevice(url: string, visitor: Pick<Visitor, "headers">, query = "", hello?: object) {
  const { headers } = visitor;
  const ticket = hello === undefined && "cookie" in headers ? await ticketFor(url, visitor) : undefined;
  const says = hello ?? (ticket === undefined ? undefined : { type: "authenticate", payload: { ticket } });
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/socket${query}`, { headers });
  const messages = inbox<Told>();
  socket.on("message", (data) => messages.add(JSON.parse((data as Buffer).toString()) as Told));
  const closed = new Promise<number>((resolve) => {
    socket.on("close", (code) => {
      messages.end(new Error(`closed ${code}`));
      resolve(code);
    });
  });
  onTestFinished(() => socket.terminate());
  await new Promise<void>((resolve, reject) => {
    socket.on("open", resolve);
    socket.on("error", reject);
  });
  if (says !== undefined) socket.send(JSON.stringify(says));
  const send = (message: unknown) => socket.send(typeof message === "string" ? message : JSON.stringify(message));
  const respond = async (payload: unknown) => {
    send({ type: "app_skill_confirmation_response", payload });
    return messages.next("app_skill_confirmation_result", "error");
  };
  return { ...messages, socket, closed, send, respond };
}

/** Reads a stream of server-sent events, as any language would. */
export async function readEvents(url: string, headers: Readonly<Record<string, string>>) {
  const aborter = new AbortController();
  onTestFinished(() => aborter.abort());
  const response = await fetch(url, { headers: { ...headers, origin: ORIGIN }, signal: aborter.signal });
  if (response.body === null || response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const events = inbox<{ readonly type: string; readonly [field: string]: unknown }>();
  const reading = (async () => {
    let text = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        events.add({
          ...JSON.parse(data),
          id: /^id: (.*)$/m.exec(block)?.[1],
        });
      }
    }
  })();
  const ended = reading.then(
    () => events.end(new Error("the stream ended")),
    (error: Error) => events.end(error),
  );
  return { ...events, response, ended, stop: () => aborter.abort() };
}

/** Answers an approval as a browser does, naming the call it shows. */
export async function decide(browser: Visitor, approvalId: string, decision: "approve" | "deny") {
  const { body } = await browser.get<{ toolCallHash: string }>(`/v1/approvals/${approvalId}`);
  return browser.post(`/v1/approvals/${approvalId}/decision`, { decision, toolCallHash: body.toolCallHash });
}

/** Waits until somebody has asked. */
export async function firstAsked(browser: Visitor, after = 0): Promise<string> {
  const { body } = await browser.get<LiveEvents>(`/v1/events/poll?after=${after}&wait=20`);
  const created = body.events.find(({ type }) => type === "approval.created");
  return created?.approvalId ?? firstAsked(browser, body.next);
}
