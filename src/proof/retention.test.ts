import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ANNA, all, CALLER, manualClock, newFolder, openGate, WORKSPACE } from "../../test/proof-fixture.js";
import type { Approval } from "../core/approval.js";
import { ERASED, shortHash } from "../core/audit.js";
import { decodeApproval, decodeCall } from "../core/codec.js";
import type { GateOptions } from "../core/gate.js";
import { sha256Hex } from "../core/ids.js";
import type { Clock, Store } from "../core/ports.js";
import { defineTool } from "../core/tool.js";
import { memoryStore } from "../stores/memory.js";
import { sqliteStore } from "../stores/sqlite.js";
import { keptHash } from "./erase.js";
import { createRetention, RETENTION, type RetentionOptions } from "./retention.js";

const HOUR = 3_600_000;
/** Short enough to guess, long enough not to stand in a file by chance. */
const PIN = "pin-4711";

function setUp(
  options: Partial<RetentionOptions> = {},
  open: (clock: Clock) => Store = (clock) => memoryStore({ clock }),
  gateOptions: Partial<GateOptions> = {},
) {
  const clock = manualClock();
  const store = open(clock);
  const tool = defineTool<{ pin: string }>({
    name: "door.unlock",
    confirm: true,
    execute: ({ pin }) => ({ used: pin }),
  });
  const fails = defineTool({
    name: "door.break",
    confirm: true,
    execute: () => Promise.reject(new Error(`no ${PIN}`)),
  });
  const look = defineTool({ name: "door.list", effect: "read", execute: () => [] });
  const gate = openGate(store, clock, [tool, fails, look], gateOptions);
  const retention = createRetention({
    store,
    level: "minimal",
    workspaces: [WORKSPACE],
    clock,
    everyMs: 10_000 * HOUR,
    ...options,
  });
  onTestFinished(() => retention.close());
  const ask = async (name = tool.name, caller = CALLER) => {
    const outcome = await gate.submit({ tool: name, args: { pin: PIN } }, caller);
    if (outcome.type !== "pending") throw new Error(outcome.message);
    return outcome.approvalId;
  };
  const run = async (name = tool.name, caller = CALLER) => {
    const approvalId = await ask(name, caller);
    const person = { kind: "person", userId: caller.userId, workspaceId: WORKSPACE } as const;
    await gate.decide({ approvalId, decision: "approve", reason: `use ${PIN}` }, person);
    await gate.resume(approvalId, caller, { deadline: 60_000 });
    return approvalId;
  };
  return { clock, store, gate, retention, ask, run };
}

async function approvalOf(store: Store, id: string): Promise<Approval> {
  return decodeApproval((await store.get("approval", id)) ?? expect.fail("the row is gone"));
}

/** The canonical call that a row holds. */
async function callOf(store: Store, id: string): Promise<unknown> {
  return JSON.parse(decodeCall((await store.get("call", id)) ?? expect.fail("the call is gone")).canonical);
}

/** Everything the store would give to somebody who owns it. */
async function everything(store: Store, ids: readonly string[]): Promise<string> {
  const records = await Promise.all(ids.flatMap((id) => [store.get("approval", id), store.get("call", id)]));
  return JSON.stringify([records, await all(store)]);
}

