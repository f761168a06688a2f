import { describe, expect, it } from "vitest";
import { openServerWorld } from "../../../test/server/world.js";
import { memoryStore } from "../../index.js";

const NOTE = {
  name: "notes.write",
  title: "Write a note",
  effect: "write",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", maxLength: 20, pattern: "^(a+)+$" }, pin: { type: "string" } },
    required: ["text"],
    additionalProperties: false,
  },
  sensitive: ["pin"],
};

describe("tools that agents declare", () => {
  it("are validated, drawn on cards and run by their agent; each agent knows its own alone", async () => {
    const { agent, browser } = await openServerWorld();
    const { http, issued } = await agent(["notes.*"]);
    const taken = await http.post<{ tools: { name: string }[] }>("/v1/tools", { tools: [NOTE] });
    expect(taken.body.tools).toMatchObject([{ name: "notes.write" }]);
    const call = { tool: "notes.write", args: { text: "b", pin: "1234" }, confidence: 0.1 };
    const asked = await http.post<{ approvalId: string; card: object }>("/v1/calls", call);
    expect(asked.body.card).toMatchObject({ title: "Write a note" });
    expect(JSON.stringify(asked.body.card)).not.toContain("1234");
    const wrong = await http.post("/v1/calls", { tool: "notes.write", args: { text: "x".repeat(21) } });
    expect(wrong).toMatchObject({ status: 422, body: { code: "invalid_args", path: "args.text" } });
    const { http: other } = await agent(["notes.*"]);
    expect((await other.post("/v1/calls", call)).body).toMatchObject({ type: "denied" });
    const { body } = await browser.get<{ tools: { name: string; agentId?: string }[] }>("/v1/tools");
    expect(body.tools.find(({ name }) => name === "notes.write")).toMatchObject({
      agentId: issued.agentId,
      hosted: false,
    });
  });

  it("have a title and labels in each language, on cards and in the list", async () => {
    const { agent, browser } = await openServerWorld();
    const { http } = await agent(["notes.*"]);
    const title = { en: "Write a note", zh: "写笔记" };
    const labels = { text: { en: "What", zh: "内容" } };
    await http.post("/v1/tools", { tools: [{ ...NOTE, title, labels }] });
    const call = { tool: "notes.write", args: { text: "b" }, confidence: 0.1 };
    const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", call)).body;
    for (const locale of ["en", "zh"] as const) {
      const asked = await browser.get(`/v1/approvals/${approvalId}?locale=${locale}`);
      expect(asked.body).toMatchObject({
        card: { title: title[locale], arguments: [{ key: "text", label: labels.text[locale] }] },
      });
      const { body } = await browser.get<{ tools: object[] }>(`/v1/tools?locale=${locale}`);
      expect(body.tools.find((tool) => "name" in tool && tool.name === "notes.write")).toMatchObject({
        title: title[locale],
        inputSchema: { properties: { text: { title: labels.text[locale] } } },
      });
    }
    const half = await http.post("/v1/tools", { tools: [{ ...NOTE, title: { en: "Write a note" } }] });
    expect(half).toMatchObject({ status: 400 });
    const unsaid = await http.post("/v1/tools", { tools: [{ ...NOTE, labels: { text: { en: "What" } } }] });
    expect(unsaid).toMatchObject({ status: 400 });
  });

  it("cannot replace the gate's own, leave their key's scopes, or make themselves harmless", async () => {
    const { agent, gate } = await openServerWorld();
    const { http, issued } = await agent(["notes.*", "email.*", "tasks.list"]);
    const declare = (tool: object) => http.post("/v1/tools", { tools: [{ ...NOTE, ...tool }] });
    expect(await declare({ name: "email.send" })).toMatchObject({ status: 409, body: { code: "duplicate_tool" } });
    expect(await declare({ name: "email-send" })).toMatchObject({ status: 403 });
    expect(await declare({ name: "files.drop", app: "notes" })).toMatchObject({ body: { code: "not_permitted" } });
    expect(await declare({ name: "notes.x", confirm: false })).toMatchObject({ status: 400 });
    expect(await declare({ name: "notes.x", riskTier: "R1" })).toMatchObject({ status: 200 });
    const by = { workspaceId: "local", agentId: issued.agentId };
    expect(gate.registry.find("notes.x", by)?.riskTier).toBeUndefined();
    expect((await http.post("/v1/calls", { tool: "notes.x", args: { text: "b" } })).status).toBe(202);
    await declare({ name: "notes.y", riskTier: "R4" });
    expect(gate.registry.find("notes.y", by)?.riskTier).toBe("R4");
  });

  it("stay within their key's scopes when those are narrowed, whatever app they say they belong to (attack D4)", async () => {
    const { agent, browser } = await openServerWorld();
    const { http, issued } = await agent(["notes.*", "email.*"]);
    await http.post("/v1/tools", { tools: [{ ...NOTE, app: "email" }] });
    const call = { tool: "notes.write", args: { text: "b" } };
    expect((await http.post("/v1/calls", call)).status).toBe(202);
    await browser.send("PATCH", `/v1/agents/${issued.agentId}`, { scopes: ["email.*"] });
    expect(await http.post("/v1/calls", call)).toMatchObject({ status: 403, body: { code: "not_permitted" } });
  });

  it("have schemas that are bounded: no references, no endless depth, no regular expression of others (attack F11)", async () => {
    const { agent } = await openServerWorld();
    const { http } = await agent(["notes.*"]);
    const declare = (inputSchema: object) => http.post("/v1/tools", { tools: [{ ...NOTE, inputSchema }] });
    const deep = (levels: number): object =>
      levels === 0 ? { type: "string" } : { type: "array", items: deep(levels - 1) };
    for (const schema of [
      { type: "object", properties: { a: { $ref: "#" } } },
      { type: "object", properties: { a: deep(40) } },
      { type: "object", properties: Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`p${n}`, {}])) },
      { type: "object", properties: { a: { type: "nothing" } } },
      { type: "string" },
    ]) {
      expect(await declare(schema), JSON.stringify(schema).slice(0, 80)).toMatchObject({
        body: { code: "invalid_tool" },
      });
    }
    await declare(NOTE.inputSchema);
    const slow = { tool: "notes.write", args: { text: `${"a".repeat(19)}!` } };
    expect((await http.post("/v1/calls", slow)).status).toBe(202);
  });

  it("are known again after a restart, and to every other instance", async () => {
    const { agent, database, service } = await openServerWorld();
    const { http, issued } = await agent(["notes.*"]);
    await http.post("/v1/tools", { tools: [NOTE] });
    const { openService } = await import("../open-service.js");
    const { createGate } = await import("../../index.js");
    const gate = createGate({ store: memoryStore() });
    const other = await openService({ gate, database, origins: service.doors.origins });
    expect(gate.registry.find("notes.write", { workspaceId: "local", agentId: issued.agentId })?.title).toBe(
      NOTE.title,
    );
    await http.post("/v1/tools", { tools: [{ ...NOTE, title: "Changed" }] });
    await other.tools.refresh();
    expect(gate.registry.find("notes.write", { workspaceId: "local", agentId: issued.agentId })?.title).toBe("Changed");
    await other.close();
    await gate.close();
  });
});

