import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ANNA, CALLER, manualClock, newFolder, openGate, WORKSPACE } from "../../test/proof-fixture.js";
import { openDatabase } from "../stores/sqlite/driver.js";
import { sqliteStore } from "../stores/sqlite.js";
import { systemClock } from "./clock.js";
import { decodeApproval } from "./codec.js";
import type { Clock } from "./ports.js";
import { defineTool } from "./tool.js";

/** Whoever owns the database file changes rows behind the gate's back. */
function open(clock: Clock = systemClock) {
  const path = join(newFolder(), "gate.db");
  const store = sqliteStore(path, { worker: false, clock });
  const ran = vi.fn<() => void>();
  const pay = defineTool<{ to: string }>({ name: "bank.pay", confirm: true, execute: ran });
  const ship = defineTool<{ to: string }>({ name: "parcel.ship", confirm: true });
  const gate = openGate(store, clock, [pay, ship]);
  /** Another process, which has only what stands in the store. */
  const another = openGate(sqliteStore(path, { worker: false, clock }), clock, [pay, ship]);
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  const rewrite = (change: string) => database.prepare(`UPDATE record SET value = ${change} WHERE kind = 'c'`).run();
  const events = async () =>
    (await store.entries(WORKSPACE, 0, 1_000)).map(({ type, content }) => [type, JSON.parse(content ?? "null")]);
  const row = async (id: string) => decodeApproval((await store.get("approval", id)) ?? expect.fail("the row is gone"));
  return { gate, another, ran, rewrite, events, row };
}

async function held(gate: ReturnType<typeof open>["gate"], tool: string) {
  const outcome = await gate.submit({ tool, args: { to: "bob" } }, CALLER);
  if (outcome.type !== "pending") throw new Error(outcome.message);
  return outcome.approvalId;
}

const OTHER_ARGS = "replace(value, 'bob', 'eve')";

describe("a stored call that was changed in the database (seed C26, invariant I3)", () => {
  it.each([
    ["other arguments", OTHER_ARGS],
    ["no JSON", "'nonsense'"],
  ])("is not approved: %s", async (_, change) => {
    const { gate, another, ran, rewrite, events, row } = open();
    const approvalId = await held(gate, "bank.pay");
    rewrite(change);
    await expect(another.decide({ approvalId, decision: "approve" }, ANNA)).rejects.toHaveProperty(
      "code",
      "hash_mismatch",
    );
    expect(ran).not.toHaveBeenCalled();
    expect((await row(approvalId)).state).toBe("pending");
    expect((await events()).at(-1)).toEqual([
      "call.refused",
      { why: "hash_mismatch", by: "anna", hash: expect.stringMatching(/^[\w-]{43}$/) },
    ]);
    expect((await gate.verify(WORKSPACE)).ok).toBe(true);
  });

  it("is shown to nobody", async () => {
    const { gate, another, rewrite } = open();
    const approvalId = await held(gate, "bank.pay");
    expect((await another.pending(ANNA)).map((card) => card.approvalId)).toEqual([approvalId]);
    rewrite(OTHER_ARGS);
    expect(await another.card(approvalId, ANNA)).toBeUndefined();
    expect(await another.pending(ANNA)).toEqual([]);
  });

  it("is shown and run as it was asked by the process that asked it", async () => {
    const { gate, ran, rewrite } = open();
    const approvalId = await held(gate, "bank.pay");
    rewrite(OTHER_ARGS);
    expect(JSON.stringify(await gate.card(approvalId, ANNA))).not.toContain("eve");
    await gate.decide({ approvalId, decision: "approve" }, ANNA);
    expect(await gate.resume(approvalId, CALLER)).toMatchObject({ type: "succeeded" });
    expect(ran).toHaveBeenCalledExactlyOnceWith({ to: "bob" }, expect.anything());
  });

  it("can still be denied", async () => {
    const { gate, rewrite } = open();
    const approvalId = await held(gate, "bank.pay");
    rewrite(OTHER_ARGS);
    expect(await gate.decide({ approvalId, decision: "deny" }, ANNA)).toMatchObject({ state: "denied" });
  });

  it("is not handed to the agent that claims it, and its token stays unspent", async () => {
    const { gate, rewrite, events, row } = open();
    const approvalId = await held(gate, "parcel.ship");
    await gate.decide({ approvalId, decision: "approve" }, ANNA);
    const approved = await gate.resume(approvalId, CALLER);
    if (approved.type !== "pending" || !approved.token) throw new Error("expected a token");
    const claim = { approvalId, tokenId: approved.token.tokenId };
    rewrite(OTHER_ARGS);
    await expect(gate.claim(claim, CALLER)).rejects.toHaveProperty("code", "hash_mismatch");
    expect((await row(approvalId)).state).toBe("approved");
    expect((await events()).at(-1)?.[0]).toBe("call.refused");
    rewrite("replace(value, 'eve', 'bob')");
    expect(await gate.claim(claim, CALLER)).toMatchObject({ args: { to: "bob" } });
  });

  it("is not put again when it has expired", async () => {
    const clock = manualClock();
    const { gate, rewrite } = open(clock);
    const approvalId = await held(gate, "bank.pay");
    clock.advance(300_000);
    expect(await gate.resume(approvalId, CALLER)).toMatchObject({ type: "expired" });
    rewrite(OTHER_ARGS);
    await expect(gate.askAgain(approvalId, ANNA)).rejects.toHaveProperty("code", "hash_mismatch");
  });
});