describe("retention", () => {
  it.each(["minimal", "enhanced"] as const)("keeps what was said for its time after the outcome: %s", async (level) => {
    const { clock, store, gate, retention, run } = setUp({ level });
    const approvalId = await run();
    clock.advance(RETENTION[level] - 1);
    expect(await retention.sweep()).toBe(0);
    clock.advance(1);
    expect(await retention.sweep()).toBe(4);
    expect(await retention.sweep()).toBe(0);
    expect(await store.get("call", approvalId)).toBeUndefined();
    expect((await gate.verify(WORKSPACE)).ok).toBe(true);
    const own = (await all(store)).filter(({ ref }) => ref === approvalId);
    expect(own.map(({ type, content, salt }) => [type, content, salt])).toEqual([
      ["approval.created", null, null],
      ["approval.resolved", null, null],
      ["call.claimed", null, null],
      ["call.executed", null, null],
    ]);
  });

  it("leaves no withheld result to release once it is erased", async () => {
    const { clock, store, gate, retention, run } = setUp({}, undefined, { thresholds: { bytes: 1 } });
    const approvalId = await run();
    expect(await gate.withheld(ANNA)).toHaveLength(1);
    clock.advance(25 * HOUR);
    await retention.sweep();
    expect(await gate.withheld(ANNA)).toEqual([]);
    expect((await approvalOf(store, approvalId)).execution).toMatchObject({ resultOmitted: "it was erased" });
    await expect(gate.release(approvalId, ANNA)).rejects.toThrow("Nothing is withheld");
  });

  it("erases a result that is released at the same moment", async () => {
    const { clock, store, gate, retention, run } = setUp({}, undefined, { thresholds: { bytes: 5 } });
    const approvalId = await run();
    clock.advance(24 * HOUR);
    const commit = store.commit.bind(store);
    let released = false;
    store.commit = async (group) => {
      const strips = group.some(({ puts }) => puts.some(({ id }) => id === approvalId));
      if (strips && !released) {
        released = true;
        await gate.release(approvalId, ANNA);
      }
      return commit(group);
    };
    await retention.sweep();
    expect(released).toBe(true);
    expect((await store.get("approval", approvalId))?.value).not.toContain(PIN);
  });

  it("leaves nothing from which a short secret could be guessed (attack S10)", async () => {
    const { clock, store, gate, ask, retention, run } = setUp();
    const ids = [await run(), await run("door.break").catch(() => "")].filter((id) => id !== "");
    const { toolCallHash } = await approvalOf(store, ids[0] ?? "");
    const seen = await ask();
    const { cardHash = "" } = (await gate.card(seen, ANNA)) ?? {};
    await gate.decide({ approvalId: seen, decision: "approve", cardHash }, ANNA);
    await gate.resume(seen, CALLER, { deadline: 60_000 });
    ids.push(seen);
    const before = await everything(store, ids);
    expect(before).toContain(PIN);
    expect(before).toContain(shortHash(cardHash));
    clock.advance(25 * HOUR);
    await retention.sweep();
    const left = await everything(store, ids);
    expect(left).not.toContain(PIN);
    // Nor a hash of it that anybody could find by trying all short ones.
    expect(left).not.toContain(toolCallHash);
    expect(left).not.toContain(shortHash(toolCallHash));
    expect(left).not.toContain(shortHash(cardHash));
    for (const digest of [sha256Hex(PIN), sha256Hex(`{"pin":"${PIN}"}`), sha256Hex(JSON.stringify({ used: PIN }))])
      expect(left).not.toContain(digest);
    expect(await approvalOf(store, ids[0] ?? "")).toMatchObject({
      state: "succeeded",
      tool: "door.unlock",
      requester: { userId: "anna" },
      resolution: { type: "approved", by: "anna" },
      erasedAt: clock.now(),
    });
  });

  it("leaves nothing of it in an SQLite file either, in no page and no log", async () => {
    const path = join(newFolder(), "gate.db");
    const { clock, retention, run } = setUp({}, (now) => sqliteStore(path, { worker: false, clock: now }));
    const found = () => [path, `${path}-wal`].filter((file) => existsSync(file) && readFileSync(file).includes(PIN));
    for (let i = 0; i < 5; i++) await run();
    expect(found()).not.toEqual([]);
    clock.advance(25 * HOUR);
    await retention.sweep();
    expect(found()).toEqual([]);
  });

  it("tells whoever asks later that the result was erased, and never runs the call again", async () => {
    const { clock, gate, retention } = setUp();
    const call = { tool: "door.unlock", args: { pin: PIN }, idempotencyKey: "once" };
    const outcome = await gate.submit(call, CALLER);
    const approvalId = outcome.approvalId ?? "";
    await gate.decide({ approvalId, decision: "approve" }, ANNA);
    await gate.resume(approvalId, CALLER, { deadline: 60_000 });
    clock.advance(24 * HOUR - 1);
    await retention.erasePerson(WORKSPACE, "anna");
    await expect(gate.submit(call, CALLER)).rejects.toMatchObject({
      code: "idempotency_conflict",
      message: expect.stringContaining("a call that has been erased since (succeeded)"),
    });
  });

  it("waits for calls that have not ended, however old, and comes back to them", async () => {
    const { clock, store, gate, retention, run } = setUp();
    const remote = defineTool({ name: "robot.walk", confirm: true });
    gate.registry.add(remote);
    const asked = await gate.submit({ tool: remote.name, args: {} }, CALLER);
    const approvalId = asked.approvalId ?? "";
    await gate.decide({ approvalId, decision: "approve" }, ANNA);
    const approved = await gate.resume(approvalId, CALLER);
    if (approved.type !== "pending" || !approved.token) throw new Error("expected a token");
    const { claimId } = await gate.claim({ approvalId, tokenId: approved.token.tokenId }, CALLER);
    await run();
    clock.advance(30 * HOUR);
    await retention.sweep();
    expect(await callOf(store, approvalId)).toMatchObject({ tool: "robot.walk" });
    await gate.finish({ approvalId, claimId, type: "succeeded" }, CALLER);
    clock.advance(23 * HOUR);
    await retention.sweep();
    expect(await callOf(store, approvalId)).toMatchObject({ tool: "robot.walk" });
    clock.advance(HOUR);
    await retention.sweep();
    expect(await store.get("call", approvalId)).toBeUndefined();
    expect((await all(store)).filter(({ ref, content }) => ref === approvalId && content !== null)).toEqual([]);
    expect((await gate.verify(WORKSPACE)).ok).toBe(true);
  });

  it("erases reads and refused calls too, and keeps what people did to the workspace", async () => {
    const { clock, store, gate, retention } = setUp();
    await gate.submit({ tool: "door.list" }, CALLER);
    await gate.submit({ tool: "no.such.tool" }, CALLER);
    await gate.pause(WORKSPACE, true, ANNA);
    await gate.verify(WORKSPACE);
    clock.advance(25 * HOUR);
    expect(await retention.sweep()).toBe(2);
    const kept = (await all(store)).filter(({ content }) => content !== null).map(({ type }) => type);
    expect(kept).toEqual(["workspace.paused", ERASED]);
  });

  it("keeps a keyed hash of the call when it has a key, and nothing without (flaw F-C11)", async () => {
    const { clock, store, retention, run } = setUp({ key: "a secret of the server" });
    const approvalId = await run();
    const { toolCallHash } = await approvalOf(store, approvalId);
    clock.advance(25 * HOUR);
    await retention.sweep();
    const erasure = (await all(store)).find(({ type }) => type === ERASED);
    const { hashes } = JSON.parse(erasure?.content ?? "") as { hashes: Record<string, string> };
    expect(hashes[approvalId]).toBe(keptHash("a secret of the server", toolCallHash));
    expect(hashes[approvalId]).not.toBe(keptHash("another", toolCallHash));
  });

  it("goes through a long chain page by page and stays on its way", async () => {
    const { clock, store, gate, retention } = setUp();
    for (let i = 0; i < 1_200; i++) await gate.submit({ tool: "no.such.tool" }, CALLER);
    clock.advance(25 * HOUR);
    expect(await retention.sweep()).toBe(1_200);
    await gate.submit({ tool: "no.such.tool" }, CALLER);
    expect(await retention.sweep()).toBe(0);
    clock.advance(25 * HOUR);
    expect(await retention.sweep()).toBe(1);
    expect((await gate.verify(WORKSPACE)).ok).toBe(true);
    expect((await all(store)).filter(({ type }) => type === ERASED).length).toBeLessThan(10);
  });

  it("runs by itself", async () => {
    const { clock, store, run } = setUp({ everyMs: 25 * HOUR });
    const approvalId = await run();
    clock.advance(25 * HOUR);
    await expect.poll(() => store.get("call", approvalId)).toBeUndefined();
  });
});

