import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate, memoryStore, type Person } from "countersign";
import { contentAnalyser } from "countersign/analysers";
import { serve } from "countersign/server";
import { openDatabase } from "countersign/stores/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Assistant, assistantMounts, type ChatResponse, createAssistant } from "../src/index.js";

const OWNER: Person = { kind: "person", userId: "local", workspaceId: "local" };

interface Site {
  readonly assistant: Assistant;
  readonly folder: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly post: (path: string, body: unknown) => Promise<{ readonly status: number; readonly body: ChatResponse }>;
  readonly titles: () => readonly string[];
}

/** The assistant on the package's own server, and a browser that has followed the sign-in link. */
async function site(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-site-"));
  const gate = createGate({ store: memoryStore(), analysers: [contentAnalyser()] });
  const assistant = createAssistant({ gate, folder, members: () => [{ userId: "local", name: "Local" }] });
  const server = await serve(gate, { port: 0, web: false, mounts: assistantMounts(assistant) });
  onTestFinished(async () => {
    await assistant.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { url } = server;
  const token = new URL(await server.signInLink()).hash.slice("#t=".length);
  const signedIn = await fetch(`${url}/v1/auth/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token }),
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const headers = { cookie, origin: url, "content-type": "application/json" };
  const post: Site["post"] = async (path, body) => {
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as ChatResponse };
  };
  const titles = () => assistant.apps.todos.list("local", { status: "all" }).map(({ title }) => title);
  return { assistant, folder, url, headers, post, titles };
}

describe("on the running server, as the seeds tell it", () => {
  it("seed A: asks, is confirmed, has executed (A6 to A11)", async () => {
    const { post } = await site();
    const { body: held } = await post("/agent/chat", { message: "I gotta call mom" });
    expect(held).toMatchObject({
      requiresConfirmation: true,
      pendingAction: { toolName: "tasks.create", isDestructive: false },
    });
    const { body: done } = await post("/agent/chat", {
      message: "yes",
      confirmationToken: held.pendingAction?.token,
      confirmed: true,
    });
    expect(done.text).toBe('✅ Created task: "call mom"');
    expect(done.actions).toMatchObject([
      { tool: "tasks.create", result: { success: true, data: { task: { title: "call mom" } } } },
    ]);
  });

  it("seed B: the stream asks before it runs, and its end carries the metadata (B6 to B10, B13)", async () => {
    const { assistant, url, headers, post, titles } = await site();
    await post("/agent/chat", { message: "create a task: water the roses" });
    const response = await fetch(`${url}/agent/chat/stream`, {
      method: "POST",
      headers,
      body: JSON.stringify({ message: "delete all tasks" }),
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const [card] = text.includes("event: approval_required") ? await assistant.gate.pending(OWNER) : [];
      if (card === undefined) continue;
      expect(titles()).toEqual(["water the roses"]);
      const { approvalId, toolCallHash } = card;
      await assistant.gate.decide({ approvalId, decision: "approve", toolCallHash }, OWNER);
    }
    const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name).filter((name) => name !== "token");
    expect(names).toEqual(["tool_start", "approval_required", "approval_resolved", "tool_end", "done"]);
    const end = JSON.parse(/event: tool_end\ndata: (.*)/.exec(text)?.[1] ?? "{}") as object;
    expect(end).toMatchObject({
      name: "todo.clear",
      metadata: { destructive: true, mutation: true, tags: ["destructive"] },
    });
    expect(titles()).toEqual([]);
  });

  it("seed C: sending mail asks by default, reading it does not (C6, C18, C40)", async () => {
    const { post } = await site();
    const send = await post("/agent/chat", {
      message: "send an email to john@example.com about lunch: see you at noon",
    });
    expect(send.body.pendingAction).toMatchObject({
      toolName: "email.send",
      inputPreview: { to: ["john@example.com"], subject: "lunch" },
    });
    const read = await post("/agent/chat", { message: "check my inbox" });
    expect(read.body.actions).toMatchObject([{ tool: "email.read", result: { success: true } }]);
  });

  it("seed E: a Chinese delete request leads to SQL, a question, 确认, the deletion and an answer (E1, E23)", async () => {
    const { folder, post } = await site();
    const database = openDatabase(join(folder, "data.db"));
    database.exec("CREATE TABLE orders (id INTEGER, status INTEGER); INSERT INTO orders VALUES (1, 1), (2, 1), (3, 0)");
    const rows = () => (database.prepare("SELECT count(*) AS rows FROM orders").get() as { rows: number }).rows;
    const { body: held } = await post("/agent/chat", { message: "删除 orders 表里 status=1 的记录" });
    expect(held.pendingAction).toMatchObject({
      toolName: "data.modify",
      inputPreview: { sql: "DELETE FROM orders WHERE status = 1" },
      isDestructive: true,
    });
    expect(held.text).toContain("取消");
    expect(rows()).toBe(3);
    const { conversationId } = held;
    const { body: done } = await post("/agent/chat", {
      message: "确认",
      conversationId,
      confirmationToken: held.pendingAction?.token,
      confirmed: true,
    });
    expect(done.text).toBe("✅ 已更改 2 行");
    expect(rows()).toBe(1);
    database.close();
  });

  it("refuses what is no request, and strangers", async () => {
    const { url, headers, post } = await site();
    expect((await post("/agent/chat", { message: "" })).status).toBe(400);
    expect((await post("/agent/chat", { message: "x".repeat(5_000) })).status).toBe(400);
    const bad = await fetch(`${url}/agent/chat`, {
      method: "POST",
      headers,
      body: "{",
    });
    expect([bad.status, await bad.json()]).toMatchObject([400, { error: { code: "invalid_request" } }]);
    expect((await fetch(`${url}/agent/chat`, { method: "POST", body: "{}" })).status).toBe(401);
  });

  it("runs commands in a batch through the gate, and shows and removes the demo", async () => {
    const { url, headers, post } = await site();
    const { body } = await post("/agent/commands", { commands: [{ name: "todo-clear", args: { all: true } }] });
    expect(body).toMatchObject({ results: [{ outcome: "pending", metadata: { destructive: true } }] });
    expect((await post("/agent/demo", {})).body).toEqual({ started: true });
    const shown = (await (await fetch(`${url}/agent/demo`, { headers })).json()) as { lines: unknown[] };
    expect(shown.lines.length).toBeGreaterThan(5);
    expect((await fetch(`${url}/agent/demo`, { method: "DELETE", headers })).status).toBe(204);
  });
});
