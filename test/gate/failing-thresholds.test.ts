import { expect, it, onTestFinished } from "vitest";
import { createGate, defineTool, memoryStore } from "../../src/index.js";

const ANA = { kind: "person", userId: "local", workspaceId: "local" } as const;

it("runs an approved call once and hands nothing over unseen when the host cannot say its thresholds any more (I1, I6, I8)", async () => {
  let ran = 0;
  let fails = false;
  const gate = createGate({
    store: memoryStore(),
    tools: [defineTool({ name: "task.update", confirm: true, execute: () => ({ secret: ++ran }) })],
    thresholds: () => {
      if (fails) throw new Error("no thresholds");
      return {};
    },
  });
  onTestFinished(() => gate.close());
  const { approvalId = "" } = await gate.submit({ tool: "task.update", args: {} });
  fails = true;
  await gate.decide({ approvalId, decision: "approve" }, ANA);
  const outcome = await gate.resume(approvalId, undefined, { deadline: 5_000 });
  expect([ran, JSON.stringify(outcome).includes("secret")]).toEqual([1, false]);
  expect(await gate.approval(approvalId, ANA)).toMatchObject({ state: "succeeded", execution: { withheld: true } });
});
