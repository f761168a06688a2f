import type { Server } from "node:http";
import { join } from "node:path";
import { openDatabase } from "countersign/stores/sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { assistantRoutes, type ChatResponse } from "../src/index.js";
import { serve } from "./adapter.js";
import { newTalk, type Talk } from "./chat-world.js";
import { PERSON } from "./world.js";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
});

interface Site {
  readonly talk: Talk;
  readonly url: string;
  post(path: string, body: unknown, who?: string): Promise<{ readonly status: number; readonly body: ChatResponse }>;
}

async function site(): Promise<Site> {
  const talk = newTalk();
  const { url, server } = await serve(assistantRoutes(talk.assistant), {
    ann: PERSON,
    eve: { ...PERSON, userId: "eve" },
  });
  servers.push(server);
  const post: Site["post"] = async (path, body, who = "ann") => {
    const headers = { authorization: `Bearer ${who}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as ChatResponse };
  };
  return { talk, url, post };
}

describe("over HTTP, as the seeds tell it", () => {
  it("seed A: asks, is confirmed, has executed (A6 to A11)", async () => {
    const { post } = await site();
    const { body: held } = await post("/agent/chat", { message: "I gotta call mom" });
    expect(held).toMatchObject({
      requiresConfirmation: true,
      pendingAction: { toolName: "tasks.create", isDestructive: false },
    });
    const stolen = await post(
      "/agent/chat",
      { message: "yes", confirmationToken: held.pendingAction?.token, confirmed: true },
      "eve",
    );
    expect(stolen).toMatchObject({ status: 400, body: { error: { code: "invalid_confirmation" } } });
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
    const { talk, url } = await site();
    await talk.say("create a task: water the roses");
    const response = await fetch(`${url}/agent/chat/stream`, {
      method: "POST",
      headers: { authorization: "Bearer ann" },
      body: JSON.stringify({ message: "delete all tasks" }),
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const [card] = text.includes("event: approval_required") ? await talk.assistant.gate.pending(PERSON) : [];
      if (card === undefined) continue;
      expect(talk.titles()).toEqual(["water the roses"]);
      const { approvalId, toolCallHash } = card;
      await talk.assistant.gate.decide({ approvalId, decision: "approve", toolCallHash }, PERSON);
    }
    const names = [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name).filter((name) => name !== "token");
    expect(names).toEqual(["tool_start", "approval_required", "approval_resolved", "tool_end", "done"]);
    const end = JSON.parse(/event: tool_end\ndata: (.*)/.exec(text)?.[1] ?? "{}") as object;
    expect(end).toMatchObject({
      name: "todo.clear",
      metadata: { destructive: true, mutation: true, tags: ["destructive"] },
    });
    expect(talk.titles()).toEqual([]);
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
    const { talk, post } = await site();
    const database = openDatabase(join(talk.folder, "data.db"));
    database.exec("CREATE TABLE orders (id INTEGER, status INTEGER); INSERT INTO orders VALUES (1, 1), (2, 1), (3, 0)");
    const rows = () => (database.prepare("SELECT count(*) AS rows FROM orders").get() as { rows: number }).rows;
    const { body: held } = await post("/agent/chat", { message: "删除 orders 表里 status=1 的记录" });
    expect(held.pendingAction).toMatchObject({
      toolName: "data.modify",
      inputPreview: { sql: "DELETE FROM orders WHERE status = 1" },
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
    const { url, post } = await site();
    expect((await post("/agent/chat", { message: "" })).status).toBe(400);
    expect((await post("/agent/chat", { message: "x".repeat(5_000) })).status).toBe(400);
    const bad = await fetch(`${url}/agent/chat`, {
      method: "POST",
      headers: { authorization: "Bearer ann" },
      body: "{",
    });
    expect([bad.status, await bad.json()]).toMatchObject([400, { error: { code: "invalid_request" } }]);
    expect((await fetch(`${url}/agent/chat`, { method: "POST", body: "{}" })).status).toBe(401);
  });

  it("runs commands in a batch through the gate, and shows and removes the demo", async () => {
    const { url, post } = await site();
    const { body } = await post("/agent/commands", { commands: [{ name: "todo-clear", args: { all: true } }] });
    expect(body).toMatchObject({ results: [{ outcome: "pending", metadata: { destructive: true } }] });
    expect((await post("/agent/demo", {})).body).toEqual({ started: true });
    const headers = { authorization: "Bearer ann" };
    const shown = (await (await fetch(`${url}/agent/demo`, { headers })).json()) as { lines: unknown[] };
    expect(shown.lines.length).toBeGreaterThan(5);
    expect((await fetch(`${url}/agent/demo`, { method: "DELETE", headers })).status).toBe(204);
  });
});
