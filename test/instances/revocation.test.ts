import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type PostgresServer, postgresMissing, startPostgres } from "../support/postgres.mjs";
import type { Headers } from "./http.js";
import { startInstance } from "./instance.js";

const missing = postgresMissing();
/** What was promised, with room for a machine that does other things too. The clock of the test does not judge the product. */
const SOON = { timeout: 10_000, interval: 20 };

let postgres: PostgresServer;
type Instance = Awaited<ReturnType<typeof startInstance>>;
let [a, b] = [undefined as unknown as Instance, undefined as unknown as Instance];
let owner: Headers;

beforeAll(async () => {
  if (missing === undefined) postgres = await startPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  if (missing !== undefined) return;
  const store = postgres.url();
  [a, b] = [await startInstance({ store }), await startInstance({ store })];
  owner = await a.signIn();
});

/** A page at the socket of one instance, what it was told first, and how it was closed. */
async function deviceAt({ served }: Instance, headers: Headers, ticket: unknown) {
  const socket = new WebSocket(`${served.url.replace("http", "ws")}/v1/socket`, { headers });
  onTestFinished(() => socket.terminate());
  let closed: string | undefined;
  socket.on("close", (code, reason) => {
    closed = `${code} ${reason.toString()}`;
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  // A socket that says nothing is closed as well, and would look like one that was signed out.
  socket.send(JSON.stringify({ type: "authenticate", payload: { ticket } }));
  const told = await new Promise<string>((resolve) => {
    socket.once("message", (data) => resolve((JSON.parse((data as Buffer).toString()) as { type: string }).type));
    socket.once("close", () => resolve("nothing"));
  });
  return { told, closed: () => closed };
}

async function ticketOf(instance: Instance, headers: Headers): Promise<unknown> {
  return (await instance.ask({ method: "POST", path: "/v1/socket/ticket", body: {}, headers })).body["ticket"];
}

/** A stream of events at one instance, and whether it has ended. */
async function streamAt({ served }: Instance, headers: Headers) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${served.url}/v1/events`, { headers, signal: stop.signal });
  expect(response.status).toBe(200);
  let ended = false;
  void (async () => {
    for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>);
    ended = true;
  })().catch(() => undefined);
  return { ended: () => ended };
}

describe.skipIf(missing !== undefined)(`what is revoked on one instance ${missing ?? ""}`, () => {
  it("is a key that every other instance refuses with its next request, and whose streams end there (attack C10)", async () => {
    const agent = await a.newAgent(owner);
    const request = { method: "POST", path: "/v1/calls", body: { tool: "task.update", args: {} } };
    expect((await b.ask({ ...request, headers: agent.headers })).status).toBe(202);
    const stream = await streamAt(b, agent.headers);
    const revoked = await a.ask({ method: "DELETE", path: `/v1/keys/${agent.keyId}`, headers: owner });
    expect(revoked.status).toBe(204);
    expect((await b.ask({ ...request, headers: agent.headers })).status).toBe(401);
    await expect.poll(stream.ended, SOON).toBe(true);
  });

  it("is a session that every other instance refuses, and whose sockets it closes", async () => {
    const other = await b.signIn();
    const device = await deviceAt(b, other, await ticketOf(a, other));
    expect(device.told).toBe("connected");
    const { body } = await b.ask({ path: "/v1/me/sessions", headers: other });
    const sessions = body["sessions"] as { sessionId: string; current: boolean }[];
    const sessionId = sessions.find(({ current }) => current)?.sessionId ?? "";
    const ended = await a.ask({ method: "DELETE", path: `/v1/me/sessions/${sessionId}`, headers: owner });
    expect(ended.status).toBe(204);
    expect((await b.ask({ path: "/v1/approvals", headers: other })).status).toBe(401);
    await expect.poll(device.closed, SOON).toBe("4401 signed out");
    expect((await b.ask({ path: "/v1/approvals", headers: owner })).status).toBe(200);
  });

  it("is a ticket that was shown at another: it opens one socket, wherever that is (attack F2)", async () => {
    const ticket = await ticketOf(a, owner);
    const devices = await Promise.all([deviceAt(a, owner, ticket), deviceAt(b, owner, ticket)]);
    expect(devices.map(({ told }) => told).toSorted()).toEqual(["connected", "nothing"]);
  });

  it("is the right to go on: a pause on one instance stops what another would start", async () => {
    const agent = await a.newAgent(owner);
    const body = { tool: "task.update", args: { paused: true } };
    const asked = await b.ask({ method: "POST", path: "/v1/calls", body, headers: agent.headers });
    const path = `/v1/approvals/${asked.body["approvalId"] as string}`;
    const { body: approval } = await b.ask({ path, headers: owner });
    expect(
      (await a.ask({ method: "POST", path: "/v1/workspace/pause", body: { paused: true }, headers: owner })).status,
    ).toBeLessThan(300);
    const decision = { decision: "approve", toolCallHash: approval["toolCallHash"] };
    await b.ask({ method: "POST", path: `${path}/decision`, body: decision, headers: owner });
    expect(["pending", "approved"]).toContain((await b.ask({ path, headers: owner })).body["state"]);
  });
});
