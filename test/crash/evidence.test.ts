import { appendFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { createGate, defineTool, memoryStore } from "../../src/index.js";
import { place } from "./child.js";
import { Evidence } from "./evidence.js";

const CALLER = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "bot" };
const ANN = { kind: "person", userId: "ann", workspaceId: "home" } as const;

/** One call that ran, one that was denied, and what really happened, written down as the tools do. */
async function history() {
  const { sink } = await place();
  const happened = (approvalId = "") => appendFileSync(sink, `${approvalId}\n`);
  const tool = defineTool({
    name: "task.update",
    confirm: true,
    execute: (_args, { approvalId }) => happened(approvalId),
  });
  const gate = createGate({ store: memoryStore(), tools: [tool] });
  onTestFinished(() => gate.close());
  const answered = async (n: number, decision: "approve" | "deny") => {
    const { approvalId = "" } = await gate.submit({ tool: "task.update", args: { n } }, CALLER);
    await gate.decide({ approvalId, decision }, ANN);
    await gate.resume(approvalId, CALLER);
    return approvalId;
  };
  const [ran, denied] = [await answered(1, "approve"), await answered(2, "deny")];
  const evidence = new Evidence(gate.store, sink, ["home"]);
  await evidence.look();
  return { evidence, happened, ran, denied };
}

it("finds nothing wrong with what went right", async () => {
  const { evidence, ran, denied } = await history();
  const told = [
    { step: "decided", approvalId: ran, as: "approved" },
    { step: "ended", approvalId: denied, as: "denied" },
  ] as const;
  expect(evidence.broken(told)).toEqual([]);
});

it("names an effect that happened twice, one that nobody permitted, and one that the log denies (negative control)", async () => {
  const { evidence, happened, ran, denied } = await history();
  happened(ran);
  happened(denied);
  expect(evidence.broken([])).toEqual([
    `I1: ${ran} happened twice`,
    `I2: ${denied} happened without permission`,
    `I6: ${denied} happened and is denied`,
  ]);
});

it("names what was acknowledged and is not so any more (negative control)", async () => {
  const { evidence, denied } = await history();
  expect(evidence.broken([{ step: "decided", approvalId: denied, as: "approved" }])).toEqual([
    `I5: ${denied} was decided as approved and is denied`,
  ]);
  expect(evidence.broken([{ step: "held", approvalId: "gone", as: "pending" }])).toEqual([
    "I5: gone was held as pending and is gone",
  ]);
});
