import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Budget, defineTool } from "../../src/index.js";
import { ANN, CALLER, newGate, pendingId, recorded, STORES, StillClock, submit, verdictOf } from "./support.js";

const TEN: Budget = { id: "ten", limit: 10, per: "session" };

function count(verdicts: readonly string[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const verdict of verdicts) counted[verdict] = (counted[verdict] ?? 0) + 1;
  return counted;
}

describe.each(Object.entries(STORES))("budgets (%s)", (_name, makeStore) => {
  it("attack C11: of 100 parallel calls on a budget for 10, exactly 10 run unasked and the rest are held", async () => {
    const { tool, runs } = recorded("R1");
    const gate = newGate({ tools: [tool], budgets: [TEN], store: makeStore()() });
    const calls = Array.from({ length: 100 }, (_, index) => verdictOf(submit(gate, `call ${index}`)));
    expect(count(await Promise.all(calls))).toEqual({ ran: 10, pending: 90 });
    expect(runs).toHaveLength(10);
    expect((await gate.verify("home")).ok).toBe(true);
  });

  it("attack C11: the same for reads, which have a record then", async () => {
    const { tool, runs } = recorded("R1", { effect: "read" });
    const gate = newGate({ tools: [tool], budgets: [TEN], store: makeStore()() });
    const calls = Array.from({ length: 30 }, (_, index) => verdictOf(submit(gate, `call ${index}`)));
    expect(count(await Promise.all(calls))).toEqual({ ran: 10, pending: 20 });
    expect(runs).toHaveLength(10);
  });

  it("attack C11: two gates on one store share the budget", async () => {
    const open = makeStore();
    const { tool } = recorded("R1");
    const gates = [
      newGate({ tools: [tool], budgets: [TEN], store: open() }),
      newGate({ tools: [tool], budgets: [TEN], store: open() }),
    ];
    const calls = Array.from({ length: 40 }, (_, index) =>
      verdictOf(submit(gates[index % 2] as (typeof gates)[0], `call ${index}`)),
    );
    expect(count(await Promise.all(calls))).toEqual({ ran: 10, pending: 30 });
  });

  it("attack C11: many small costs are one large one", async () => {
    const { tool } = recorded("R1", { cost: 999 });
    const budget: Budget = { id: "spend", limit: 5_000, per: "user", of: "cost", window: 86_400_000 };
    const gate = newGate({ tools: [tool], budgets: [budget], thresholds: { cost: 1_000 }, store: makeStore()() });
    const calls = Array.from({ length: 20 }, (_, index) => verdictOf(submit(gate, `call ${index}`)));
    expect(count(await Promise.all(calls))).toEqual({ ran: 5, pending: 15 });
  });
});

describe("budgets", () => {
  it("a failed call gives back what it took", async () => {
    let fails = true;
    const execute = () => {
      if (fails) throw new Error("no");
    };
    const gate = newGate({ tools: [recorded("R1", { execute }).tool], budgets: [{ ...TEN, limit: 1 }] });
    for (let round = 0; round < 3; round++) expect((await submit(gate, `try ${round}`)).type).toBe("failed");
    fails = false;
    expect(await verdictOf(submit(gate, "works"))).toBe("ran");
    expect(await verdictOf(submit(gate, "one too many"))).toBe("pending");
  });

  it("what runs elsewhere and was never claimed gives back what it took", async () => {
    const clock = new StillClock();
    const tool = defineTool({ name: "notes.add", riskTier: "R1", inputSchema: z.object({ id: z.string() }) });
    const gate = newGate({ tools: [tool], budgets: [{ ...TEN, limit: 1 }], clock });
    const allowed = await submit(gate, "a");
    expect(allowed).toMatchObject({ type: "pending", token: { singleUse: true } });
    expect(await submit(gate, "b")).not.toHaveProperty("token");
    clock.time += 6 * 60_000;
    expect((await gate.resume(pendingId(allowed))).type).toBe("expired");
    expect(await submit(gate, "c")).toHaveProperty("token");
  });

  it("no grant and no mode passes an empty budget, and the card says why it asks", async () => {
    const { tool } = recorded("R2");
    const gate = newGate({ tools: [tool], budgets: [{ ...TEN, limit: 1 }] });
    await gate.updateSettings({ requireConfirmation: false }, ANN);
    expect(await verdictOf(submit(gate, "a"))).toBe("ran");
    const held = await submit(gate, "b");
    const card = await gate.card(pendingId(held), ANN);
    expect(card?.reasons[0]).toMatchObject({ code: "budget_exhausted", riskTier: "R3" });
    expect(card?.reasons[0]?.text).toBe('The budget "ten" of 1 calls per session is used up.');
  });

  it("an approved call counts too", async () => {
    const { tool } = recorded("R2");
    const gate = newGate({ tools: [tool], budgets: [{ ...TEN, limit: 2 }] });
    const approvalId = pendingId(await submit(gate, "asked"));
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    await gate.resume(approvalId);
    await gate.updateSettings({ requireConfirmation: false }, ANN);
    expect(await verdictOf(submit(gate, "a"))).toBe("ran");
    expect(await verdictOf(submit(gate, "b"))).toBe("pending");
  });

  it("begins anew with its window, and counts sessions, persons and tools apart", async () => {
    const clock = new StillClock();
    const { tool } = recorded("R1");
    const hourly: Budget = { id: "hourly", limit: 1, per: "session", window: 3_600_000 };
    const gate = newGate({ tools: [tool], budgets: [hourly], clock });
    expect(await verdictOf(submit(gate, "a"))).toBe("ran");
    expect(await verdictOf(submit(gate, "b"))).toBe("pending");
    expect(await verdictOf(submit(gate, "c", { sessionId: "s2" }))).toBe("ran");
    clock.time += 3_600_000 - 1;
    expect(await verdictOf(submit(gate, "d"))).toBe("pending");
    clock.time += 1;
    expect(await verdictOf(submit(gate, "e"))).toBe("ran");
  });

  it("a tool that gives no sensible amount is asked about as the highest risk", async () => {
    for (const cost of [Number.NaN, -1, () => Number.POSITIVE_INFINITY]) {
      const gate = newGate({ tools: [recorded("R1", { cost }).tool], thresholds: { cost: 10 } });
      const outcome = await submit(gate, "a");
      expect(outcome).toMatchObject({ type: "pending", card: { riskTier: "R4" } });
    }
  });
});

