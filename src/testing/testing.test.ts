import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Person } from "../core/approval.js";
import type { Gate } from "../core/gate.js";
import { defineTool } from "../core/tool.js";
import { createGate } from "../create-gate.js";
import { memoryStore } from "../stores/memory.js";
import { describeStore, type FakeClock, fakeClock, faultyStore, type Runner, scriptedApprover } from "./index.js";

describe("the fake clock", () => {
  it("stands still until it is told otherwise", () => {
    const clock = fakeClock(1_000);
    expect([clock.now(), clock.now()]).toEqual([1_000, 1_000]);
    expect(fakeClock(new Date(5)).now()).toBe(5);
  });

  it("runs timers in the order they fall due, each at its time, and those that they set", async () => {
    const clock = fakeClock(0);
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.now()]);
    clock.timer(30, note("late"));
    clock.timer(10, note("early"));
    clock.timer(10, note("early, set second"));
    clock.timer(15, () => void Promise.resolve().then(() => clock.timer(5, note("set by another"))));
    const cancel = clock.timer(12, note("cancelled"));
    cancel();
    await clock.advance(29);
    expect(ran).toEqual([
      ["early", 10],
      ["early, set second", 10],
      ["set by another", 20],
    ]);
    expect(clock.now()).toBe(29);
    await clock.advance(1);
    expect(ran.at(-1)).toEqual(["late", 30]);
  });

  it("neither fires nor delays a timer when it is set to another time", async () => {
    const clock = fakeClock(1_000);
    let ran = 0;
    clock.timer(100, () => ran++);
    clock.set(5_000_000);
    await clock.advance(99);
    expect([ran, clock.now()]).toEqual([0, 5_000_099]);
    clock.set(0);
    await clock.advance(1);
    expect([ran, clock.now()]).toEqual([1, 1]);
  });
});

describe("the scripted approver", () => {
  const person: Person = { kind: "person", userId: "local", workspaceId: "local" };
  let clock: FakeClock;
  let gate: Gate;
  let sent: unknown[];

  beforeEach(() => {
    clock = fakeClock();
    sent = [];
    const tool = (name: string) =>
      defineTool({ name, description: name, effect: "write", execute: async (args) => void sent.push([name, args]) });
    gate = createGate({ store: memoryStore({ clock }), clock, tools: ["email.send", "data.drop", "x.y"].map(tool) });
  });

  afterEach(() => gate.close());

  it("approves, denies and edits what was scripted, each as it appears", async () => {
    const approver = scriptedApprover(gate, person)
      .approves("email.send")
      .denies("data.drop", "not today")
      .edits("x.y", (args) => ({ ...args, n: 2 }));
    const outcomes = await Promise.all([
      gate.run({ tool: "email.send", args: { to: "a" } }),
      gate.run({ tool: "data.drop", args: {} }),
      gate.run({ tool: "x.y", args: { n: 1 } }),
    ]);
    await approver.stop();
    expect(outcomes).toMatchObject([
      { type: "succeeded" },
      { type: "denied", reason: "not today" },
      { type: "succeeded" },
    ]);
    expect(sent).toHaveLength(2);
    expect(sent).toContainEqual(["x.y", { n: 2 }]);
    expect(approver.seen.map(({ card, answer }) => `${card.tool}: ${answer}`).toSorted()).toEqual([
      "data.drop: deny",
      "email.send: approve",
      "x.y: edit",
    ]);
  });

  it("leaves what was not scripted pending, until it is scripted (invariant I8)", async () => {
    const approver = scriptedApprover(gate, person);
    const waiting = gate.run({ tool: "email.send", args: {} });
    await clock.advance(0);
    await approver.look();
    expect(approver.seen).toMatchObject([{ answer: "none", card: { tool: "email.send" } }]);
    expect(sent).toEqual([]);
    approver.approves("email.send");
    expect(await waiting).toMatchObject({ type: "succeeded" });
    await approver.stop();
  });

  it("answers only what is shown to its person, and nothing after it was stopped", async () => {
    const stranger = scriptedApprover(gate, { ...person, userId: "stranger" }).approves("email.send");
    const stopped = scriptedApprover(gate, person).approves("email.send");
    await stopped.stop();
    const outcome = await gate.submit({ tool: "email.send", args: {} });
    await stranger.look();
    await stopped.look();
    await stranger.stop();
    expect(outcome.type).toBe("pending");
    expect([stranger.seen, stopped.seen]).toEqual([[], []]);
  });

  it("keeps why an answer did not count", async () => {
    const approver = scriptedApprover(gate, person).edits("x.y", () => "not an object");
    await gate.submit({ tool: "x.y", args: {} });
    await approver.look();
    await approver.stop();
    expect(approver.seen).toMatchObject([{ answer: "edit", error: { name: "CountersignError" } }]);
    expect(sent).toEqual([]);
  });
});

describe("the faulty store", () => {
  it("fails as often as it was told to, and is the real one otherwise", async () => {
    const store = faultyStore(memoryStore());
    store.failNext("read", 2);
    await expect(store.get("approval", "a")).rejects.toMatchObject({ code: "store_failed" });
    await expect(store.checkpoint("w")).rejects.toMatchObject({ code: "store_failed" });
    expect(await store.get("approval", "a")).toBeUndefined();
    store.failNext("after-commit");
    await expect(store.checkpoint("w", "signed")).rejects.toMatchObject({ code: "store_failed" });
    expect((await store.checkpoint("w")).signed).toBe("signed");
    store.failNext("before-commit");
    await expect(store.checkpoint("w", "other")).rejects.toMatchObject({ code: "store_failed" });
    expect((await store.checkpoint("w")).signed).toBe("signed");
  });
});

describe("the contract suite", () => {
  /** Takes the tests down instead of running them. */
  function collect() {
    const tests = new Map<string, () => Promise<void>>();
    const skipped: string[] = [];
    const add = (name: string, run: () => Promise<void>) => void tests.set(name, run);
    const skip = (name: string) => void skipped.push(name);
    const runner: Runner = { describe: (_, define) => define(), it: Object.assign(add, { skip }) };
    return { tests, skipped, runner };
  }

  it("notices when its tests did not run", async () => {
    const { tests, runner } = collect();
    describeStore(runner, "memory", (clock) => memoryStore({ clock }));
    const [last, check] = [...tests].at(-1) ?? expect.fail("there are no tests");
    expect(last).toBe(`ran all ${tests.size - 1} tests of the contract`);
    await expect(check()).rejects.toMatchObject({ actual: 0, expected: tests.size - 1 });
  });

  it("skips only what exists, and only for a reason", () => {
    const skipping = (test: string, reason: string) => () =>
      describeStore(collect().runner, "memory", () => memoryStore(), { skip: [{ test, reason }] });
    expect(skipping("closes twice without complaint", " ")).toThrow("needs a reason");
    expect(skipping("closes thrice", "why not")).toThrow("no test named");
    const { skipped, runner } = collect();
    const skip = [{ test: "closes twice without complaint", reason: "it is never closed" }];
    describeStore(runner, "memory", () => memoryStore(), { skip });
    expect(skipped).toEqual(["closes twice without complaint (skipped: it is never closed)"]);
  });

  it("asks a store that promises to last for the proof", async () => {
    const { tests, runner } = collect();
    const lasting = { engine: "boast", durable: true, shared: false, text: "Lasts." };
    describeStore(runner, "boast", (clock) => Object.assign(memoryStore({ clock }), { promises: () => lasting }));
    await expect(tests.get("tells the time of its clock")?.()).rejects.toThrow("pass `reopen`");
  });
});
