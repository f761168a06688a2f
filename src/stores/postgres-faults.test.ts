import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { FaultProxy } from "../../test/support/fault-proxy.js";
import { type PostgresServer, postgresMissing, startPostgres } from "../../test/support/postgres.mjs";
import { verifyChain } from "../core/audit.js";
import { newId } from "../core/ids.js";
import type { Change, Store } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { createGate } from "../create-gate.js";
import { postgresStore } from "./postgres.js";

const missing = postgresMissing();
const CALLER = { userId: "ana", workspaceId: "home", sessionId: "s1", agentId: "bot" };
const ANA = { kind: "person" as const, userId: "ana", workspaceId: "home" };

let server: PostgresServer;
let proxy: FaultProxy;
let schemas = 0;
let schema: string;

beforeAll(async () => {
  if (missing !== undefined) return;
  server = await startPostgres();
  proxy = await FaultProxy.before(server.port);
});
afterAll(async () => {
  await proxy?.close();
  await server?.stop();
});
beforeEach(() => {
  schema = `faults_${++schemas}`;
});

/** Through the line that fails, or around it. */
async function open(through = true): Promise<Store> {
  const url = through ? proxy.through(server.url()) : server.url();
  const store = await postgresStore({ url, schema, listen: false });
  onTestFinished(() => store.close());
  return store;
}

function gateOn(store: Store) {
  const effects: string[] = [];
  const gate = createGate({
    store,
    tools: [
      defineTool({
        name: "mail.send",
        execute: (_args, { approvalId = "" }) => {
          effects.push(approvalId);
          return "sent";
        },
      }),
    ],
  });
  onTestFinished(() => gate.close());
  return { gate, effects };
}

const entry = (content: string) => ({ type: "thing.happened", ref: "", content });
const change = (parts: Partial<Change> = {}): Change => ({
  changeId: newId(),
  workspaceId: "home",
  puts: [],
  entries: [entry("{}")],
  ...parts,
});

async function typesIn(store: Store): Promise<string[]> {
  const entries = await store.entries("home", 0, 1_000);
  expect(verifyChain("home", entries, [await store.checkpoint("home")]).ok).toBe(true);
  return entries.map(({ type }) => type);
}

