import { expect, it } from "vitest";
import { faultyStore } from "../../src/testing/index.js";
import { ANN, ask, CALLER, codeOf, counted, expectPending, latch, ManualClock, onEachStore, turns } from "./support.js";

const CALL = { tool: "tasks.delete", args: { id: "7" } };

onEachStore("waiting", (world) => {
  it("run waits for the person and tells the outcome", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const waiting = gate.run(CALL);
    const approvalId = await ask(gate);
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    expect(await waiting).toMatchObject({ type: "succeeded", approvalId });
    expect(tool.runs).toHaveLength(1);
  });

  it("invariant I9: at its deadline run returns pending, and the approval lives on", async () => {
    const clock = new ManualClock();
    const tool = counted();
    const gate = world.gate({ tools: [tool], clock });
    const waiting = gate.run(CALL, CALLER, { deadline: 2_500 });
    await clock.advance(2_499);
    expect((await gate.pending(ANN)).length).toBe(1);
    await clock.advance(1);
    const told = expectPending(await waiting);
    expect(told.code).toBe("TOOL_BLOCKED_PENDING_APPROVAL");
    expect(told.confirmationToken).toMatch(/^pa_/);
    await gate.decide({ approvalId: told.approvalId, decision: "approve" }, ANN);
    expect((await gate.resume(told.approvalId)).type).toBe("succeeded");
  });

  it("invariant I9: a store that does not answer keeps nobody past the deadline, and the same key tells the outcome (fault R9)", async () => {
    const clock = new ManualClock();
    const line = faultyStore(world.gate({ clock }).store);
    const gate = world.gate({ tools: [counted()], clock, store: line });
    const call = { ...CALL, idempotencyKey: "k" };
    const answer = line.holdCommits();
    const waiting = codeOf(gate.run(call, CALLER, { deadline: 2_000 }));
    await clock.advance(3_000);
    expect(await waiting).toBe("store_failed");
    answer();
    const { approvalId } = expectPending(await gate.submit(call));
    expect(await gate.pending(ANN)).toMatchObject([{ approvalId }]);
  });

  it("invariant I9: a card that cannot be drawn hides no other, and is told of", async () => {
    const title = { en: "Archive", zh: "归档" };
    const notices: object[] = [];
    const gate = world.gate({
      tools: [counted(), counted({ name: "tasks.archive", title })],
      notice: (event, details) => void notices.push({ event, ...details }),
    });
    const broken = expectPending(await gate.submit({ tool: "tasks.archive", args: { id: "7" } }));
    const { approvalId } = expectPending(await gate.submit(CALL));
    Object.defineProperty(title, "en", {
      get() {
        throw new Error("no title any more");
      },
    });
    for (let look = 0; look < 2; look++) expect(await gate.pending(ANN)).toMatchObject([{ approvalId }]);
    const failed = notices.filter((told) => "event" in told && told.event === "record.failed");
    expect(failed).toMatchObject([{ id: broken.approvalId }]);
  });

  it("invariant I9: a deadline holds while an allowed call runs, and while a read does", async () => {
    const clock = new ManualClock();
    const done = latch();
    const slow = counted({ name: "tasks.update", riskTier: "R1", execute: () => done.promise });
    const list = counted({ name: "tasks.list", effect: "read", execute: () => done.promise });
    const gate = world.gate({ tools: [slow, list], clock });
    const writing = gate.run({ tool: "tasks.update", args: { id: "7" } }, CALLER, { deadline: 1_000 });
    const reading = gate.run({ tool: "tasks.list", args: { id: "7" } }, CALLER, { deadline: 1_000 });
    await clock.advance(1_000);
    const told = expectPending(await writing);
    expect(told.message).toContain("unning now");
    expect(await reading).toMatchObject({ type: "failed", error: "it did not answer in time" });
    done.open();
    await clock.advance(0);
    expect((await gate.resume(told.approvalId)).type).toBe("succeeded");
  });

  it("an aborted signal cancels what waits, and only that", async () => {
    const gate = world.gate({ tools: [counted()] });
    const abort = new AbortController();
    const waiting = gate.run(CALL, CALLER, { signal: abort.signal });
    const approvalId = await ask(gate);
    abort.abort();
    expect(await waiting).toMatchObject({ type: "cancelled", approvalId });
    expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, ANN))).toBe("already_resolved");
  });

  it("a signal that was aborted before starts nothing and asks nobody", async () => {
    const write = counted({ name: "tasks.update", riskTier: "R1" });
    const read = counted({ name: "tasks.list", effect: "read" });
    const held = counted();
    const gate = world.gate({ tools: [write, read, held] });
    for (const tool of [write, read, held]) {
      const told = await gate.run({ tool: tool.name, args: { id: "7" } }, CALLER, { signal: AbortSignal.abort() });
      expect(told).toMatchObject({ type: "cancelled", code: "TOOL_CANCELLED" });
      expect(tool.runs).toEqual([]);
    }
    expect(await gate.pending(ANN)).toEqual([]);
  });

  it("a signal aborted during the run reaches the tool, and the outcome is still told", async () => {
    const started = latch();
    const tool = counted({
      name: "tasks.update",
      riskTier: "R1",
      execute: (_args, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve("stopped half way"));
          started.open();
        }),
    });
    const gate = world.gate({ tools: [tool] });
    const abort = new AbortController();
    const waiting = gate.run({ tool: "tasks.update", args: { id: "7" } }, CALLER, { signal: abort.signal });
    await started.promise;
    abort.abort();
    expect(await waiting).toMatchObject({ type: "succeeded", result: "stopped half way" });
  });

  it("seed A13, invariant I8: silence expires after five minutes of the store's clock and never approves", async () => {
    const clock = new ManualClock();
    const tool = counted();
    const gate = world.gate({ tools: [tool], clock });
    const waiting = gate.run(CALL);
    const approvalId = await ask(gate);
    await clock.advance(299_999);
    expect((await gate.pending(ANN)).length).toBe(1);
    await clock.advance(1);
    expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, ANN))).toBe("expired");
    expect(await gate.pending(ANN)).toEqual([]);
    await clock.advance(1_000);
    expect(await waiting).toMatchObject({ type: "expired", code: "TOOL_APPROVAL_EXPIRED" });
    expect(tool.runs).toEqual([]);
  });

  it("seed A13, C22: the tool's own time to live counts, another one when nobody is connected", async () => {
    const clock = new ManualClock();
    const tool = counted({ ttl: 60_000, offlineTtl: 120_000 });
    for (const [online, ttl] of [
      [true, 60_000],
      [false, 120_000],
    ] as const) {
      const gate = world.gate({ tools: [tool], clock, online: () => online });
      const { card } = expectPending(await gate.submit(CALL));
      expect(Date.parse(card.expiresAt) - clock.now()).toBe(ttl);
    }
  });

  it("what expired may be asked again by either side: a new id, linked, once", async () => {
    const clock = new ManualClock();
    const tool = counted();
    const gate = world.gate({ tools: [tool], clock });
    const first = await ask(gate);
    expect(await codeOf(gate.askAgain(first, CALLER))).toBe("already_resolved");
    await clock.advance(300_000);
    const again = expectPending(await gate.askAgain(first, CALLER));
    expect(again.approvalId).not.toBe(first);
    expect(expectPending(await gate.askAgain(first, ANN)).approvalId).toBe(again.approvalId);
    expect(await gate.approval(again.approvalId, ANN)).toMatchObject({ supersedes: first });
    expect(await codeOf(gate.askAgain(first, { ...CALLER, agentId: "x" }))).toBe("user_mismatch");
    await gate.decide({ approvalId: again.approvalId, decision: "approve" }, ANN);
    expect((await gate.resume(again.approvalId)).type).toBe("succeeded");
    expect(tool.runs).toHaveLength(1);
  });

  it("a call repeated at the moment its first question expired is a new question", async () => {
    const clock = new ManualClock();
    const gate = world.gate({ tools: [counted()], clock: { now: () => clock.now(), timer: () => () => {} } });
    const first = await ask(gate);
    await clock.advance(300_000);
    const second = await ask(gate);
    expect(second).not.toBe(first);
    expect(await gate.resume(first)).toMatchObject({ type: "expired" });
  });

  it("identical calls of a session join while they wait, and calls of another session do not", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const both = [gate.run(CALL), gate.run({ ...CALL, args: { id: "7" } })];
    const approvalId = await ask(gate);
    const other = await ask(gate, "7", { ...CALLER, sessionId: "s2" });
    expect(other).not.toBe(approvalId);
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    expect(await Promise.all(both)).toMatchObject([{ type: "succeeded", approvalId }, { approvalId }]);
    expect(tool.runs).toHaveLength(1);
    expect(await ask(gate)).not.toBe(approvalId);
  });

  it("an idempotency key returns the first outcome, also afterwards; another call under it is an error", async () => {
    const tool = counted({ name: "tasks.update", riskTier: "R1" });
    const held = counted();
    const gate = world.gate({ tools: [tool, held] });
    const call = { tool: "tasks.update", args: { id: "7" }, idempotencyKey: "k" };
    const first = await gate.run(call);
    expect(await gate.run(call)).toEqual(first);
    expect(tool.runs).toHaveLength(1);
    expect(await codeOf(gate.run({ ...call, args: { id: "8" } }))).toBe("idempotency_conflict");
    expect((await gate.run({ ...call, args: { id: "8" } }, { ...CALLER, agentId: "other" })).type).toBe("succeeded");

    const keyed = { ...CALL, idempotencyKey: "d" };
    const asked = expectPending(await gate.submit(keyed));
    await gate.decide({ approvalId: asked.approvalId, decision: "deny", reason: "no" }, ANN);
    expect(await gate.run(keyed)).toMatchObject({ type: "denied", reason: "no", approvalId: asked.approvalId });
  });

  it("an idempotency key returns the first outcome also when the rules would refuse the call by now", async () => {
    const tool = counted();
    let refuses = false;
    const gate = world.gate({
      tools: [tool],
      sources: [async () => (refuses ? [{ type: "deny", step: "deny_rule", rules: ["no"] }] : [])],
    });
    const keyed = (idempotencyKey: string, id = "7") => gate.submit({ ...CALL, args: { id }, idempotencyKey });
    const { approvalId } = expectPending(await keyed("k"));
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    const first = await gate.resume(approvalId);
    expect(first.type).toBe("succeeded");
    // Others of the same tool are denied: remembered, and then the tool as a whole.
    for (const id of ["7", "8", "9"])
      await gate.decide({ approvalId: expectPending(await keyed(`k${id}`, id)).approvalId, decision: "deny" }, ANN);
    expect(await keyed("k")).toEqual(first);
    expect(await codeOf(keyed("k", "8"))).toBe("idempotency_conflict");
    refuses = true;
    expect(await keyed("k")).toEqual(first);
    await gate.pause("home", true, ANN);
    expect(await keyed("k")).toEqual(first);
    expect(await keyed("new")).toMatchObject({ type: "denied", reason: "Everything is paused in this workspace." });
    expect(tool.runs).toHaveLength(1);
  });

  it("an idempotency key stays bound to the call it was used for when a person edited that call", async () => {
    const gate = world.gate({ tools: [counted()] });
    const keyed = { ...CALL, idempotencyKey: "d" };
    const asked = expectPending(await gate.submit(keyed));
    await gate.decide({ approvalId: asked.approvalId, decision: "approve", args: { id: "8" } }, ANN);
    expect(await gate.run(keyed)).toMatchObject({ type: "succeeded", result: { deleted: "8" } });
    expect(await codeOf(gate.run({ ...keyed, args: { id: "9" } }))).toBe("idempotency_conflict");
  });

  it("concurrent calls under one idempotency key run once", async () => {
    const tool = counted({ name: "tasks.update", riskTier: "R1" });
    const gate = world.gate({ tools: [tool] });
    const call = { tool: "tasks.update", args: { id: "7" }, idempotencyKey: "k" };
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => gate.run(call)));
    expect(new Set(outcomes.map((outcome) => outcome.approvalId)).size).toBe(1);
    expect(tool.runs).toHaveLength(1);
  });

  it("flaw F-6: another preview at the claim refuses it unspent, asks anew with the difference, and the waiter follows", async () => {
    let count = 1;
    const tool = counted({
      preview: () => ({ effects: [{ kind: "delete", noun: "subtask", count }], digest: `v${count}` }),
    });
    const gate = world.gate({ tools: [tool] });
    const waiting = gate.run(CALL);
    const first = await ask(gate);
    count = 2;
    await gate.decide({ approvalId: first, decision: "approve" }, ANN);
    expect(tool.runs).toEqual([]);
    const [card] = await gate.pending(ANN);
    expect(card?.approvalId).not.toBe(first);
    expect(card?.effects).toMatchObject([{ kind: "delete", text: "deletes 2 subtasks", count: 2 }]);
    expect(card?.previewDiff).toContainEqual({ type: "replace", label: "effects[0].count", before: "1", after: "2" });
    expect(expectPending(await gate.resume(first)).approvalId).toBe(card?.approvalId);
    await gate.decide({ approvalId: card?.approvalId as string, decision: "approve" }, ANN);
    expect(await waiting).toMatchObject({ type: "succeeded", approvalId: card?.approvalId });
    expect(tool.runs).toHaveLength(1);
  });

  it("invariant I9: following a question that was put anew does not lengthen the deadline", async () => {
    const clock = new ManualClock();
    let count = 1;
    const tool = counted({ preview: () => ({ effects: [], digest: `v${count}` }) });
    const gate = world.gate({ tools: [tool], clock });
    const waiting = gate.run(CALL, CALLER, { deadline: 10_000 });
    const first = await ask(gate);
    await clock.advance(9_000);
    count = 2;
    await gate.decide({ approvalId: first, decision: "approve" }, ANN);
    await clock.advance(1_000);
    expect(expectPending(await waiting).approvalId).not.toBe(first);
  });

  it("a run that waits when its gate is closed is told so, and can be resumed by another gate", async () => {
    const gate = world.gate({ tools: [counted()] });
    const waiting = codeOf(gate.run(CALL));
    await ask(gate);
    await gate.close();
    expect(await waiting).toBe("closed");
  });

  it("a closed gate runs nothing, reads included, and closing twice is closing once", async () => {
    const clock = new ManualClock();
    const read = counted({ name: "tasks.list", effect: "read" });
    const gate = world.gate({ tools: [read, counted()], clock });
    await gate.run({ tool: "tasks.list", args: { id: "7" } });
    const abandoned = codeOf(gate.run(CALL, CALLER, { deadline: 60_000 }));
    await ask(gate, "8");
    await Promise.all([gate.close(), gate.close()]);
    expect(await abandoned).toBe("closed");
    expect(await codeOf(gate.run({ tool: "tasks.list", args: { id: "7" } }))).toBe("closed");
    expect(read.runs).toHaveLength(1);
    await turns();
    // Nothing that would hold the process open, or look at a store that is closed.
    expect(clock.timers).toBe(0);
  });
});
