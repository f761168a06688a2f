import { describe, expect, it } from "vitest";
import { SoftwareAuthenticator } from "../../../test/identity/software-authenticator.js";
import { ORIGIN, openServerWorld } from "../../../test/server/world.js";

const MAIL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };

describe("settings and pauses over HTTP", () => {
  it("tighten without more, and weaken only after a fresh passkey", async () => {
    const world = await openServerWorld();
    const tighter = await world.browser.send("PATCH", "/v1/settings", { confirmAllApi: true });
    expect(tighter.body).toMatchObject({ confirmAllApi: true });
    const passkey = new SoftwareAuthenticator(ORIGIN);
    const { body: options } = await world.browser.post("/v1/me/passkeys/begin");
    const added = await world.browser.post("/v1/me/passkeys/finish", { response: passkey.register(options as never) });
    const cookie = (added.headers.get("set-cookie") ?? "").split(";")[0] as string;
    const browser = world.visitor({ origin: ORIGIN, cookie });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const weaker = { autonomous: { on: true, until, ceiling: "R3" } };
    await world.database.run("UPDATE identity_session SET strong_auth_at = 0");
    const stale = await browser.send("PATCH", "/v1/settings", weaker);
    expect(stale).toMatchObject({ status: 403, body: { code: "fresh_passkey_required" } });
    await world.database.run("UPDATE identity_session SET strong_auth_at = ?", Date.now());
    expect((await browser.send("PATCH", "/v1/settings", weaker)).body).toMatchObject({ autonomous: { until } });
    expect((await browser.get("/v1/workspace")).body).toMatchObject({ autonomous: { ceiling: "R3" } });
    const scope = { paths: ["/srv"], domains: ["example.com"] };
    expect((await browser.send("PUT", "/v1/sessions-scope/s-1", scope)).status).toBe(204);
  });

  it("let nobody but an owner set where another one's session works (I11)", async () => {
    const world = await openServerWorld();
    const eve = await world.join("Eve", "member");
    const { body: me } = await world.browser.get("/v1/me");
    const wide = { paths: ["/"] };
    const of = (userId: string) => `/v1/sessions-scope/s-1?userId=${encodeURIComponent(userId)}`;
    const { userId } = me as { userId: string };
    const others = await eve.browser.send("PUT", of(userId), wide);
    expect(others).toMatchObject({ status: 403, body: { code: "not_permitted" } });
    expect((await eve.browser.send("PUT", "/v1/sessions-scope/s-1", wide)).status).toBe(204);
    expect((await world.browser.send("PUT", of(eve.userId), wide)).status).toBe(204);
    expect((await world.browser.send("PUT", of("nobody"), wide)).status).toBe(404);
  });

  it("are not weakened from a terminal, which a program can drive", async () => {
    const world = await openServerWorld();
    await world.database.run("UPDATE identity_session SET kind = 'cli', amr = 'device'");
    const terminal = world.visitor({ authorization: `Bearer ${world.ownerToken}` });
    const off = await terminal.send("PATCH", "/v1/settings", { requireConfirmation: false });
    expect(off).toMatchObject({ status: 403, body: { code: "fresh_passkey_required" } });
    expect((await terminal.post("/v1/workspace/pause", { paused: true })).status).toBe(204);
    const resumed = await terminal.post("/v1/workspace/pause", { paused: false });
    expect(resumed).toMatchObject({ status: 403, body: { code: "fresh_passkey_required" } });
    expect((await terminal.send("DELETE", "/v1/history")).status).toBe(403);
  });

  it("stop everything for anybody who decides, and go on for owners and approvers", async () => {
    const world = await openServerWorld();
    const eve = await world.join("Eve", "member");
    const { http } = await world.agent();
    expect((await eve.browser.post("/v1/workspace/pause", { paused: true })).status).toBe(204);
    expect((await http.post("/v1/calls", MAIL)).body).toMatchObject({ type: "denied" });
    const resumed = await eve.browser.post("/v1/workspace/pause", { paused: false });
    expect(resumed).toMatchObject({ status: 403, body: { code: "not_permitted" } });
    expect((await world.browser.post("/v1/workspace/pause", { paused: false })).status).toBe(204);
    expect((await http.post("/v1/calls", { ...MAIL, args: { to: "b@example.com", body: "x" } })).status).toBe(202);
  });
});

