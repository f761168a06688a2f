import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGate, defineTool, type Gate, memoryStore } from "../../src/index.js";
import { type Mount, type ServeOptions, serve } from "../../src/server/index.js";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { fakeClock } from "../../src/testing/index.js";

const SEND = { tool: "email.send", args: { to: "ann@example.com" } };

async function served(gate: Gate, options: ServeOptions = {}) {
  const server = await serve(gate, { port: 0, web: false, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** What a browser does with a sign-in link: it posts the fragment and keeps the cookie. */
async function signIn(url: string, link: string): Promise<Record<string, string>> {
  const token = new URL(link).hash.slice("#t=".length);
  const response = await fetch(`${url}/v1/auth/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token }),
  });
  expect(response.status).toBe(200);
  return { cookie: (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "", origin: url };
}

function sendMail(ran: unknown[]) {
  return defineTool({ name: "email.send", effect: "write", execute: (args) => void ran.push(args) });
}

describe("serve", () => {
  it("puts an inbox on a gate: the call waits, the owner's click lets it run once (I2)", async () => {
    const ran: unknown[] = [];
    const gate = createGate({ store: memoryStore(), tools: [sendMail(ran)] });
    const server = await served(gate);
    expect(server.firstRun).toBe(true);
    const headers = await signIn(server.url, await server.signInLink());
    const outcome = gate.run(SEND);
    await expect.poll(async () => (await inbox(server.url, headers)).length).toBe(1);
    expect(ran).toEqual([]);
    const [approval] = await inbox(server.url, headers);
    const decided = await fetch(`${server.url}/v1/approvals/${approval?.approvalId}/decision`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ decision: "approve", toolCallHash: approval?.toolCallHash }),
    });
    expect(decided.status).toBe(200);
    expect(await outcome).toMatchObject({ type: "succeeded" });
    expect(ran).toEqual([SEND.args]);
  });

  it("refuses a click that comes from another site (attack: cross-site request)", async () => {
    const gate = createGate({ store: memoryStore(), tools: [sendMail([])] });
    const server = await served(gate);
    const headers = await signIn(server.url, await server.signInLink());
    await gate.submit(SEND);
    const [approval] = await inbox(server.url, headers);
    const response = await fetch(`${server.url}/v1/approvals/${approval?.approvalId}/decision`, {
      method: "POST",
      headers: { ...headers, origin: "https://evil.example", "content-type": "application/json" },
      body: JSON.stringify({ decision: "approve", toolCallHash: approval?.toolCallHash }),
    });
    expect(response.status).toBe(403);
  });

  it("closes at once while an agent waits for a person, who is told how the call stands (I5)", async () => {
    const gate = createGate({ store: memoryStore(), tools: [sendMail([])] });
    const server = await served(gate);
    const headers = await signIn(server.url, await server.signInLink());
    const { approvalId } = (await gate.submit(SEND)) as { approvalId: string };
    const waiting = fetch(`${server.url}/v1/calls?wait=60`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ tool: "email.send", args: { to: "bob@example.com" } }),
    });
    await expect.poll(async () => (await inbox(server.url, headers)).length).toBe(2);
    await server.close();
    const response = await waiting;
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ type: "pending", approvalId: expect.not.stringMatching(approvalId) });
  });

  it("gives a mounted handler no more of a body than its own routes take (attack F10)", async () => {
    const read: number[] = [];
    const mount: Mount = {
      method: "post",
      path: "/agent/echo",
      handle: async (request) => {
        const text = await request.text();
        read.push(text.length);
        return new Response(text, { headers: { "content-type": request.headers.get("content-type") ?? "" } });
      },
    };
    const server = await served(createGate({ store: memoryStore(), tools: [] }), { mounts: [mount] });
    const headers = { ...(await signIn(server.url, await server.signInLink())), "content-type": "text/plain" };
    const send = (body: string) => fetch(`${server.url}/agent/echo`, { method: "POST", headers, body });
    const whole = await send("hello");
    expect([whole.headers.get("content-type"), await whole.text()]).toEqual(["text/plain", "hello"]);
    expect((await send("x".repeat(2_000_000))).status).toBe(413);
    expect(read).toEqual([5]);
  });

  it.each([
    ["whose socket was refused", "/v1/nothing", "404"],
    ["who does not answer when its socket is closed", "/v1/socket", "101"],
  ])("closes although somebody stays on the line %s", { timeout: 20_000 }, async (_who, path, status) => {
    const clock = fakeClock(Date.now());
    const server = await served(createGate({ store: memoryStore(), tools: [] }), { clock });
    const { port } = new URL(server.url);
    const line = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => void line.destroy());
    line.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
    );
    const [answer] = (await once(line, "data")) as [Buffer];
    expect(answer.toString()).toContain(`HTTP/1.1 ${status} `);
    const closed = server.close();
    await clock.advance(5_000);
    await closed;
  });

  it("does not go on listening when it could not start", async () => {
    const gate = createGate({ store: memoryStore(), tools: [] });
    onTestFinished(() => gate.close());
    const free = await served(createGate({ store: memoryStore(), tools: [] }));
    const port = Number(new URL(free.url).port);
    await free.close();
    const nowhere = join(tmpdir(), "countersign-nowhere", "identity.db");
    await expect(serve(gate, { port, web: false, identity: nowhere })).rejects.toMatchObject({ code: "store_failed" });
    await expect(fetch(free.url)).rejects.toThrow("fetch failed");
  });

  it("knows its people and its questions after a restart (I5)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-serve-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const open = () => createGate({ store: sqliteStore(join(folder, "engine.db")), tools: [sendMail([])] });
    const options = { identity: join(folder, "identity.db") };
    const first = await served(open(), options);
    await first.service.gate.submit(SEND);
    const { cookie } = await signIn(first.url, await first.signInLink());
    await first.close();
    const second = await served(open(), options);
    expect(second.firstRun).toBe(false);
    const headers = { cookie: cookie ?? "", origin: second.url };
    expect(await inbox(second.url, headers)).toMatchObject([{ tool: "email.send", state: "pending" }]);
  });
});

async function inbox(url: string, headers: Record<string, string>) {
  const response = await fetch(`${url}/v1/approvals`, { headers });
  expect(response.status).toBe(200);
  const { approvals } = (await response.json()) as { approvals: { approvalId: string; toolCallHash: string }[] };
  return approvals;
}
