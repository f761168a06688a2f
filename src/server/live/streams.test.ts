import { describe, expect, it } from "vitest";
import { decide, listen, readEvents } from "../../../test/server/listening.js";
import { openServerWorld } from "../../../test/server/world.js";
import type { LiveEvents } from "../../client/wire-live.js";
import { memoryStore, type Store } from "../../index.js";

const CALL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };
const REMOTE = { tool: "tasks.create", args: { title: "x" } };

/** A store whose hints are all lost. */
function deafStore(): Store {
  const store = memoryStore();
  store.watch = () => () => undefined;
  return store;
}

async function openListening(options?: Parameters<typeof openServerWorld>[0]) {
  const world = await openServerWorld(options);
  return { ...world, ...(await listen(world)) };
}

describe("the stream of events", () => {
  it("tells a person what happens, and who decided", async () => {
    const { url, browser, agent } = await openListening();
    const events = await readEvents(`${url}/v1/events`, browser.headers);
    const { http } = await agent();
    const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", CALL)).body;
    expect(await events.next("approval.created")).toMatchObject({
      approvalId,
      tool: "email.send",
      expiresAt: expect.any(String),
    });
    await decide(browser, approvalId, "approve");
    expect(await events.next("approval.resolved")).toMatchObject({ approvalId, state: "approved", by: "local" });
    expect(await events.next("call.executed")).toMatchObject({ approvalId, state: "succeeded" });
  });

  it("goes on after Last-Event-ID without a gap and without a repetition", async () => {
    const { url, browser, agent } = await openListening();
    const first = await readEvents(`${url}/v1/events`, browser.headers);
    const { http } = await agent();
    const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", CALL)).body;
    const { id } = await first.next("approval.created");
    first.stop();
    await decide(browser, approvalId, "deny");
    const again = await readEvents(`${url}/v1/events`, { ...browser.headers, "last-event-id": String(id) });
    expect(await again.next("approval.resolved")).toMatchObject({ approvalId, state: "denied", by: "local" });
    expect(again.seen.map(({ type }) => type)).not.toContain("approval.created");
  });

  it("says that lists have to be read anew when the place is not on this chain", async () => {
    const { url, browser } = await openListening();
    const events = await readEvents(`${url}/v1/events?after=99999999`, browser.headers);
    expect(await events.next("stream.reset")).toMatchObject({ seq: expect.any(Number) });
  });

  it("is correct by polling alone when every hint is lost (attack R12)", async () => {
    const { url, browser, agent } = await openListening({ store: deafStore() });
    const events = await readEvents(`${url}/v1/events`, browser.headers);
    const { http } = await agent();
    const waits = http.get<LiveEvents>("/v1/events/poll?after=0&wait=30");
    const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", CALL)).body;
    expect(await events.next("approval.created")).toMatchObject({ approvalId });
    expect((await waits).body.events[0]).toMatchObject({ type: "approval.created", approvalId });
  });

  it("tells an agent of its own calls alone (I11)", async () => {
    const { url, agent, browser } = await openListening();
    const [mine, other] = [await agent(), await agent(["email.*"], { name: "other" })];
    const events = await readEvents(`${url}/v1/events`, mine.http.headers);
    await other.http.post("/v1/calls", CALL);
    const own = await mine.http.post<{ approvalId: string }>("/v1/calls", { ...CALL, args: { to: "b", body: "b" } });
    await events.next("approval.created");
    await decide(browser, own.body.approvalId, "deny");
    await events.next("approval.resolved");
    expect(new Set(events.seen.map(({ approvalId }) => approvalId))).toEqual(new Set([own.body.approvalId]));
  });

  it("tells a member nothing of what is for others (I11)", async () => {
    const { url, join, agent, browser, service, owner } = await openListening();
    const member = await join("Max", "member");
    const events = await readEvents(`${url}/v1/events`, member.browser.headers);
    const { http } = await agent();
    await http.post("/v1/calls", CALL);
    await browser.get("/v1/approvals");
    await service.gate.pause("local", true, { kind: "person", userId: owner.userId, workspaceId: "local" });
    await events.next("workspace.paused");
    expect(events.seen.map(({ type }) => type)).toEqual(["workspace.paused"]);
  });

  it("ends when the key is revoked", async () => {
    const { url, agent, service, owner } = await openListening();
    const { http, issued } = await agent();
    const events = await readEvents(`${url}/v1/events`, http.headers);
    await service.identity.agents.revoke(owner, issued.agentId);
    await events.ended;
  });

  it("ends when the person leaves the workspace", async () => {
    const { url, join, service, owner } = await openListening();
    const member = await join("Max", "member");
    const events = await readEvents(`${url}/v1/events`, member.browser.headers);
    await service.identity.members.remove(owner, member.userId);
    await events.ended;
  });

  it("is refused without a credential", async () => {
    const { url } = await openListening();
    expect((await fetch(`${url}/v1/events`)).status).toBe(401);
  });
});

