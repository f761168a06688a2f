import { describe, expect, it } from "vitest";
import type { AnyRoute } from "../../src/server/http/route.js";
import { may, type Permission } from "../../src/server/identity/index.js";
import { openServerWorld, type Visitor } from "./world.js";

/** An address of the route; ids that nobody has, so that a refusal never comes from what is there. */
function addressOf({ path }: AnyRoute): string {
  return path.replaceAll(/\{(\w+)\}/g, "none");
}

function knock(visitor: Visitor, route: AnyRoute) {
  return visitor.send(route.method.toUpperCase(), addressOf(route), route.method === "get" ? undefined : {});
}

const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;

describe("who may use which route", () => {
  it("is said of every route, and routes that decide are for persons alone", async () => {
    const { routes } = await openServerWorld();
    for (const route of routes) {
      expect(["anyone", "session", "person", "agent", "caller"], nameOf(route)).toContain(route.access);
      if (route.path.startsWith("/v1/approvals")) expect(route.access, nameOf(route)).toBe("person");
    }
  });

  it("no credentials, a made-up key and a made-up session open nothing but the ways in", async () => {
    const { routes, visitor } = await openServerWorld();
    const nobodies = [
      visitor({}),
      visitor({ authorization: "Bearer csk_madeup" }),
      visitor({ authorization: "Bearer css_madeup" }),
      visitor({ cookie: "countersign=css_madeup", origin: "http://localhost:4801" }),
    ];
    for (const route of routes.filter(({ access }) => access !== "anyone")) {
      for (const nobody of nobodies) {
        expect(await knock(nobody, route), nameOf(route)).toMatchObject({
          status: 401,
          body: { code: "not_signed_in" },
        });
      }
    }
  });

  it("an agent's key, of either kind, passes no route of persons or sessions (I10)", async () => {
    const { routes, agent } = await openServerWorld();
    const keys = [await agent(), await agent(["email.*"], { kind: "automation", ceiling: "R3" })];
    for (const route of routes.filter(({ access }) => access === "person" || access === "session")) {
      for (const { http } of keys) {
        expect(await knock(http, route), nameOf(route)).toMatchObject({ status: 403, body: { code: "not_permitted" } });
      }
    }
  });

  it("a person's session passes no route of agents", async () => {
    const { routes, browser } = await openServerWorld();
    for (const route of routes.filter(({ access }) => access === "agent")) {
      expect((await knock(browser, route)).status, nameOf(route)).toBe(401);
    }
  });

  it("a key bound to devices, a revoked key and a revoked session work nowhere", async () => {
    const { routes, agent, browser, visitor, ownerToken } = await openServerWorld();
    const bound = await agent(["email.*"], { devices: "approved" });
    const revoked = await agent();
    await browser.send("DELETE", `/v1/keys/${revoked.issued.keyId}`);
    await browser.post("/v1/auth/sign-out");
    const out = visitor({ cookie: `countersign=${ownerToken}`, origin: "http://localhost:4801" });
    for (const route of routes.filter(({ access }) => access !== "anyone")) {
      if (route.access === "agent" || route.access === "caller") {
        expect(await knock(bound.http, route), nameOf(route)).toMatchObject({ body: { code: "device_refused" } });
      }
      expect((await knock(revoked.http, route)).status, nameOf(route)).toBe(401);
      expect((await knock(out, route)).status, nameOf(route)).toBe(401);
    }
  });

  it("a page of another origin, or of none, changes nothing with somebody's cookie (attacks F1, F3)", async () => {
    const { routes, visitor, ownerToken } = await openServerWorld();
    const cookie = `countersign=${ownerToken}`;
    const pages = ["https://evil.example", "http://localhost:4802", "http://sub.localhost:4801", "null"];
    const writes = routes.filter(({ method, access }) => method !== "get" && access !== "agent" && access !== "anyone");
    for (const route of writes) {
      for (const headers of [{ cookie }, ...pages.map((origin) => ({ cookie, origin }))]) {
        expect(await knock(visitor(headers), route), nameOf(route)).toMatchObject({
          status: 403,
          body: { code: "not_permitted", path: "origin" },
        });
      }
    }
  });

  it("a workspace that one does not belong to does not exist, whatever one is elsewhere (I11)", async () => {
    const { routes, visitor, ownerToken } = await openServerWorld();
    const lost = visitor({
      cookie: `countersign=${ownerToken}`,
      origin: "http://localhost:4801",
      "countersign-workspace": "wsp_of_others",
    });
    for (const route of routes.filter(({ access }) => access === "person" || access === "caller")) {
      expect(await knock(lost, route), nameOf(route)).toMatchObject({ status: 404, body: { code: "not_found" } });
    }
  });

  it("a role without the permission is refused, whatever the route would have done", async () => {
    const { routes, join } = await openServerWorld();
    for (const role of ["member", "approver", "auditor"] as const) {
      const { browser, principal } = await join(role, role);
      const closed = routes.filter(
        ({ permission }) => permission !== undefined && !may(principal, permission as Permission),
      );
      expect(closed.length).toBeGreaterThan(0);
      for (const route of closed) {
        expect(await knock(browser, route), `${role}: ${nameOf(route)}`).toMatchObject({
          status: 403,
          body: { code: "not_permitted" },
        });
      }
    }
  });

  it("what belongs to another workspace cannot be reached by its id (I11)", async () => {
    const world = await openServerWorld();
    const { http, issued } = await world.agent();
    const asked = await http.post<{ approvalId: string }>("/v1/calls", {
      tool: "email.send",
      args: { to: "a@example.com", body: "x" },
    });
    const { body: made } = await world.browser.post<{ workspaceId: string }>("/v1/workspaces", { name: "Other" });
    const elsewhere = world.visitor({ ...world.browser.headers, "countersign-workspace": made.workspaceId });
    const { approvalId } = asked.body;
    for (const [method, path, body] of [
      ["GET", `/v1/approvals/${approvalId}`, undefined],
      ["GET", `/v1/approvals/${approvalId}/timeline`, undefined],
      ["GET", `/v1/approvals/${approvalId}/proof`, undefined],
      ["POST", `/v1/approvals/${approvalId}/decision`, { decision: "deny", toolCallHash: "0".repeat(64) }],
      ["POST", `/v1/approvals/${approvalId}/undo`, {}],
      ["POST", `/v1/approvals/${approvalId}/hand-over`, { to: "local" }],
      ["POST", `/v1/approvals/${approvalId}/reveal`, { label: "to" }],
      ["PATCH", `/v1/agents/${issued.agentId}`, { scopes: [] }],
      ["DELETE", `/v1/agents/${issued.agentId}`, undefined],
      ["DELETE", `/v1/keys/${issued.keyId}`, undefined],
      ["GET", `/v1/agents/${issued.agentId}/usage`, undefined],
    ] as const) {
      expect(await elsewhere.send(method, path, body), `${method} ${path}`).toMatchObject({ status: 404 });
    }
    const { body: keys } = await elsewhere.get<{ keys: unknown[] }>(`/v1/agents/${issued.agentId}/keys`);
    expect(keys.keys).toEqual([]);
  });
});
