import { once } from "node:events";
import { createServer, get, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { latch } from "../../../test/gate/support.js";
import type { Incoming } from "./incoming.js";
import { nodeListener } from "./node-listener.js";
import { respond, type Sent } from "./respond.js";

/** A server that answers like this, until the test is over. */
async function open(answer: (request: Incoming) => Promise<Sent | Response>, closing?: AbortSignal) {
  const server = createServer({ joinDuplicateHeaders: true }, nodeListener(answer, closing));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}` };
}

/** Sends these very bytes, and reads until the other side ends. */
async function say(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.end(text);
  let heard = "";
  for await (const chunk of socket) heard += chunk;
  return heard;
}

const echo = async ({ url }: Incoming) => respond(200, { url });
const LIMIT = 100;

describe("Node's server", () => {
  it("is answered as it is: status, headers, body and its length", async () => {
    const { url } = await open(async () => respond(201, { said: "héllo" }, { "x-own": "1" }));
    const response = await fetch(url);
    expect(response.status).toBe(201);
    expect(response.headers.get("x-own")).toBe("1");
    expect(response.headers.get("content-length")).toBe("17");
    expect(await response.json()).toEqual({ said: "héllo" });
    const head = await fetch(url, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe("17");
    expect(await head.text()).toBe("");
  });

  it.each([
    ["GET /v1/x?a=1 HTTP/1.1\r\nHost: example.com:80", "http://example.com:80/v1/x?a=1"],
    ["GET /../x HTTP/1.1\r\nHost: [::1]:80", "http://[::1]:80/../x"],
    ["GET http://other.test/x HTTP/1.1\r\nHost: localhost", "http://other.test/x"],
    ["GET /x HTTP/1.1\r\nHost: localhost/v1/y?", "http://invalid/x"],
    ["GET /x HTTP/1.1\r\nHost: me@localhost", "http://invalid/x"],
    ["OPTIONS * HTTP/1.1\r\nHost: localhost", "http://invalid/"],
  ])(
    "takes the address from the first line and the host, and from nothing that could be either: %s",
    async (line, url) => {
      const { port } = await open(echo);
      expect(await say(port, `${line}\r\nConnection: close\r\n\r\n`)).toContain(JSON.stringify(url));
    },
  );

  it("shows a header that was sent twice whole, so that nobody reads half of it", async () => {
    const { port } = await open(async (asked) => respond(200, { seen: asked.header("authorization") }));
    const lines =
      "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close";
    expect(await say(port, `${lines}\r\n\r\n`)).toContain('"Bearer a, Bearer b"');
  });

  it("reads a body whole, and refuses one that is too large however it comes", async () => {
    const { url } = await open(async (asked) => {
      try {
        return respond(200, Buffer.from(await asked.bytes(LIMIT)).toString());
      } catch (error) {
        return respond(413, (error as Error).message);
      }
    });
    const stream = (size: number) =>
      new ReadableStream({
        start(controller) {
          for (let left = size; left > 0; left -= 10) controller.enqueue(new Uint8Array(10).fill(97));
          controller.close();
        },
      });
    const post = (body: string | ReadableStream) => fetch(url, { method: "POST", body, duplex: "half" } as RequestInit);
    for (const size of [0, 10, LIMIT]) {
      expect(await (await post("a".repeat(size))).json()).toBe("a".repeat(size));
      expect(await (await post(stream(size))).json()).toBe("a".repeat(size));
    }
    expect((await post("a".repeat(LIMIT + 1))).status).toBe(413);
    expect((await post(stream(LIMIT * 100))).status).toBe(413);
    expect(await (await post("again")).json()).toBe("again");
  });

  it("does not wait for ever for a body whose sender is gone", async () => {
    const broken = latch<unknown>();
    const { port } = await open(async (asked) => {
      broken.open(await asked.bytes(LIMIT).catch((error: Error) => error.message));
      return respond(200, {});
    });
    const sending = request({ port, method: "POST", headers: { "content-length": 50 } });
    sending.on("error", () => undefined);
    sending.write("half", () => sending.destroy());
    expect(await broken.promise).toBe("The request ended before its body did.");
  });

  it("pours a stream to a slow reader, and lets go of its source when the reader is gone", async () => {
    const cancelled = latch<void>();
    let told = 0;
    const source = () =>
      new ReadableStream<Uint8Array>(
        {
          pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(++told)),
          cancel: () => cancelled.open(),
        },
        { highWaterMark: 0 },
      );
    const gone = latch<void>();
    const { url } = await open(async (asked) => {
      asked.signal.addEventListener("abort", () => gone.open());
      return new Response(source());
    });
    const response = await new Promise<IncomingMessage>((resolve) => get(url, resolve));
    await once(response, "readable");
    expect(told).toBeLessThan(1_000);
    response.destroy();
    await cancelled.promise;
    await gone.promise;
  });

  it("sends a web response without a body, and headers alone to who asks for them", async () => {
    const cancelled = latch<void>();
    const { url } = await open(async ({ method }) =>
      method === "HEAD"
        ? new Response(new ReadableStream({ cancel: () => cancelled.open() }), { headers: { "x-own": "1" } })
        : new Response(null, { status: 204 }),
    );
    expect((await fetch(url)).status).toBe(204);
    expect((await fetch(url, { method: "HEAD" })).headers.get("x-own")).toBe("1");
    await cancelled.promise;
  });

  it("cuts the connection when an answer fails half-way, so that nobody takes it for whole", async () => {
    const failing = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("half")),
      pull: () => Promise.reject(new Error("gone")),
    });
    const { url } = await open(async () => new Response(failing));
    const reading = fetch(url).then((response) => response.text());
    await expect(reading).rejects.toThrow("terminated");
  });

  it("says that it failed when there is no answer at all", async () => {
    const { url } = await open(() => Promise.reject(new Error("no answer")));
    expect((await fetch(url)).status).toBe(500);
    const { url: other } = await open(async () => respond(200, {}, { "x-own": "two\r\nlines" }));
    expect((await fetch(other)).status).toBe(500);
  });

  it("ends connections with their next answer once it is closing", async () => {
    const closing = new AbortController();
    const { url } = await open(async () => respond(200, {}), closing.signal);
    expect((await fetch(url)).headers.get("connection")).toBe("keep-alive");
    closing.abort();
    expect((await fetch(url)).headers.get("connection")).toBe("close");
  });

  it("hands handlers of others a web request with everything in it", async () => {
    const { url } = await open(async (asked) => {
      const web = asked.web();
      return respond(200, { url: web.url, kind: web.headers.get("x-kind"), body: web.body && (await web.text()) });
    });
    const headers = { "x-kind": "own" };
    const posted = await fetch(`${url}/a?b=1`, { method: "POST", body: "said", headers });
    expect(await posted.json()).toEqual({ url: `${url}/a?b=1`, kind: "own", body: "said" });
    expect(await (await fetch(url, { headers })).json()).toEqual({ url: `${url}/`, kind: "own", body: null });
  });
});