describe("the long poll", () => {
  it("says where the end is, waits from there, and gives pages", async () => {
    const { agent } = await openListening();
    const { http } = await agent();
    const { body: start } = await http.get<LiveEvents>("/v1/events/poll");
    expect(start.events).toEqual([]);
    const waiting = http.get<LiveEvents>(`/v1/events/poll?after=${start.next}&wait=30`);
    const asked = await http.post<{ approvalId: string }>("/v1/calls", CALL);
    const { body } = await waiting;
    expect(body.events[0]).toMatchObject({ type: "approval.created", approvalId: asked.body.approvalId });
    const { body: rest } = await http.get<LiveEvents>(`/v1/events/poll?after=${body.next}`);
    expect(rest.events.every(({ seq }) => seq > body.next)).toBe(true);
  });
});

describe("the stream of one call", () => {
  it("tells the agent when it may claim, and ends with the outcome", async () => {
    const { url, agent, browser } = await openListening();
    const { http } = await agent();
    const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", REMOTE)).body;
    const stream = await readEvents(`${url}/v1/calls/${approvalId}/events`, http.headers);
    const first = await stream.next("pending");
    expect(first).toMatchObject({ code: "TOOL_BLOCKED_PENDING_APPROVAL" });
    expect(first).not.toHaveProperty("token");
    await decide(browser, approvalId, "approve");
    const ready = (await stream.next("pending")) as unknown as { token: { tokenId: string } };
    const { body: claim } = await http.post<{ claimId: string }>("/v1/tokens/claim", {
      approvalId,
      tokenId: ready.token.tokenId,
    });
    await http.post("/v1/tokens/finish", { approvalId, claimId: claim.claimId, type: "succeeded", result: 1 });
    await stream.ended;
    expect(stream.seen.at(-1)).toMatchObject({ result: 1 });
  });

  it("is closed to everybody but its caller (I11)", async () => {
    const { url, agent } = await openListening();
    const [mine, other] = [await agent(), await agent(["email.*"], { name: "other" })];
    const { approvalId } = (await mine.http.post<{ approvalId: string }>("/v1/calls", CALL)).body;
    const refused = await fetch(`${url}/v1/calls/${approvalId}/events`, { headers: other.http.headers });
    expect(refused.status).toBe(403);
  });

  it("leaves the call as it is when the agent goes away", async () => {
    const { url, agent, browser, ran } = await openListening();
    const { http } = await agent();
    const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", CALL)).body;
    const stream = await readEvents(`${url}/v1/calls/${approvalId}/events`, http.headers);
    await stream.next("pending");
    stream.stop();
    expect((await decide(browser, approvalId, "approve")).status).toBe(200);
    expect((await http.get(`/v1/calls/${approvalId}?wait=5`)).body).toMatchObject({ type: "succeeded" });
    expect(ran).toHaveLength(1);
  });
});