describe("the policy over HTTP", () => {
  const TEXT = 'version: 1\nrules:\n  - id: no-mail\n    when: tool == "email.send"\n    effect: deny\n';

  it("is checked with lines, explained rule by rule and replayed on what was asked", async () => {
    const { agent, browser, join } = await openServerWorld();
    const { http } = await agent();
    await http.post("/v1/calls", { tool: "email.send", args: { to: "a@example.com", body: "x" } });
    expect((await browser.get("/v1/policy")).body).toEqual({ policy: null });
    const checked = await browser.post("/v1/policy/check", { text: TEXT.replace("deny", "denny") });
    expect(checked.body).toMatchObject({ ok: false, problems: [{ line: 5 }] });
    const call = { tool: "email.send", args: { to: "a@example.com", body: "x" } };
    expect((await browser.post("/v1/policy/explain", { call })).body).toMatchObject({ verdict: { type: "confirm" } });
    const denied = await browser.post("/v1/policy/explain", { call, text: TEXT });
    expect(denied.body).toMatchObject({ verdict: { type: "deny", rules: ["no-mail"] } });
    const { body: list } = await browser.get<{ approvals: { approvalId: string; toolCallHash: string }[] }>(
      "/v1/approvals",
    );
    const [waiting] = list.approvals;
    await browser.post(`/v1/approvals/${waiting?.approvalId}/decision`, {
      decision: "deny",
      toolCallHash: waiting?.toolCallHash,
    });
    expect((await browser.post("/v1/policy/replay", { text: TEXT })).body).toMatchObject({ denied: 1, askedBefore: 1 });
    const eve = await join("Eve", "member");
    expect((await eve.browser.post("/v1/policy/replay", { text: TEXT })).status).toBe(403);
  });

  it("explains tools that agents of others have declared to nobody but those who see these agents (I11)", async () => {
    const { agent, browser, join } = await openServerWorld();
    const { http, issued } = await agent(["notes.*"]);
    await http.post("/v1/tools", { tools: [NOTE] });
    const call = { tool: "notes.write", args: { text: "b" }, agentId: issued.agentId };
    expect((await browser.post("/v1/policy/explain", { call })).status).toBe(200);
    const eve = await join("Eve", "member");
    const told = await eve.browser.post("/v1/policy/explain", { call });
    expect(told).toMatchObject({ status: 404, body: { code: "unknown_tool" } });
  });
});
