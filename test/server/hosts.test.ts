import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGate, memoryStore } from "../../src/index.js";
import { serve } from "../../src/server/index.js";

async function served() {
  const gate = createGate({ store: memoryStore() });
  const origins = ["https://approve.example.com"];
  const server = await serve(gate, { port: 0, web: false, origins, allowedHosts: ["Approve.internal", "[fd00::7]"] });
  onTestFinished(() => server.close());
  return Number(new URL(server.url).port);
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

/** The answer to a request that is written by hand: no client of ours would send these. */
function ask(port: number, target: string, headers: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write([`GET ${target} HTTP/1.1`, ...headers, "Connection: close", "", ""].join("\r\n"));
    });
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      // A socket that was let in stays open.
      if (statusOf(text) === 101) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

const SOCKET = [
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

describe("attack F3: a foreign name that leads to this machine", () => {
  it.each([
    "evil.test",
    "evil.test:4747",
    "localhost.evil.test",
    "127.0.0.1.evil.test",
    "sub.approve.example.com",
    "10.0.0.7",
    "[::2]",
    "localhost:4747:80",
  ])("is refused before routing, over HTTP and at the socket: %s", async (host) => {
    const port = await served();
    const answer = await ask(port, "/healthz", [
      `Host: ${host}`,
      "X-Forwarded-Host: localhost",
      "Forwarded: host=localhost",
    ]);
    expect([400, 421]).toContain(statusOf(answer));
    if (statusOf(answer) === 421) {
      expect(answer).toContain('"code":"wrong_host"');
      expect(answer).toContain("content-security-policy");
    }
    expect(statusOf(await ask(port, "/v1/nothing", [`Host: ${host}`]))).toBe(statusOf(answer));
    expect([400, 421]).toContain(statusOf(await ask(port, "/v1/socket", [`Host: ${host}`, ...SOCKET])));
  });

  it("is refused in the request line, too, and a header that forwards one changes nothing", async () => {
    const port = await served();
    const own = `Host: localhost:${port}`;
    expect(statusOf(await ask(port, "http://evil.test/healthz", [own]))).not.toBe(200);
    expect(statusOf(await ask(port, "/healthz", [own, "X-Forwarded-Host: evil.test"]))).toBe(200);
  });

  it.each([
    "localhost",
    "LOCALHOST:1",
    "127.0.0.1:9999",
    "[::1]:80",
    "approve.example.com",
    "approve.internal",
    "[fd00::7]:8",
  ])("is not one of ours: %s is answered", async (host) => {
    const port = await served();
    expect(statusOf(await ask(port, "/healthz", [`Host: ${host}`]))).toBe(200);
    expect(statusOf(await ask(port, "/v1/socket", [`Host: ${host}`, ...SOCKET]))).toBe(101);
  });
});
