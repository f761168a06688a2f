import { expect, it } from "vitest";
import { defineCommand, failure, gated, success } from "../../src/index.js";
import {
  ANN,
  ask,
  BOB,
  CALLER,
  CAT,
  codeOf,
  counted,
  DAN,
  entryTypes,
  expectPending,
  latch,
  ManualClock,
  newFile,
  onEachStore,
} from "./support.js";

const UPDATE = { tool: "tasks.update", args: { id: "7" } };

onEachStore("execution", (world) => {
  it("flaw F-7: a tool that throws, whatever it throws, has failed, and is not run again", async () => {
    for (const [thrown, error] of [
      [new Error("no such task"), "no such task"],
      ["no such task", "no such task"],
      [null, "null"],
      [Object.create(null), "it threw something that cannot be told"],
      [Symbol("x"), "Symbol(x)"],
    ]) {
      let runs = 0;
      const tool = counted({
        name: "tasks.update",
        riskTier: "R1",
        execute: () => {
          runs++;
          throw thrown;
        },
      });
      const gate = world.gate({ tools: [tool] });
      expect(await gate.run(UPDATE)).toMatchObject({ type: "failed", code: "TOOL_FAILED", error });
      await gate.sweep();
      expect(runs).toBe(1);
    }
  });

  it("flaw F-7: words of a failure that are no text, or not any more when they are cut, do not make it unknown", async () => {
    const long = `${"x".repeat(1_999)}😀`;
    const cut = `${"x".repeat(1_999)}\ufffd`;
    for (const [said, error] of [
      ["half \ud83d", "half \ufffd"],
      [long, cut],
    ] as const) {
      const thrown = () => {
        throw new Error(said);
      };
      const gate = world.gate({
        tools: [
          counted({ name: "tasks.update", riskTier: "R1", execute: thrown }),
          counted({ name: "tasks.read", effect: "read", execute: thrown }),
          defineCommand({ name: "task-move", riskTier: "R1", handler: () => failure(said) }),
        ],
      });
      for (const tool of ["tasks.update", "tasks.read", "task.move"])
        expect(await gate.run({ tool, args: { id: "7" } })).toMatchObject({ type: "failed", error });
    }
  });

  it("a result that is huge or not JSON reaches the waiter or is said to be left out", async () => {
    const results: [unknown, object][] = [
      ["x".repeat(2_000_000), { result: "x".repeat(2_000_000), message: expect.stringContaining("not kept") }],
      [undefined, { result: null }],
      [10n, { result: null, message: expect.stringContaining("not JSON") }],
      [() => 5, { result: null }],
    ];
    for (const [result, told] of results) {
      const gate = world.gate({ tools: [counted({ name: "tasks.update", riskTier: "R1", execute: () => result })] });
      const outcome = await gate.run(UPDATE);
      expect(outcome).toMatchObject({ type: "succeeded", ...told });
      expect((await gate.resume(outcome.approvalId as string)).type).toBe("succeeded");
    }
  });

  it("invariant I6: a tool that does not answer in time is unknown, and its late receipt settles it", async () => {
    const clock = new ManualClock();
    const late = latch<string>();
    const tool = counted({ name: "tasks.update", riskTier: "R1", timeout: 1_000, execute: () => late.promise });
    const gate = world.gate({ tools: [tool], clock });
    const running = gate.run(UPDATE);
    await clock.advance(1_000);
    const told = await running;
    expect(told).toMatchObject({ type: "unknown", code: "TOOL_OUTCOME_UNKNOWN" });
    expect(await gate.unknown()).toMatchObject([{ approvalId: told.approvalId }]);
    late.open("done after all");
    await clock.advance(0);
    expect(await gate.resume(told.approvalId as string)).toMatchObject({ type: "succeeded", result: "done after all" });
    expect(await gate.unknown()).toEqual([]);
    expect(await entryTypes(gate)).toEqual(["call.allowed", "call.lost", "call.executed"]);
  });

  it("invariant I1: an idempotent tool is tried again with the same key, three times at most", async () => {
    const clock = new ManualClock();
    const seen: { key: string; attempt: number }[] = [];
    const tool = counted({
      name: "tasks.update",
      riskTier: "R1",
      timeout: 1_000,
      idempotent: true,
      execute: (_args, { idempotencyKey, attempt }) => {
        seen.push({ key: idempotencyKey, attempt });
        return new Promise(() => {});
      },
    });
    const gate = world.gate({ tools: [tool], clock });
    const running = gate.run(UPDATE);
    await clock.advance(5_000);
    expect((await running).type).toBe("unknown");
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  });

  it("a person of the audience settles an unknown execution once; strangers and agents do not", async () => {
    const clock = new ManualClock();
    const tool = counted({ timeout: 1_000, execute: () => new Promise(() => {}) });
    const gate = world.gate({ tools: [tool], clock });
    const approvalId = await ask(gate);
    expect(await codeOf(gate.settle(approvalId, ANN, { type: "succeeded" }))).toBe("already_resolved");
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    await clock.advance(1_000);
    expect((await gate.resume(approvalId)).type).toBe("unknown");
    expect(await codeOf(gate.settle(approvalId, DAN, { type: "succeeded" }))).toBe("user_mismatch");
    expect(await codeOf(gate.settle(approvalId, { ...ANN, kind: "agent" as never }, { type: "succeeded" }))).toBe(
      "user_mismatch",
    );
    expect(await codeOf(gate.settle(approvalId, ANN, { type: "maybe" } as never))).toBe("invalid_call");
    expect(await gate.settle(approvalId, BOB, { type: "failed", error: "not in the list" })).toMatchObject({
      type: "failed",
      error: "not in the list",
    });
    expect(await codeOf(gate.settle(approvalId, ANN, { type: "succeeded" }))).toBe("already_resolved");
  });

  it("owners settle and see allowed writes too, and members do not", async () => {
    const clock = new ManualClock();
    const tool = counted({
      name: "tasks.update",
      riskTier: "R1",
      timeout: 1_000,
      execute: () => new Promise(() => {}),
    });
    const gate = world.gate({ tools: [tool], clock });
    const running = gate.run(UPDATE);
    await clock.advance(1_000);
    const approvalId = (await running).approvalId as string;
    expect(await gate.approval(approvalId, ANN)).toMatchObject({ state: "unknown" });
    expect(await codeOf(gate.settle(approvalId, DAN, { type: "succeeded" }))).toBe("user_mismatch");
    expect((await gate.settle(approvalId, CAT, { type: "succeeded", result: "seen" })).type).toBe("succeeded");
  });

  it("the tool's own check settles an unknown execution, and an unclear one leaves it", async () => {
    const clock = new ManualClock();
    const reports = [
      () => {
        throw new Error("down");
      },
      () => ({ type: "unknown" }) as const,
      () => undefined as never,
      () => ({ type: "failed" }) as never,
      () => new Promise<never>(() => {}),
    ];
    let report: () => unknown = () => undefined;
    const tool = counted({
      name: "tasks.update",
      riskTier: "R1",
      timeout: 1_000,
      status: () => report() as never,
      execute: () => new Promise(() => {}),
    });
    const gate = world.gate({ tools: [tool], clock });
    const running = gate.run(UPDATE);
    await clock.advance(1_000);
    const approvalId = (await running).approvalId as string;
    for (report of reports) {
      const settling = gate.settle(approvalId, ANN);
      await clock.advance(10_000);
      expect((await settling).type).toBe("unknown");
    }
    report = () => ({ type: "succeeded", result: { id: "7" } });
    expect(await gate.settle(approvalId, ANN)).toMatchObject({ type: "succeeded", result: { id: "7" } });
  });

  it("a pause denies new calls and stops approved ones until it ends", async () => {
    const tool = counted();
    const write = counted({ name: "tasks.update", riskTier: "R1" });
    const gate = world.gate({ tools: [tool, write] });
    const approvalId = await ask(gate);
    expect(await codeOf(gate.pause("home", true, { ...ANN, workspaceId: "work" }))).toBe("family_mismatch");
    await gate.pause("home", true, ANN);
    expect(await gate.submit(UPDATE)).toMatchObject({ type: "denied", reason: expect.stringContaining("paused") });
    expect(await gate.decide({ approvalId, decision: "approve" }, ANN)).toMatchObject({ state: "approved" });
    await gate.sweep();
    expect([...tool.runs, ...write.runs]).toEqual([]);
    await gate.pause("home", false, ANN);
    await gate.sweep();
    expect((await gate.resume(approvalId)).type).toBe("succeeded");
    expect((await gate.submit(UPDATE)).type).toBe("succeeded");
    expect(await entryTypes(gate)).toContain("workspace.paused");
  });

  it("a write judged just before another gate paused the workspace is judged again, and denied", async () => {
    const tool = counted({ name: "tasks.update", riskTier: "R1" });
    const path = newFile();
    const gate = world.gate({ tools: [tool] }, path);
    expect((await gate.submit(UPDATE)).type).toBe("succeeded");
    const other = world.gate(gate.store.promises().shared ? {} : { store: gate.store }, path);
    await other.pause("home", true, ANN);
    expect(await gate.submit(UPDATE)).toMatchObject({ type: "denied" });
    expect(tool.runs).toHaveLength(1);
  });

  it("flaw F-B1, seed B1: a command asks before its handler runs, and its failure is a failed call", async () => {
    const ran: string[] = [];
    const command = defineCommand<{ id?: string }, string>({
      name: "todo-delete",
      destructive: true,
      confirmPrompt: "Delete this todo?",
      handler: ({ id }) => {
        ran.push(id ?? "");
        return id === "gone" ? failure("no such todo") : success("ok", { warnings: [] });
      },
    });
    const broken = defineCommand({ name: "todo-break", handler: () => ({ success: false }) as never, riskTier: "R1" });
    const gate = world.gate({ tools: [command, broken] });
    const asked = expectPending(await gate.submit({ tool: "todo-delete", args: { id: "gone" } }));
    expect(ran).toEqual([]);
    expect(asked.card).toMatchObject({ tool: "todo.delete", humanSummary: "Delete this todo?", isDestructive: true });
    await gate.decide({ approvalId: asked.approvalId, decision: "approve" }, ANN);
    expect(await gate.resume(asked.approvalId)).toMatchObject({ type: "failed", error: "no such todo" });
    expect((await gate.run({ tool: "todo.break", args: {} })).type).toBe("failed");
  });

  it.each([
    ["throws", () => (undefined as unknown as { id: string }).id],
    ["names no call", () => undefined],
    ["names a call without a tool", () => ({ args: {} })],
  ])("a tool whose word on how it is undone %s is told of as one that does not know", async (_, call) => {
    const rollback = { note: "It can be undone.", call: call as never };
    const gate = world.gate({ tools: [counted({ name: "tasks.update", riskTier: "R1", execute: () => 1, rollback })] });
    const { approvalId = "" } = await gate.run(UPDATE);
    expect(await codeOf(gate.undo(approvalId, ANN))).toBe("not_supported");
  });

  it("gated functions can only go through the gate", async () => {
    const gate = world.gate();
    let sum = 0;
    const { add } = gated(gate, {
      add: { riskTier: "R1", execute: ({ by }: { by: number }) => (sum += by) },
    });
    expect(await add({ by: 2 })).toMatchObject({ type: "succeeded", result: 2 });
    const abort = AbortSignal.abort();
    expect((await add({ by: 2 }, CALLER, { signal: abort })).type).toBe("cancelled");
    expect(sum).toBe(2);
  });

  it("invariant I6: a receipt that could not be kept leaves the call unknown, also while its gate lives on", async () => {
    const clock = new ManualClock();
    const tool = counted({
      name: "tasks.update",
      riskTier: "R1",
      execute: () => {
        failing = true;
        return "done";
      },
    });
    let failing = false;
    const gate = world.gate({ tools: [tool], clock });
    const commit = gate.store.commit.bind(gate.store);
    gate.store.commit = (group) => (failing ? Promise.reject(new Error("disk is gone")) : commit(group));
    expect((await gate.run(UPDATE)).type).toBe("unknown");
    failing = false;
    await gate.sweep();
    expect(await gate.unknown()).toEqual([]);
    await clock.advance(62_000);
    expect(await gate.unknown()).toMatchObject([{ state: "unknown", tool: "tasks.update" }]);
  });

  it("a listener for notices that throws harms nothing", async () => {
    const gate = world.gate({
      tools: [counted({ name: "tasks.update", riskTier: "R1" })],
      notice: () => {
        throw new Error("log is full");
      },
    });
    expect((await gate.run(UPDATE)).type).toBe("succeeded");
  });
});