describe("history, privacy and the audit log over HTTP", () => {
  it("list what became of calls: one's own, an agent's, and for overseers everybody's", async () => {
    const world = await openServerWorld();
    const auditor = await world.join("Ada", "auditor");
    const { http, issued } = await world.agent();
    for (const decision of ["approve", "deny"]) {
      const args = { to: "ann@example.com", body: decision };
      const { body } = await http.post<{ approvalId: string; card: { toolCallHash: string } }>("/v1/calls", {
        ...MAIL,
        args,
      });
      const { toolCallHash } = body.card;
      await world.browser.post(`/v1/approvals/${body.approvalId}/decision`, { decision, toolCallHash });
      await http.get(`/v1/calls/${body.approvalId}?wait=5`);
    }
    const states = async (visitor: typeof world.browser, query: string) =>
      (await visitor.get<{ items: { state: string }[] }>(`/v1/history${query}`)).body.items?.map(({ state }) => state);
    expect(await states(world.browser, "")).toEqual(["denied", "succeeded"]);
    expect(await states(world.browser, "?state=denied")).toEqual(["denied"]);
    expect(await states(world.browser, "?tool=tasks.list")).toEqual([]);
    expect(await states(world.browser, `?view=agent:${issued.agentId}`)).toEqual(["denied", "succeeded"]);
    expect(await states(auditor.browser, "?view=workspace")).toEqual(["denied", "succeeded"]);
    expect(await states(auditor.browser, "")).toEqual([]);
    const first = await world.browser.get<{ next: string }>("/v1/history?limit=1");
    expect(await states(world.browser, `?limit=1&before=${first.body.next}`)).toEqual(["succeeded"]);
    const eve = await world.join("Eve", "member");
    expect(await eve.browser.get("/v1/history?view=workspace")).toMatchObject({ body: { code: "not_permitted" } });
    const seen = await auditor.browser.get<{ items: { execution?: object }[] }>("/v1/history?view=workspace");
    expect(JSON.stringify(seen.body)).not.toContain('"result"');
  });

  it("erase one's own history while the chain still verifies (I7), and give it away before", async () => {
    const world = await openServerWorld();
    const { http } = await world.agent();
    const { body } = await http.post<{ approvalId: string; card: { toolCallHash: string } }>("/v1/calls", MAIL);
    const { toolCallHash } = body.card;
    await world.browser.post(`/v1/approvals/${body.approvalId}/decision`, { decision: "approve", toolCallHash });
    await http.get(`/v1/calls/${body.approvalId}?wait=5`);
    const exported = await world.browser.get<string>("/v1/history/export");
    expect(JSON.parse(exported.body)).toMatchObject({ approvalId: body.approvalId, card: { tool: "email.send" } });
    expect((await world.browser.get("/v1/me/export")).body).toMatchObject({ userId: "local", agents: [{}] });
    const erased = await world.browser.send("DELETE", "/v1/history");
    expect(erased.body).toMatchObject({ calls: 1, open: 0 });
    expect((await world.browser.get("/v1/history")).body).toEqual({ items: [] });
    expect((await world.browser.get("/v1/audit/verify")).body).toMatchObject({ ok: true });
    expect((await world.browser.get<string>("/v1/audit/export")).body).not.toContain("ann@example.com");
  });

  it("say what each level keeps; the owner chooses, and the choice is written down", async () => {
    const world = await openServerWorld();
    const max = await world.join("Max", "approver");
    expect((await max.browser.get("/v1/privacy")).body).toMatchObject({ level: "minimal", levels: [{}, {}] });
    expect((await max.browser.send("PUT", "/v1/privacy", { level: "enhanced" })).status).toBe(403);
    expect((await world.browser.send("PUT", "/v1/privacy", { level: "enhanced" })).body).toMatchObject({
      level: "enhanced",
    });
    const { body } = await world.browser.get<{ entries: { type: string }[] }>("/v1/audit/entries?limit=500");
    expect(body.entries.at(-1)).toMatchObject({ type: "privacy.changed", says: { by: "local", level: "enhanced" } });
  });

  it("give evidence of one call to those it concerns, and write down who took it", async () => {
    const world = await openServerWorld();
    const eve = await world.join("Eve", "member");
    const { http } = await world.agent();
    const { body } = await http.post<{ approvalId: string }>("/v1/calls", MAIL);
    expect((await eve.browser.get(`/v1/approvals/${body.approvalId}/proof`)).status).toBe(404);
    const proof = await world.browser.get(`/v1/approvals/${body.approvalId}/proof`);
    expect(proof.body).toMatchObject({ evidence: "countersign/evidence/v1", approvalId: body.approvalId });
    const { body: log } = await world.browser.get<{ entries: object[] }>("/v1/audit/entries?limit=500");
    // What the agent's key did is noted a second later, so that this need not be the last.
    const taken = { type: "evidence.exported", says: expect.objectContaining({ by: "local" }) };
    expect(log.entries).toContainEqual(expect.objectContaining(taken));
    expect((await eve.browser.get("/v1/audit/entries")).status).toBe(403);
  });
});
