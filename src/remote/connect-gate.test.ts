import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { decide, firstAsked, listen } from "../../test/server/listening.js";
import { openServerWorld } from "../../test/server/world.js";
import { attach } from "../adapters/attach.js";
import { defineTool } from "../index.js";
import { type ConnectOptions, connectGate } from "./index.js";

function tempPath(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-remote-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

async function openListening(more: object = {}) {
  const world = await openServerWorld({ tools: [] });
  const listening = await listen(world);
  const { issued } = await world.agent(["notes.*"], more);
  const ran: unknown[] = [];
  const tools = [
    defineTool({
      name: "notes.share",
      effect: "write",
      riskTier: "R3",
      inputSchema: z.object({ title: z.string() }),
      execute: (args) => {
        ran.push(args);
        return { shared: true };
      },
    }),
    defineTool({ name: "notes.list", effect: "read", inputSchema: z.object({}), execute: () => ["a"] }),
  ];
  const connect = (options: Partial<ConnectOptions> = {}) => {
    const gate = connectGate({ url: listening.url, key: issued.apiKey, tools, ...options });
    onTestFinished(() => gate.close());
    return gate;
  };
  const asked = () => firstAsked(world.browser);
  return { ...world, ...listening, issued, ran, connect, asked };
}

const CALL = { tool: "notes.share", args: { title: "plan" } };

describe("a gate behind a server", () => {
  it("declares its tools, waits for the person and runs the tool here once (I1)", async () => {
    const { connect, asked, browser, ran } = await openListening();
    const running = connect().run(CALL);
    await decide(browser, await asked(), "approve");
    expect(await running).toMatchObject({ type: "succeeded", result: { shared: true } });
    expect(ran).toEqual([{ title: "plan" }]);
  });

  it("waits for the tool when the deadline is further away than timers reach", async () => {
    const { connect, asked, browser } = await openListening();
    const execute = () => new Promise((resolve) => setTimeout(resolve, 100, { shared: true }));
    const tools = [defineTool({ name: "notes.share", effect: "write", riskTier: "R3", execute })];
    const running = connect({ tools }).run(CALL, undefined, { deadline: 30 * 86_400_000 });
    await decide(browser, await asked(), "approve");
    expect(await running).toMatchObject({ type: "succeeded" });
  });

  it("runs what is allowed at once", async () => {
    const { connect } = await openListening();
    expect(await connect().submit({ tool: "notes.list" })).toMatchObject({ type: "succeeded", result: ["a"] });
  });

  it("starts by itself what a person approves after submit has returned", async () => {
    const { connect, browser, ran } = await openListening();
    const gate = connect();
    const told = await gate.submit(CALL);
    if (told.type !== "pending") throw new Error(told.type);
    await decide(browser, told.approvalId, "approve");
    expect(await gate.resume(told.approvalId, undefined, { deadline: 20_000 })).toMatchObject({ type: "succeeded" });
    expect(ran).toHaveLength(1);
  });

  it("starts it, too, when the server was away for longer than one look lasts", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { connect, browser, ran } = await openListening();
    let line = new AbortController();
    let failures = 0;
    const gate = connect({
      fetch: (input, init = {}) => {
        const { signal } = init;
        if (!line.signal.aborted) {
          return fetch(input, { ...init, signal: signal ? AbortSignal.any([signal, line.signal]) : line.signal });
        }
        failures++;
        vi.setSystemTime(Date.now() + 30_000);
        return Promise.reject(new TypeError("fetch failed"));
      },
    });
    const told = await gate.submit(CALL);
    line.abort();
    await vi.waitUntil(() => failures > 2, { timeout: 10_000 });
    line = new AbortController();
    await decide(browser, told.approvalId as string, "approve");
    await vi.waitUntil(() => ran.length > 0, { timeout: 10_000 });
  });

  it("resumes after a restart while it was pending, and runs it once whoever asks", async () => {
    const { connect, browser, ran } = await openListening();
    const first = connect();
    const told = await first.submit(CALL);
    await first.close();
    await decide(browser, told.approvalId as string, "approve");
    const second = connect();
    const outcomes = await Promise.all([
      second.resume(told.approvalId as string, undefined, { deadline: 20_000 }),
      second.resume(told.approvalId as string, undefined, { deadline: 20_000 }),
    ]);
    expect(outcomes.map(({ type }) => type)).toEqual(["succeeded", "succeeded"]);
    expect(ran).toHaveLength(1);
  });

  it("joins identical calls to their open question, as in one process; a key of one's own keeps them apart", async () => {
    const { connect, browser } = await openListening();
    const [first, second] = [await connect().submit(CALL), await connect().submit(CALL)];
    expect(second.approvalId).toBe(first.approvalId);
    const [own, other] = [
      await connect().submit({ ...CALL, idempotencyKey: "order-1" }),
      await connect().submit({ ...CALL, idempotencyKey: "order-2" }),
    ];
    expect(new Set([first.approvalId, own.approvalId, other.approvalId]).size).toBe(3);
    await decide(browser, first.approvalId as string, "deny");
    // What has ended is joined no more; a no is remembered by itself.
    expect(await connect().submit(CALL)).toMatchObject({ type: "denied" });
  });

  it("runs the arguments that a person changed, and not what the schema refuses (I3)", async () => {
    const { connect, asked, browser, ran } = await openListening();
    const running = connect().run(CALL);
    const approvalId = await asked();
    const { body } = await browser.get<{ toolCallHash: string }>(`/v1/approvals/${approvalId}`);
    await browser.post(`/v1/approvals/${approvalId}/decision`, {
      decision: "approve",
      toolCallHash: body.toolCallHash,
      args: { title: "changed" },
    });
    expect(await running).toMatchObject({ type: "succeeded" });
    expect(ran).toEqual([{ title: "changed" }]);
    await expect(connect().run({ tool: "notes.share", args: { title: 7 } })).rejects.toMatchObject({
      code: "invalid_args",
    });
  });

  it("never runs while the server is down: refused at the deadline (I2)", async () => {
    const { connect, close, ran } = await openListening();
    const gate = connect();
    await gate.submit({ tool: "notes.list" });
    await close();
    await expect(gate.run(CALL, undefined, { deadline: 400 })).rejects.toMatchObject({ code: "unreachable" });
    expect(ran).toEqual([]);
  });

  it("does not run when the answer to its claim is lost for good", async () => {
    const { connect, asked, browser, ran } = await openListening();
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      // The server has claimed and refuses a repetition that it cannot answer alike.
      if ((input as URL).href.endsWith("/v1/tokens/claim"))
        return new Response('{"code":"idempotency_conflict","detail":"x","status":409,"retryable":false}', {
          status: 409,
        });
      return response;
    };
    const running = connect({ fetch: losing }).run(CALL);
    running.catch(() => undefined);
    await decide(browser, await asked(), "approve");
    await expect(running).rejects.toMatchObject({ code: "idempotency_conflict" });
    expect(ran).toEqual([]);
  });

  it("reports a failure of a framework's tool that has much to say as a failure", async () => {
    const { connect, asked, browser } = await openListening();
    const attached = attach(connect({ tools: [] }), { name: "notes.share", effect: "write", riskTier: "R3" });
    const run = () => Promise.reject(new Error("no ".repeat(10_000)));
    const running = attached.run({ args: CALL.args, callId: undefined, caller: undefined, run });
    await decide(browser, await asked(), "approve");
    expect((await running).outcome).toMatchObject({ type: "failed" });
  });

  it("cancels what it asked for", async () => {
    const { connect } = await openListening();
    const gate = connect();
    const told = await gate.submit(CALL);
    expect(await gate.cancel({ approvalId: told.approvalId as string })).toMatchObject({ type: "cancelled" });
  });
});