describe("thresholds", () => {
  it.each([
    ["cost", { cost: 10 }, { cost: 11 }],
    ["bytes", { bytes: 100 }, { outputSize: () => 101 }],
    ["rows", { rows: 5 }, { preview: () => ({ effects: [{ kind: "update", noun: "row", count: 6 }] }) }],
  ])("asks when the %s of one call passes what was set, and not at it", async (unit, thresholds, declared) => {
    const asking = newGate({ tools: [recorded("R1", declared).tool], thresholds });
    const outcome = await submit(asking, "a");
    expect(outcome).toMatchObject({
      type: "pending",
      card: { riskTier: "R3", reasons: [{ code: `${unit}_threshold` }, {}] },
    });
    const [limit] = Object.values(thresholds) as [number];
    const enough = newGate({ tools: [recorded("R1", declared).tool], thresholds: { [unit]: limit + 1 } });
    expect(await verdictOf(submit(enough, "a"))).toBe("ran");
  });
});

describe("output", () => {
  const long = "x".repeat(500);

  it.each(["read", "write"] as const)(
    "a %s that gives more than it said is withheld until a person releases it",
    async (effect) => {
      const tool = recorded("R1", { effect, outputSize: 50, execute: () => long }).tool;
      const gate = newGate({ tools: [tool], thresholds: { bytes: 100 } });
      const outcome = await submit(gate, "a");
      expect(outcome).toMatchObject({ type: "succeeded", withheld: true, result: null });
      const approvalId = outcome.approvalId ?? "";
      expect(await gate.resume(approvalId)).toMatchObject({ withheld: true, result: null });
      const stranger = { ...ANN, userId: "dan" };
      expect(await gate.withheld(stranger)).toEqual([]);
      await expect(gate.release(approvalId, stranger)).rejects.toThrow("other people");
      expect((await gate.withheld(ANN)).map((approval) => approval.approvalId)).toEqual([approvalId]);
      expect(await gate.release(approvalId, ANN)).toMatchObject({ type: "succeeded", result: long });
      expect(await gate.resume(approvalId)).toMatchObject({ result: long });
      expect(await gate.withheld(ANN)).toEqual([]);
      await expect(gate.release(approvalId, ANN)).rejects.toThrow("Nothing is withheld");
      expect((await gate.verify("home")).ok).toBe(true);
    },
  );

  it("what was said to be large and was approved so is handed over", async () => {
    const tool = recorded("R1", { outputSize: 1_000, execute: () => long }).tool;
    const gate = newGate({ tools: [tool], thresholds: { bytes: 100 } });
    const approvalId = pendingId(await submit(gate, "a"));
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    expect(await gate.resume(approvalId, CALLER)).toMatchObject({ type: "succeeded", result: long });
  });
});
