import { describe, expect, it } from "vitest";
import { TestDevice } from "../identity/world.js";
import { decide } from "./listening.js";
import { openServerWorld } from "./world.js";

const key = (name: string) => ({ "idempotency-key": name });

describe("a request that is sent again with its Idempotency-Key", () => {
  it("is answered as the first time and does nothing", async () => {
    const { browser } = await openServerWorld();
    const first = await browser.post("/v1/workspaces", { name: "Two" }, key("k-1"));
    const again = await browser.post("/v1/workspaces", { name: "Two" }, key("k-1"));
    expect(again.body).toEqual(first.body);
    const { body } = await browser.get<{ workspaces: unknown[] }>("/v1/me");
    expect(body.workspaces).toHaveLength(2);
  });

  it("waits for the first answer while that is still under way: a claim whose reply was lost is the same one (I1)", async () => {
    const { agent, browser, gate } = await openServerWorld();
    const { http } = await agent();
    const { body } = await http.post<{ approvalId: string }>("/v1/calls", {
      tool: "tasks.create",
      args: { title: "x" },
    });
    await decide(browser, body.approvalId, "approve");
    const claim = gate.claimOwn.bind(gate);
    let letGo: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    gate.claimOwn = async (...asked) => (await slow, claim(...asked));
    const send = () => http.post(`/v1/calls/${body.approvalId}/claim`, {}, key("k-1"));
    const [first, again] = [send(), send()];
    await http.get(`/v1/calls/${body.approvalId}`);
    letGo();
    expect((await again).body).toEqual((await first).body);
    expect((await first).body).toMatchObject({ args: { title: "x" } });
  });

  it("finds its answer again, which nobody can read who has the database alone", async () => {
    const { agent, browser, database } = await openServerWorld();
    const { http } = await agent();
    const call = { tool: "tasks.create", args: { title: "a secret plan" } };
    const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", call)).body;
    await decide(browser, approvalId, "approve");
    const send = () => http.post(`/v1/calls/${approvalId}/claim`, {}, key("k-1"));
    const { body } = await send();
    expect(body).toMatchObject(call);
    expect((await send()).body).toEqual(body);
    const kept = await database.all("SELECT * FROM identity_repeat");
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain("a secret plan");
  });

  it("belongs to its device: what one was handed is not told to another of the same key (I11, attack D8)", async () => {
    const { browser, visitor } = await openServerWorld();
    const { body: issued } = await browser.post<{ apiKey: string }>("/v1/agents", { name: "bot", scopes: ["tasks.*"] });
    const withKey = visitor({ authorization: `Bearer ${issued.apiKey}` });
    const open = async () => {
      const device = new TestDevice();
      const exchange = async () => {
        const proof = { dpop: device.proof(issued.apiKey, Date.now()) };
        return (await withKey.post<{ token: string; deviceId: string }>("/v1/devices/token", {}, proof)).body;
      };
      await browser.post(`/v1/devices/${(await exchange()).deviceId}/approve`);
      return visitor({ authorization: `Bearer ${(await exchange()).token}` });
    };
    const [one, other] = [await open(), await open()];
    const call = { tool: "tasks.create", args: { title: "a secret plan" } };
    const { approvalId } = (await one.post<{ approvalId: string }>("/v1/calls", call)).body;
    await decide(browser, approvalId, "approve");
    const claim = `/v1/calls/${approvalId}/claim`;
    expect((await one.post(claim, {}, key("claim-1"))).body).toMatchObject(call);
    const told = await other.post(claim, {}, key("claim-1"));
    expect(told.status).toBe(403);
    expect(JSON.stringify(told.body)).not.toContain("a secret plan");
  });

  it("is refused with other content, and belongs to its route and its person", async () => {
    const { browser, join } = await openServerWorld();
    await browser.post("/v1/groups", { name: "finance" }, key("k-1"));
    const other = await browser.post("/v1/groups", { name: "on-call" }, key("k-1"));
    expect(other).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
    expect((await browser.post("/v1/policy/check", { text: "x" }, key("k-1"))).status).toBe(200);
    const max = await join("Max", "owner");
    expect((await max.browser.post("/v1/groups", { name: "on-call" }, key("k-1"))).status).toBe(204);
  });

  it("is not told a secret twice, and makes no second one", async () => {
    const { browser } = await openServerWorld();
    const wanted = { name: "bot", scopes: ["email.*"] };
    expect((await browser.post("/v1/agents", wanted, key("k-1"))).status).toBe(201);
    const again = await browser.post("/v1/agents", wanted, key("k-1"));
    expect(again).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
    const { body } = await browser.get<{ agents: unknown[] }>("/v1/agents");
    expect(body.agents).toHaveLength(1);
  });

  it("may be tried again after a refusal, which has done nothing", async () => {
    const { browser } = await openServerWorld();
    const refused = await browser.post("/v1/groups", { name: "Not A Name" }, key("k-1"));
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_request", path: "name" } });
    expect((await browser.post("/v1/groups", { name: "finance" }, key("k-1"))).status).toBe(204);
    expect((await browser.post("/v1/groups", { name: "x" }, key("\u00e9"))).status).toBe(400);
  });
});

describe("limits", () => {
  it("say how many are left and when to come back, and count each route and subject by itself", async () => {
    const { visitor } = await openServerWorld();
    const nobody = visitor({});
    const tries = [];
    for (let n = 0; n < 11; n++) tries.push(await nobody.post("/v1/auth/cli/begin", { client: "x" }));
    expect(tries[0]?.headers.get("ratelimit-limit")).toBe("10");
    expect(tries[9]?.headers.get("ratelimit-remaining")).toBe("0");
    expect(tries[10]).toMatchObject({ status: 429, body: { code: "rate_limited", retryable: true } });
    expect(Number(tries[10]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await nobody.post("/v1/auth/passkey/begin")).status).toBe(200);
    // A header that names another address changes nothing.
    const spoofed = visitor({ "x-forwarded-for": "203.0.113.9", "x-real-ip": "203.0.113.9" });
    expect((await spoofed.post("/v1/auth/cli/begin", { client: "x" })).status).toBe(429);
  });
});

describe("what is not well formed", () => {
  it("is refused as a problem document that names the place", async () => {
    const { browser } = await openServerWorld();
    const send = (body: unknown, headers: object = {}) => browser.send("PATCH", "/v1/settings", body, headers);
    expect(await send('{"confirmAllApi":true,"confirmAllApi":false}')).toMatchObject({
      body: { code: "invalid_json" },
    });
    expect(await send('{"__proto__":{"role":"owner"}}')).toMatchObject({ status: 400 });
    expect(await send({ confirmAllApi: "false" })).toMatchObject({ status: 400, body: { path: "body.confirmAllApi" } });
    expect(await send({ role: "owner" })).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(await send("{}", { "content-type": "text/plain" })).toMatchObject({
      status: 400,
      body: { path: "content-type" },
    });
    expect(await send(`{"a":"${"x".repeat(1_200_000)}"}`)).toMatchObject({ status: 413, body: { code: "too_large" } });
    expect(await browser.get("/v1/history?limit=1&limit=2")).toMatchObject({
      status: 400,
      body: { path: "query.limit" },
    });
    expect(await browser.get("/v1/history?limit=many")).toMatchObject({ status: 400 });
    expect(await browser.get("/v1/nothing")).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