describe("a key that works from approved devices alone", () => {
  it("asks its owner for this machine, then works from it; the key pair is for its owner's eyes (attack C32)", async () => {
    const { connect, service, owner, url, ran, browser } = await openListening({ devices: "approved" });
    // The proof names the server's own address, and the test's is at another port.
    const devicePath = tempPath("device.key");
    const gate = connect({ devicePath, url: "http://localhost:4801", fetch: rerouted(url) });
    await expect(gate.submit(CALL)).rejects.toMatchObject({
      code: "device_refused",
      message: expect.stringMatching(
        /^This device \([0-9A-F]{4}-[0-9A-F]{4}\) waits .*http:\/\/localhost:4801\/settings\/developer/,
      ),
    });
    expect(statSync(devicePath).mode & 0o777).toBe(0o600);
    const [device] = await service.identity.devices.list(owner);
    await service.identity.devices.approve(owner, device?.deviceId ?? "");
    const told = await gate.submit(CALL);
    await decide(browser, told.approvalId as string, "approve");
    expect(await gate.resume(told.approvalId as string, undefined, { deadline: 20_000 })).toMatchObject({
      type: "succeeded",
    });
    expect(ran).toHaveLength(1);
    expect(readFileSync(devicePath, "utf8")).toContain("PRIVATE KEY");
  });

  it("is refused with a key file that others can read", async () => {
    const { connect, url } = await openListening({ devices: "approved" });
    const devicePath = tempPath("device.key");
    writeFileSync(devicePath, "x", { mode: 0o644 });
    const gate = connect({ devicePath, url: "http://localhost:4801", fetch: rerouted(url) });
    await expect(gate.submit(CALL)).rejects.toMatchObject({ code: "device_refused" });
  });
});

function rerouted(url: string): typeof fetch {
  return (input, init) => fetch((input as URL).href.replace("http://localhost:4801", url), init);
}