describe("erasing a person", () => {
  it("takes the person's ended calls and the person out of the records, and nobody else's (seed C31)", async () => {
    const { store, gate, retention, run, ask } = setUp();
    const bob = { ...CALLER, userId: "bob" };
    const [annas, bobs] = [await run(), await run("door.unlock", bob)];
    await gate.submit({ tool: "door.list" }, CALLER);
    await gate.submit({ tool: "door.list" }, bob);
    await gate.verify(WORKSPACE);
    const open = await ask();
    expect(await retention.erasePerson(WORKSPACE, "anna")).toEqual({ calls: 1, entries: 5, open: 1, unreadable: 0 });
    expect(await store.get("call", annas)).toBeUndefined();
    expect(await approvalOf(store, annas)).toMatchObject({
      state: "succeeded",
      requester: { userId: "erased" },
      votes: [],
    });
    expect(JSON.stringify(await approvalOf(store, annas))).not.toContain("anna");
    expect(await callOf(store, bobs)).toMatchObject({ requester: "bob" });
    expect(await callOf(store, open)).toMatchObject({ requester: "anna" });
    const left = (await all(store)).filter(({ content }) => content?.includes("anna"));
    expect(left.map(({ ref }) => ref)).toEqual([open]);
    expect((await gate.verify(WORKSPACE)).ok).toBe(true);
    expect(await retention.erasePerson(WORKSPACE, "anna")).toMatchObject({ calls: 0, entries: 0 });
  });
});
