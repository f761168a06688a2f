import { expect, it } from "vitest";
import type { Host } from "../../src/core/ports.js";
import type { StatusReport } from "../../src/core/tool.js";
import { faultyStore } from "../../src/testing/index.js";
import { counted, entryTypes, ManualClock, onEachStore, turns, type World } from "./support.js";

const UPDATE = { tool: "tasks.update", args: { id: "7" } };
const hostOf = (pid: number, dead: number[] = []): Host => ({
  self: { host: "here", pid, started: "1" },
  isGone: (process) => dead.includes(process.pid),
});

/** One gate whose process dies while the tool runs, and its successor on the same store. */
async function afterCrash(world: World, definition: Parameters<typeof counted>[0]) {
  const never = counted({ name: "tasks.update", riskTier: "R1", ...definition, execute: () => new Promise(() => {}) });
  const first = world.gate({ tools: [never], host: hostOf(1) });
  void first.run(UPDATE).catch(() => {});
  await turns();
  // The dead process never closes anything; its gate must not wait for a tool that never answers.
  first.close = () => Promise.resolve();
  const tool = counted({ name: "tasks.update", riskTier: "R1", ...definition });
  const second = world.gate({ tools: [tool], store: first.store, host: hostOf(2, [1]) });
  await second.sweep();
  await turns();
  return { tool, first, second };
}

onEachStore("recovery", (world) => {
  it("invariant I6: what a dead process was running is unknown at once, and never run again by itself", async () => {
    const { tool, second } = await afterCrash(world, {});
    expect(await second.unknown()).toMatchObject([{ tool: "tasks.update" }]);
    await second.sweep();
    expect(tool.runs).toEqual([]);
    expect(await entryTypes(second)).toEqual(["call.allowed", "call.lost"]);
  });

  it("invariant I6: whoever was taken for dead and lives says unknown too, although its run goes on", async () => {
    const { first, second } = await afterCrash(world, {});
    const [lost] = await second.unknown();
    const told = { type: "unknown", code: "TOOL_OUTCOME_UNKNOWN" };
    expect(await first.resume(lost?.approvalId ?? "")).toMatchObject(told);
  });

  it("invariant I6: a claim that was on its way when its process died is unknown too, once it has arrived (faults R3, R19)", async () => {
    const clock = new ManualClock();
    const second = world.gate({ clock, host: hostOf(2, [1]) });
    const line = faultyStore(second.store);
    const ends = counted({ name: "tasks.create", riskTier: "R1" });
    const never = counted({ name: "tasks.update", riskTier: "R1", execute: () => new Promise(() => {}) });
    const first = world.gate({ clock, tools: [ends, never], store: line, host: hostOf(1) });
    first.close = () => Promise.resolve();
    await first.run({ tool: "tasks.create", args: { id: "1" } });
    const arrive = line.holdCommits();
    void first.run(UPDATE).catch(() => {});
    await turns();
    await second.sweep();
    arrive();
    await turns();
    await second.sweep();
    expect(await second.unknown()).toMatchObject([{ tool: "tasks.update" }]);
  });

  it("the lease of a dead process goes once nothing can come of it any more", async () => {
    const clock = new ManualClock();
    const second = world.gate({ clock, host: hostOf(2, [1]) });
    const tool = counted({ name: "tasks.update", riskTier: "R1" });
    const first = world.gate({ clock, tools: [tool], store: second.store, host: hostOf(1) });
    first.close = () => Promise.resolve();
    await first.run(UPDATE);
    await second.sweep();
    expect(await second.store.list("leases", "", 9)).toHaveLength(1);
    await clock.advance(60_000);
    expect(await second.store.list("leases", "", 9)).toEqual([]);
  });

  it("invariant I1: an idempotent tool is tried again by the successor, under the same key", async () => {
    const { tool, second } = await afterCrash(world, { idempotent: true });
    expect(tool.runs).toEqual([{ id: "7" }]);
    expect(await second.unknown()).toEqual([]);
    expect(await entryTypes(second)).toEqual(["call.allowed", "call.lost", "call.retried", "call.executed"]);
  });

  it("the tool's own check settles it where it can", async () => {
    const status = (): StatusReport => ({ type: "succeeded", result: "found" });
    const { tool, second } = await afterCrash(world, { status });
    expect(await second.unknown()).toEqual([]);
    expect(tool.runs).toEqual([]);
    expect(await second.verify()).toMatchObject({ ok: true });
  });
});
