import { describe, expect, it } from "vitest";
import type { Gate } from "../../src/index.js";
import {
  ANN,
  CALLER,
  codeOf,
  entries,
  newGate,
  pendingId,
  recorded,
  StillClock,
  submit,
  verdictOf,
} from "./support.js";

const MINUTE = 60_000;

async function deny(gate: Gate, id: string, reason?: string): Promise<string> {
  const approvalId = pendingId(await submit(gate, id));
  await gate.decide({ approvalId, decision: "deny", ...(reason === undefined ? {} : { reason }) }, ANN);
  return approvalId;
}

describe("remembered denials", () => {
  it("the same call is refused without a new question, with the reason, for ten minutes", async () => {
    const clock = new StillClock();
    const gate = newGate({ tools: [recorded().tool], clock });
    await deny(gate, "a", "not today");
    const again = await submit(gate, "a");
    expect(again).toMatchObject({ type: "denied", code: "TOOL_DENIED" });
    expect(again.message).toContain("not today");
    expect(await gate.pending(ANN)).toEqual([]);
    clock.time += 10 * MINUTE - 1;
    expect(await verdictOf(submit(gate, "a"))).toBe("denied");
    clock.time += 1;
    expect(await verdictOf(submit(gate, "a"))).toBe("pending");
  });

  it("speaks of that call in that session only, and survives a restart", async () => {
    const gate = newGate({ tools: [recorded().tool] });
    await deny(gate, "a");
    expect(await verdictOf(submit(gate, "b"))).toBe("pending");
    expect(await verdictOf(submit(gate, "a", { sessionId: "s2" }))).toBe("pending");
    const restarted = newGate({ tools: [recorded().tool], store: gate.store });
    expect(await verdictOf(submit(restarted, "a"))).toBe("denied");
  });

  it("withdrawn and expired questions are never remembered", async () => {
    const clock = new StillClock();
    const gate = newGate({ tools: [recorded().tool], clock });
    await gate.cancel({ approvalId: pendingId(await submit(gate, "a")) });
    const expiring = pendingId(await submit(gate, "a"));
    clock.time += 6 * MINUTE;
    expect((await gate.resume(expiring)).type).toBe("expired");
    expect(await verdictOf(submit(gate, "a"))).toBe("pending");
  });

  it("a person asking again gets a new question, which runs when it is approved", async () => {
    const { tool, runs } = recorded();
    const gate = newGate({ tools: [tool] });
    const first = await deny(gate, "a");
    expect(await verdictOf(submit(gate, "a"))).toBe("denied");
    const outcome = await gate.submit({ tool: "notes.add", args: { id: "a" } }, CALLER, { personAsked: true });
    const approvalId = pendingId(outcome);
    expect(approvalId).not.toBe(first);
    expect((await entries(gate)).map(({ type }) => type)).toContain("denial.lifted");
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    expect((await gate.resume(approvalId)).type).toBe("succeeded");
    expect(runs).toEqual(["a"]);
  });

  it("a repeated key gets the denial that it had, not a remembered one", async () => {
    const gate = newGate({ tools: [recorded().tool] });
    const keyed = { tool: "notes.add", args: { id: "a" }, idempotencyKey: "k" };
    const approvalId = pendingId(await gate.submit(keyed));
    await gate.decide({ approvalId, decision: "deny", reason: "no" }, ANN);
    expect(await gate.submit(keyed)).toMatchObject({ type: "denied", reason: "no", approvalId });
    expect((await gate.submit({ ...keyed, idempotencyKey: "other" })).message).toContain("short while ago");
  });

  it("an agent cannot say that a person asked", async () => {
    const gate = newGate({ tools: [recorded().tool] });
    await deny(gate, "a");
    const call = { tool: "notes.add", args: { id: "a" }, personAsked: true };
    expect(await verdictOf(gate.submit(call, CALLER))).toBe("denied");
  });

  it("one who may answer lifts a denial", async () => {
    const gate = newGate({ tools: [recorded().tool] });
    const approvalId = await deny(gate, "a");
    expect(await codeOf(gate.liftDenial(approvalId, { ...ANN, userId: "dan" }))).toBe("user_mismatch");
    expect(await verdictOf(submit(gate, "a"))).toBe("denied");
    await gate.liftDenial(approvalId, ANN);
    expect(await verdictOf(submit(gate, "a"))).toBe("pending");
  });

  it("three denials of a tool in a session stop it there, and each next card says how often it was tried", async () => {
    const clock = new StillClock();
    const gate = newGate({ tools: [recorded().tool], clock });
    await deny(gate, "a");
    const second = await submit(gate, "b");
    expect(second).toMatchObject({
      card: { reasons: expect.arrayContaining([expect.objectContaining({ code: "denied_before", fragment: "1" })]) },
    });
    await gate.decide({ approvalId: pendingId(second), decision: "deny" }, ANN);
    await deny(gate, "c");
    const stopped = await submit(gate, "d");
    expect(stopped).toMatchObject({ type: "denied" });
    expect(stopped.message).toContain("3 calls of notes.add were denied in this session");
    expect(await verdictOf(submit(gate, "d", { sessionId: "s2" }))).toBe("pending");
    clock.time += 10 * MINUTE;
    await gate.sweep();
    expect(await verdictOf(submit(gate, "d"))).toBe("pending");
  });

  it("a denial does not take back what a person approved", async () => {
    const { tool, runs } = recorded();
    const gate = newGate({ tools: [tool] });
    const approved = pendingId(await submit(gate, "wanted"));
    for (const id of ["a", "b"]) await deny(gate, id);
    const third = pendingId(await submit(gate, "c"));
    await gate.decide({ approvalId: third, decision: "deny" }, ANN);
    // Something was tightened meanwhile, so that everything is judged again.
    await gate.updateSettings({ confirmAllApi: true }, ANN);
    await gate.decide({ approvalId: approved, decision: "approve" }, ANN);
    expect((await gate.resume(approved)).type).toBe("succeeded");
    expect(runs).toEqual(["wanted"]);
  });
});
