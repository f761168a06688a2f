import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { all, WORKSPACE as FAMILY, manualClock, newFolder, openGate } from "../../test/proof-fixture.js";
import { createGate } from "../create-gate.js";
import { memoryStore } from "../stores/memory.js";
import { sqliteStore } from "../stores/sqlite.js";
import { systemClock } from "./clock.js";
import type { PendingActionInput } from "./pending-action.js";
import { createPendingActionStore, type PendingActionOptions } from "./pending-actions.js";
import { defineTool } from "./tool.js";

const BUY: PendingActionInput = {
  userId: "user-123",
  familyId: FAMILY,
  requestId: "req-789",
  conversationId: "conv-abc",
  toolCall: { toolName: "tasks.create", input: { title: "Buy milk", tags: ["a", null, 1] } },
  description: "Create task: Buy milk",
  isDestructive: false,
};

function setUp(options?: PendingActionOptions) {
  const clock = manualClock();
  const ran = vi.fn<() => void>();
  const store = memoryStore({ clock });
  // The gate has a tool of that name too: it must not run it, the host does.
  const gate = openGate(store, clock, [defineTool({ name: "tasks.create", execute: ran })]);
  return { clock, gate, ran, store, actions: createPendingActionStore(gate, options) };
}

describe("pending actions", () => {
  it("have a token of pa_ and 32 hex digits with nothing in it (seed A12)", async () => {
    const { actions, store } = setUp();
    const tokens = new Set<string>();
    for (let i = 0; i < 5; i++) tokens.add((await actions.create(BUY)).token);
    expect(tokens.size).toBe(5);
    for (const token of tokens) expect(token).toMatch(/^pa_[0-9a-f]{32}$/);
    const kept = JSON.stringify([await store.list(`p/${FAMILY}/u/${BUY.userId}`, "", 10), await all(store)]);
    for (const token of tokens) expect(kept).not.toContain(token);
  });

  it("invariant I11: are listed for their own user and family alone, however the names run together", async () => {
    const { actions } = setUp();
    await actions.create({ ...BUY, familyId: "a/u/b", userId: "c" });
    expect(await actions.size("c", "a/u/b")).toBe(1);
    expect(await actions.getByUser("b/u/c", "a")).toEqual([]);
  });

  it("keep every field they were created with (seed A19)", async () => {
    const { actions, clock } = setUp();
    const created = await actions.create({ ...BUY, ttlMs: 60_000 });
    expect(created).toEqual({
      ...BUY,
      ttlMs: 60_000,
      token: created.token,
      createdAt: new Date(clock.now()).toISOString(),
      expiresAt: new Date(clock.now() + 60_000).toISOString(),
    });
    expect(await actions.get(created.token)).toEqual(created);
    const { token: _, ...listed } = created;
    expect(await actions.getByUser(BUY.userId, FAMILY)).toEqual([listed]);
  });

  it("are consumed once, and the host gets exactly what was stored (seeds A18, A20)", async () => {
    const { actions, ran } = setUp();
    const created = await actions.create(BUY);
    const consumed = await actions.consume(created.token, BUY.userId, FAMILY);
    expect(consumed).toMatchObject({ found: true, action: created });
    expect(await actions.consume(created.token, BUY.userId, FAMILY)).toEqual({ found: false, reason: "not_found" });
    expect(await actions.get(created.token)).toBeUndefined();
    expect(await actions.size(BUY.userId, FAMILY)).toBe(0);
    expect(ran).not.toHaveBeenCalled();
  });

  it("go to exactly one of many that consume at once (seed A23, attack G9)", async () => {
    const { actions } = setUp();
    for (let round = 0; round < 20; round++) {
      const { token } = await actions.create(BUY);
      const results = await Promise.all(Array.from({ length: 16 }, () => actions.consume(token, BUY.userId, FAMILY)));
      expect(results.filter(({ found }) => found)).toHaveLength(1);
      for (const lost of results.filter(({ found }) => !found))
        expect(lost).toEqual({ found: false, reason: "not_found" });
    }
  });

  it("go to exactly one of two processes' gates on one store (seed A21)", async () => {
    const path = join(newFolder(), "gate.db");
    const [one, two] = [1, 2].map(() =>
      createPendingActionStore(openGate(sqliteStore(path, { worker: false }), systemClock, [])),
    );
    if (!one || !two) throw new Error("two stores");
    for (let round = 0; round < 10; round++) {
      const { token } = await one.create(BUY);
      const results = await Promise.all([one, two].map((actions) => actions.consume(token, BUY.userId, FAMILY)));
      expect(results.filter(({ found }) => found)).toHaveLength(1);
    }
  });

  it("tell four reasons apart, and a wrong user or family consumes nothing (seeds A14, A15)", async () => {
    const { actions, clock } = setUp();
    const { token } = await actions.create(BUY);
    const reason = async (...by: Parameters<typeof actions.consume>) => {
      const result = await actions.consume(...by);
      return result.found ? "found" : result.reason;
    };
    expect(await reason(token, "eve", FAMILY)).toBe("user_mismatch");
    expect(await reason(token, BUY.userId, "other")).toBe("family_mismatch");
    expect(await reason(`pa_${"0".repeat(32)}`, BUY.userId, FAMILY)).toBe("not_found");
    for (const odd of ["", "pa_", `${token} `, token.toUpperCase(), "__proto__"])
      expect(await reason(odd, BUY.userId, FAMILY)).toBe("not_found");
    expect(await reason(token, BUY.userId, FAMILY)).toBe("found");
    const late = await actions.create(BUY);
    clock.advance(300_000);
    expect(await reason(late.token, BUY.userId, FAMILY)).toBe("expired");
  });

  it("expire after five minutes, or after their own time, longer or shorter (seed A13)", async () => {
    const { actions, clock } = setUp();
    const times = [1, 1_000, undefined, 3_600_000];
    const made = await Promise.all(
      times.map((ttlMs) => actions.create({ ...BUY, ...(ttlMs === undefined ? {} : { ttlMs }) })),
    );
    const open = async () => (await actions.getByUser(BUY.userId, FAMILY)).length;
    expect(await open()).toBe(4);
    clock.advance(1);
    expect(await open()).toBe(3);
    clock.advance(299_998);
    expect(await open()).toBe(2);
    clock.advance(1);
    expect(await open()).toBe(1);
    await actions.cleanup();
    expect(await actions.consume(made[2]?.token ?? "", BUY.userId, FAMILY)).toEqual({
      found: false,
      reason: "expired",
    });
    expect(await actions.consume(made[3]?.token ?? "", BUY.userId, FAMILY)).toMatchObject({ found: true });
    for (const ttlMs of [0, -1, 1.5, Number.NaN, 2 ** 53])
      await expect(actions.create({ ...BUY, ttlMs })).rejects.toHaveProperty("code", "invalid_call");
  });

  it("are limited to ten per user, also when many come at once (seed A24)", async () => {
    const { actions } = setUp();
    const made = await Promise.allSettled(Array.from({ length: 30 }, () => actions.create(BUY)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    for (const lost of made.filter((one) => one.status === "rejected"))
      expect(lost.reason).toHaveProperty("code", "too_many_pending");
    expect(await actions.size(BUY.userId, FAMILY)).toBe(10);
    await actions.create({ ...BUY, userId: "another" });
    const [first] = made;
    if (first?.status !== "fulfilled") throw new Error("the first was made");
    await actions.consume(first.value.token, BUY.userId, FAMILY);
    await actions.create(BUY);
    expect(await actions.size(BUY.userId, FAMILY)).toBe(10);
  });

  it("are deleted by their own user alone (flaw F-A4)", async () => {
    const { actions } = setUp();
    const created = await actions.create(BUY);
    const { token } = created;
    expect(await actions.delete(token, "eve", FAMILY)).toBe(false);
    expect(await actions.delete(token, BUY.userId, "other")).toBe(false);
    expect(await actions.get(token)).toEqual(created);
    expect(await actions.delete(token, BUY.userId, FAMILY)).toBe(true);
    expect(await actions.delete(token, BUY.userId, FAMILY)).toBe(false);
    expect(await actions.consume(token, BUY.userId, FAMILY)).toEqual({ found: false, reason: "not_found" });
  });

  it("ask even where the rules would let the call run, and cannot where they forbid it", async () => {
    const clock = manualClock();
    const allow = { type: "allow", step: "allow_rule", rules: ["everything"] } as const;
    const generous = createGate({ store: memoryStore({ clock }), clock, sources: [async () => [allow]] });
    onTestFinished(() => generous.close());
    const created = await createPendingActionStore(generous).create(BUY);
    expect(await createPendingActionStore(generous).get(created.token)).toEqual(created);
    const deny = { type: "deny", step: "deny_rule", rules: ["nothing"], reason: "closed" } as const;
    const strict = createGate({ store: memoryStore({ clock }), clock, sources: [async () => [deny]] });
    onTestFinished(() => strict.close());
    await expect(createPendingActionStore(strict).create(BUY)).rejects.toHaveProperty("code", "policy_denied");
  });

  it("need everybody whom a rule wants to hear", async () => {
    const clock = manualClock();
    const two = { type: "confirm", step: "confirm_rule", rules: ["two"], requirement: { quorum: 2 } } as const;
    const gate = createGate({ store: memoryStore({ clock }), clock, sources: [async () => [two]] });
    onTestFinished(() => gate.close());
    const actions = createPendingActionStore(gate);
    const { token } = await actions.create(BUY);
    await expect(actions.consume(token, BUY.userId, FAMILY)).rejects.toHaveProperty("code", "not_approved");
    const [card] = await gate.pending({ kind: "person", userId: "mum", workspaceId: FAMILY, roles: ["owner"] });
    await gate.decide(
      { approvalId: card?.approvalId ?? "", decision: "approve", toolCallHash: card?.toolCallHash ?? "" },
      { kind: "person", userId: "mum", workspaceId: FAMILY, roles: ["owner"] },
    );
    expect(await actions.consume(token, BUY.userId, FAMILY)).toMatchObject({ found: true });
  });

  it("survive a process that died between the yes and the hand-over (flaw F-7)", async () => {
    const { actions, gate } = setUp();
    const { token } = await actions.create(BUY);
    const person = { kind: "person", userId: BUY.userId, workspaceId: FAMILY } as const;
    await gate.decide({ confirmationToken: token, decision: "approve" }, person);
    expect(await actions.consume(token, BUY.userId, FAMILY)).toMatchObject({ found: true });
    expect(await actions.consume(token, BUY.userId, FAMILY)).toEqual({ found: false, reason: "not_found" });
  });

  it("leave the story of each action, with its end, in the audit (seed A22)", async () => {
    const { actions, gate, store } = setUp();
    const { token } = await actions.create({ ...BUY, isDestructive: true });
    const consumed = await actions.consume(token, BUY.userId, FAMILY);
    if (!consumed.found) throw new Error(consumed.reason);
    await actions.finish(consumed.claim, BUY.userId, FAMILY, { type: "succeeded", result: { id: 7 } });
    expect((await all(store)).map(({ type }) => type)).toEqual([
      "approval.created",
      "approval.resolved",
      "token.minted",
      "call.claimed",
      "call.executed",
    ]);
    expect((await gate.verify(FAMILY)).ok).toBe(true);
  });

  it("show a person the tool, its input and the description, and mark what is destructive", async () => {
    const { actions, gate } = setUp();
    await actions.create({ ...BUY, isDestructive: true });
    const [card] = await gate.pending({ kind: "person", userId: BUY.userId, workspaceId: FAMILY });
    expect(card).toMatchObject({ isDestructive: true, riskTier: "R4" });
    const { args } = JSON.parse(card?.toolCallCanonical ?? "{}") as { args: object };
    expect(args).toMatchObject({ ...BUY.toolCall, description: BUY.description });
  });

  it("hold no process open while they wait for their answer or their end", async () => {
    const clock = manualClock();
    const timer = vi.spyOn(clock, "timer");
    const actions = createPendingActionStore(openGate(memoryStore({ clock }), clock, []));
    const { token } = await actions.create(BUY);
    await actions.get(token);
    expect(timer.mock.calls.length).toBeGreaterThan(0);
    expect(timer.mock.calls.filter(([, , keepAlive]) => keepAlive === true)).toEqual([]);
  });

  it("are not found by the token of another kind of approval", async () => {
    const { actions, gate } = setUp();
    const asked = await gate.submit(
      { tool: "tasks.create", args: {}, confidence: 0.1 },
      { userId: BUY.userId, workspaceId: FAMILY, agentId: "a", sessionId: "s" },
    );
    const token = asked.type === "pending" ? (asked.confirmationToken ?? "") : "";
    expect(token).toMatch(/^pa_/);
    expect(await actions.get(token)).toBeUndefined();
    expect(await actions.consume(token, BUY.userId, FAMILY)).toEqual({ found: false, reason: "not_found" });
    expect(await actions.delete(token, BUY.userId, FAMILY)).toBe(false);
  });
});
