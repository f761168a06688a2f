import { expect, it, onTestFinished } from "vitest";
import { decodeApproval } from "../../src/core/codec.js";
import { memoryBackend } from "./backends.js";
import type { Args } from "./cast.js";
import { Model } from "./model.js";
import { Real } from "./real.js";
import type { Op } from "./scene.js";

// What the model has found once, told shortly, so that it stays found whatever the seed.

async function setUp(): Promise<{ real: Real; model: Model }> {
  const real = new Real(await memoryBackend());
  onTestFinished(() => real.dispose());
  return { real, model: new Model(real, { count: 0 }) };
}

const ARGS: Args = { n: 0, wait: false, fails: false };
const submit: Extract<Op, { type: "submit" }> = {
  type: "submit",
  tool: "task.update",
  caller: "first",
  args: ARGS,
  key: undefined,
  waits: false,
};
const approve: Extract<Op, { type: "decide" }> = {
  type: "decide",
  call: 0,
  person: "ben",
  decision: "approve",
  shown: undefined,
  edit: undefined,
};

it("refuses a used idempotency key for another call also when a person has edited the first", async () => {
  const { model } = await setUp();
  await model.does({ ...submit, tool: "task.joint", key: "k1" }, 0);
  await model.does({ ...approve, edit: { ...ARGS, n: 1 } }, 0);
  await model.does({ ...submit, tool: "task.joint", key: "k1", args: { ...ARGS, n: 2 } }, 0);
  await model.does({ ...submit, tool: "task.joint", key: "k1" }, 0);
});

it("asks anew when an identical question has expired and nobody has looked since", async () => {
  const { model } = await setUp();
  await model.does(submit, 0);
  await model.ticks(4_400);
  await model.does(submit, 0);
  expect(model.world.calls.map(({ state }) => state)).toEqual(["expired", "pending"]);
});

it("tells a claim of what was denied that it was denied, whatever the policy says", async () => {
  const { model } = await setUp();
  await model.does({ ...submit, tool: "job.update" }, 1);
  await model.does({ ...approve, decision: "deny" }, 0);
  await model.does({ type: "claim", call: 0, caller: "first", token: undefined }, 0);
});

it("tells an answer that comes too late that it does, also where the question was put again meanwhile (I4)", async () => {
  const { model } = await setUp();
  await model.does({ ...submit, tool: "job.update" }, 0);
  await model.does({ ...approve, decision: "deny" }, 1);
  await model.does({ ...submit, tool: "job.update" }, 0);
  await model.does({ ...approve, person: "ana", decision: "deny" }, 0);
});

it("leaves the agent its token when a person asks again for what has not expired", async () => {
  const { model } = await setUp();
  await model.does({ ...submit, tool: "job.update" }, 0);
  await model.does(approve, 0);
  await model.does({ type: "resume", call: 0, caller: "first" }, 0);
  await model.does({ type: "askAgain", call: 0, person: "ana" }, 1);
  await model.does({ type: "claim", call: 0, caller: "first", token: 0 }, 0);
});

it("tells an agent that reports twice what it reported first", async () => {
  const { model } = await setUp();
  await model.does({ ...submit, tool: "job.note" }, 0);
  await model.does({ type: "claim", call: 0, caller: "first", token: 0 }, 0);
  await model.does({ type: "finish", call: 0, caller: "first", claim: "right", as: "succeeded" }, 0);
  await model.does({ type: "finish", call: 0, caller: "first", claim: "right", as: "failed" }, 1);
  expect(model.world.calls.map(({ state }) => state)).toEqual(["succeeded"]);
});

it("lets an approver, and no member, settle an allowed call of which nobody heard again", async () => {
  const { model } = await setUp();
  await model.does({ ...submit, tool: "task.note", args: { ...ARGS, wait: true } }, 0);
  await model.dies(0, { known: true, peerFirst: false });
  await model.does({ type: "settle", call: 0, person: "dan", as: "succeeded" }, 0);
  expect(model.world.calls.map(({ state }) => state)).toEqual(["unknown"]);
  await model.does({ type: "settle", call: 0, person: "ben", as: "failed" }, 0);
  expect(model.world.calls.map(({ state }) => state)).toEqual(["failed"]);
});

it("starts nothing under a lease that ran out while the disk was slow, so that a crash leaves nothing running (I6)", async () => {
  const { real, model } = await setUp();
  await model.does({ ...submit, tool: "task.note" }, 0);
  // The lease of the first call is good for this one; then the disk stalls until others have taken the process for dead.
  const { fates } = real.process(0);
  fates.push({ slow: 20_000, meanwhile: () => real.gate(1).sweep() });
  await real.perform({ ...submit, tool: "task.note", args: { ...ARGS, n: 1, wait: true } }, 0, []);
  await real.kill(0, false);
  await real.clock.advance(20_000, () => real.activity.settle());
  await model.replay.read(real.observer);
  const records = await Promise.all(model.replay.created.map((id) => real.observer.get("approval", id)));
  expect(records.map((record) => record && decodeApproval(record).state)).not.toContain("executing");
});
