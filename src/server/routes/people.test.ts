import { describe, expect, it } from "vitest";
import { TestDevice } from "../../../test/identity/world.js";
import { ORIGIN, openServerWorld } from "../../../test/server/world.js";

describe("people over HTTP", () => {
  it("lets somebody new in by a link, with answering rights only after an owner has seen them", async () => {
    const { browser, visitor } = await openServerWorld();
    const { body: invitation } = await browser.post<{ token: string; url: string }>("/v1/invitations", {
      role: "approver",
    });
    expect(invitation.url).toBe(`${ORIGIN}/join#t=${invitation.token}`);
    const joined = await visitor({ origin: ORIGIN }).post<{ userId: string }>("/v1/invitations/accept", {
      token: invitation.token,
      name: "Max",
    });
    expect(joined.body).toMatchObject({ role: "member", wantedRole: "approver" });
    expect((await browser.post(`/v1/members/${joined.body.userId}/confirm`)).status).toBe(204);
    const { body } = await browser.get<{ members: object[] }>("/v1/members");
    expect(body.members).toMatchObject([
      { userId: "local", role: "owner" },
      { name: "Max", role: "approver" },
    ]);
    expect((await browser.send("DELETE", `/v1/members/${joined.body.userId}`)).status).toBe(204);
    expect(await browser.send("DELETE", "/v1/members/local")).toMatchObject({
      status: 409,
      body: { code: "last_owner" },
    });
  });

  it("keeps groups, roles and invitations to owners", async () => {
    const { browser, join } = await openServerWorld();
    const max = await join("Max", "approver");
    expect((await browser.post("/v1/groups", { name: "finance" })).status).toBe(204);
    expect((await browser.send("PUT", `/v1/groups/finance/members/${max.userId}`, {})).status).toBe(204);
    expect((await max.browser.get("/v1/groups")).body).toEqual({
      groups: [{ name: "finance", members: [max.userId] }],
    });
    for (const [method, path, body] of [
      ["POST", "/v1/groups", { name: "x" }],
      ["DELETE", "/v1/groups/finance", undefined],
      ["PATCH", `/v1/members/${max.userId}`, { role: "owner" }],
      ["POST", "/v1/invitations", { role: "owner" }],
      ["POST", "/v1/members/local/recover", {}],
    ] as const) {
      expect(await max.browser.send(method, path, body), path).toMatchObject({ body: { code: "not_permitted" } });
    }
  });

  it("keeps workspaces apart: a person of two names one, and a stranger's does not exist (I11)", async () => {
    const { browser, ownerToken, join, visitor } = await openServerWorld();
    const { body: made } = await browser.post<{ workspaceId: string }>("/v1/workspaces", { name: "Second" });
    const refused = await browser.get("/v1/members");
    expect(refused).toMatchObject({ status: 400, body: { path: "workspace" } });
    const there = visitor({
      cookie: `countersign=${ownerToken}`,
      origin: ORIGIN,
      "countersign-workspace": made.workspaceId,
    });
    expect((await there.get<{ members: unknown[] }>("/v1/members")).body.members).toHaveLength(1);
    const max = await join("Max", "approver");
    const foreign = await max.browser.send("GET", `/v1/members?workspace=${made.workspaceId}`);
    expect(foreign).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});

describe("agents, keys and devices over HTTP", () => {
  it("shows a key once, rotates it with an overlap and revokes it at once", async () => {
    const { browser, visitor } = await openServerWorld();
    const { body: issued } = await browser.post<{ agentId: string; keyId: string; apiKey: string }>("/v1/agents", {
      name: "mail",
      scopes: ["email.*"],
      devices: "none",
    });
    const call = { tool: "email.send", args: { to: "ann@example.com", body: "hi" } };
    expect((await visitor({ authorization: `Bearer ${issued.apiKey}` }).post("/v1/calls", call)).status).toBe(202);
    const rotated = await browser.post<{ apiKey: string; keyId: string }>(`/v1/agents/${issued.agentId}/keys/rotate`);
    expect(rotated.status).toBe(201);
    const usage = await browser.get(`/v1/agents/${issued.agentId}/usage`);
    expect(usage.body).toMatchObject({ requests: 1, keys: [{ useCount: 1 }, { useCount: 0 }] });
    expect(JSON.stringify([usage.body, (await browser.get("/v1/agents")).body])).not.toContain(issued.apiKey);
    expect((await browser.send("DELETE", `/v1/keys/${issued.keyId}`)).status).toBe(204);
    expect((await visitor({ authorization: `Bearer ${issued.apiKey}` }).post("/v1/calls", call)).status).toBe(401);
    expect((await visitor({ authorization: `Bearer ${rotated.body.apiKey}` }).post("/v1/calls", call)).status).toBe(
      202,
    );
    expect((await browser.send("PATCH", `/v1/agents/${issued.agentId}`, { scopes: ["tasks.list"] })).status).toBe(204);
    const narrowed = await visitor({ authorization: `Bearer ${rotated.body.apiKey}` }).post("/v1/calls", call);
    expect(narrowed).toMatchObject({ status: 403, body: { code: "not_permitted", path: "tool" } });
    expect((await browser.send("DELETE", `/v1/agents/${issued.agentId}`)).status).toBe(204);
  });

  it("asks the key's owner about a new device, with a card to compare, and lets it work after a yes", async () => {
    const { browser, visitor, join } = await openServerWorld();
    const { body: issued } = await browser.post<{ apiKey: string }>("/v1/agents", { name: "bot", scopes: ["tasks.*"] });
    const device = new TestDevice();
    const key = visitor({ authorization: `Bearer ${issued.apiKey}` });
    const exchange = () =>
      key.post<{ type: string; token: string; deviceId: string; fingerprint: string }>(
        "/v1/devices/token",
        { label: "Build machine" },
        { dpop: device.proof(issued.apiKey, Date.now()) },
      );
    expect(await key.post("/v1/calls", { tool: "tasks.list" })).toMatchObject({ body: { code: "device_refused" } });
    const asked = await exchange();
    expect(asked.status).toBe(202);
    const { body: list } = await browser.get<{ devices: { card: { fingerprint: string } }[] }>("/v1/devices");
    expect(list.devices[0]?.card.fingerprint).toBe(asked.body.fingerprint);
    const stranger = await join("Max", "approver");
    expect((await stranger.browser.post(`/v1/devices/${asked.body.deviceId}/approve`)).status).toBe(404);
    expect((await browser.post(`/v1/devices/${asked.body.deviceId}/approve`)).status).toBe(204);
    const bound = await exchange();
    const http = visitor({ authorization: `Bearer ${bound.body.token}` });
    expect((await http.post("/v1/calls", { tool: "tasks.list" })).status).toBe(200);
    expect((await browser.post(`/v1/devices/${asked.body.deviceId}/revoke`)).status).toBe(204);
    expect((await http.post("/v1/calls", { tool: "tasks.list" })).status).toBe(401);
  });
});
