import { expect, it } from "vitest";
import { ANN, ask, BOB, counted, newFile, onEachStore } from "./support.js";

const CALL = { tool: "tasks.delete", args: { id: "7" } };

onEachStore("waiting across gates", (world) => {
  it("resumes in another gate, after a restart, on the same store", async () => {
    const path = newFile();
    const tool = counted();
    const first = world.gate({ tools: [tool] }, path);
    if (!first.store.promises().durable) return;
    const approvalId = await ask(first);
    await first.close();
    const second = world.gate({ tools: [tool] }, path);
    expect(await second.resume(approvalId)).toMatchObject({ type: "pending", approvalId });
    await second.decide({ approvalId, decision: "approve" }, BOB);
    await second.close();
    const third = world.gate({ tools: [tool] }, path);
    expect(await third.resume(approvalId)).toMatchObject({ type: "succeeded", result: { deleted: "7" } });
    expect(tool.runs).toHaveLength(1);
    expect(await third.verify()).toMatchObject({ ok: true });
  });

  it("a gate that does not host the tool decides, and the one that does runs it and tells its waiter", async () => {
    const path = newFile();
    const tool = counted();
    const hosting = world.gate({ tools: [tool] }, path);
    const shared = hosting.store.promises().shared ? {} : { store: hosting.store };
    const waiting = hosting.run(CALL);
    const approvalId = await ask(hosting);
    const elsewhere = world.gate(shared, path);
    expect(await elsewhere.decide({ approvalId, decision: "approve" }, ANN)).toMatchObject({ state: "approved" });
    expect(await waiting).toMatchObject({ type: "succeeded", approvalId });
    expect(tool.runs).toHaveLength(1);
  });

  it("flaw F-6: the hosting gate asks anew when the preview changed, also when another gate took the answer", async () => {
    const path = newFile();
    let count = 1;
    const tool = counted({ preview: () => ({ effects: [], digest: `v${count}` }) });
    const hosting = world.gate({ tools: [tool] }, path);
    const shared = hosting.store.promises().shared ? {} : { store: hosting.store };
    const approvalId = await ask(hosting);
    const elsewhere = world.gate(shared, path);
    count = 2;
    await elsewhere.decide({ approvalId, decision: "approve" }, ANN);
    await hosting.sweep();
    const [card] = await hosting.pending(ANN);
    expect(await hosting.approval(card?.approvalId ?? "", ANN)).toMatchObject({ supersedes: approvalId });
    expect(tool.runs).toEqual([]);
  });
});