describe.skipIf(missing !== undefined)(`Postgres behind a line that fails ${missing ?? ""}`, () => {
  it("asks once and runs once when every reply is lost after its commit (fault R9, I1)", async () => {
    const store = await open();
    const { gate, effects } = gateOn(store);
    const call = { tool: "mail.send", args: { to: "bob" }, idempotencyKey: "k1" };
    const lost = [proxy.loseReplyTo(`${schema}.commit`)];
    const asked = await gate.submit(call, CALLER);
    expect(asked.type).toBe("pending");
    const { approvalId = "" } = asked;
    lost.push(proxy.loseReplyTo(`${schema}.commit`));
    await gate.decide({ approvalId, decision: "approve" }, ANA);
    expect((await gate.resume(approvalId, CALLER)).type).toBe("succeeded");
    await Promise.all(lost);
    expect(effects).toEqual([approvalId]);
    const types = await typesIn(await open(false));
    for (const once of ["approval.created", "approval.resolved", "call.claimed", "call.executed"])
      expect(types.filter((type) => type === once)).toEqual([once]);
  });

  it("tells the true outcome to whoever asks again with the same key after the store was gone (fault R9)", async () => {
    const store = await open();
    const { gate } = gateOn(store);
    const call = { tool: "mail.send", args: { to: "bob" }, idempotencyKey: "k1" };
    const lost = proxy.loseReplyTo(`${schema}.commit`);
    // The reply is lost, and from then on so is the line: nobody here can know what became of it.
    void lost.then(() => proxy.refuse(true));
    await expect(gate.submit(call, CALLER)).rejects.toMatchObject({ code: "store_failed", retryable: true });
    proxy.refuse(false);
    const again = await gate.submit(call, CALLER);
    expect(again.type).toBe("pending");
    const there = await open(false);
    expect((await typesIn(there)).filter((type) => type === "approval.created")).toHaveLength(1);
    expect((await there.get("approval", again.approvalId ?? ""))?.version).toBe(1);
  });

  it("answers a change that is sent again as the first time, although it would be refused by now", async () => {
    const store = await open();
    const first = change({ puts: [{ kind: "approval", id: "a", version: 0, value: "mine" }] });
    const [applied] = await store.commit([first]);
    const rival = change({ puts: [{ kind: "approval", id: "a", version: 0, value: "yours" }] });
    expect(await store.commit([first, rival])).toMatchObject([applied, { ok: false, refused: "version" }]);
    expect((await store.entries("home", 0, 10)).length).toBe(1);
  });

  it.each([
    ["puts a record", { puts: [{ kind: "approval" as const, id: "a", version: 0, value: "v" }] }],
    ["only counts and records", { counts: [{ key: "c", add: 1, max: 10 }] }],
  ])("writes a change that %s once when its first attempt arrives late", async (_, parts) => {
    const [store, other] = [await open(), await open(false)];
    const slow = change(parts);
    const held = proxy.holdRequest(`${schema}.commit`);
    const attempt = store.commit([slow]);
    await Promise.all([held.sent, expect(attempt).rejects.toMatchObject({ code: "store_failed" })]);
    expect((await store.changed([slow])).size).toBe(0);
    const [second] = await store.commit([slow, change()]);
    expect(second).toMatchObject({ ok: true, seq: 1 });
    await held.arrive();
    expect(await typesIn(other)).toHaveLength(2);
    expect(await other.count("c")).toBe("counts" in parts ? 1 : 0);
    expect([...(await other.changed([slow])).values()]).toMatchObject([{ seq: 1 }]);
  });

  it("fails closed while the line is cut, and goes on when it is back (fault R5, I8)", async () => {
    const store = await open();
    const { gate, effects } = gateOn(store);
    const asked = await gate.submit({ tool: "mail.send", args: {} }, CALLER);
    proxy.refuse(true);
    const deciding = gate.decide({ approvalId: asked.approvalId ?? "", decision: "approve" }, ANA);
    await expect(deciding).rejects.toMatchObject({ code: "store_failed" });
    expect(effects).toEqual([]);
    proxy.refuse(false);
    await gate.decide({ approvalId: asked.approvalId ?? "", decision: "approve" }, ANA);
    expect((await gate.resume(asked.approvalId ?? "", CALLER)).type).toBe("succeeded");
    expect(effects).toEqual([asked.approvalId]);
  });

  it("outlives a server that goes right behind its answer to a new connection (fault R5)", async () => {
    const store = await open();
    const { gate, effects } = gateOn(store);
    // What goes wrong between two statements reaches no statement; as an error that nobody hears it would end the process.
    const ended = proxy.endBehindAnswerTo("set_config('synchronous_commit', 'on', false)");
    proxy.cut();
    const submit = () => gate.submit({ tool: "mail.send", args: {}, idempotencyKey: "once" }, CALLER);
    await expect.poll(() => submit().then(({ type }) => type, String)).toBe("pending");
    await ended;
    expect(effects).toEqual([]);
  });

  it("does the same over a slow line", async () => {
    const store = await open();
    proxy.delay = 30;
    onTestFinished(() => {
      proxy.delay = 0;
    });
    const commits = Array.from({ length: 20 }, (_, n) => store.commit([change({ entries: [entry(`{"n":${n}}`)] })]));
    expect((await Promise.all(commits)).flat().every(({ ok }) => ok)).toBe(true);
    expect(await typesIn(store)).toHaveLength(20);
  });
});

describe.skipIf(missing !== undefined)("a Postgres server that is killed", () => {
  it("has everything it acknowledged when it is back, and the same stores go on (fault R5, I5)", async () => {
    const own = await startPostgres();
    onTestFinished(() => own.stop());
    const store = await postgresStore({ url: own.url() });
    onTestFinished(() => store.close());
    const acknowledged: string[] = [];
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const work = async () => {
      while (!ending.signal.aborted) {
        const next = change();
        const [applied] = await store.commit([next]).catch(() => []);
        if (applied?.ok) acknowledged.push(next.changeId);
      }
    };
    const workers = [work(), work(), work(), work()];
    for (let kill = 1; kill <= 3; kill++) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(before + 20);
      await own.crash();
      await own.start();
    }
    const before = acknowledged.length;
    // Service is back within ten seconds.
    await expect.poll(() => acknowledged.length, { timeout: 10_000 }).toBeGreaterThan(before);
    ending.abort();
    await Promise.all(workers);
    const kept = await store.changed(acknowledged.map((changeId) => ({ changeId, workspaceId: "home" })));
    expect(acknowledged.filter((changeId) => !kept.has(changeId))).toEqual([]);
    const entries = await store.entries("home", 0, 100_000);
    expect(verifyChain("home", entries, [await store.checkpoint("home")]).ok).toBe(true);
  });
});
