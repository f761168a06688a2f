import { describe, expect, it } from "vitest";
import { groupSimilar } from "../../src/index.js";
import { ANN, newGate, pendingId, recorded, submit } from "./support.js";

describe("similar approvals", () => {
  it("are grouped by tool, tier and shape of their arguments; R4 stands alone", async () => {
    const gate = newGate({ tools: [recorded().tool, recorded("R4", { name: "disk.wipe" }).tool] });
    await submit(gate, "a");
    await submit(gate, "b");
    await submit(gate, "c", {}, { amount: 1 });
    for (const id of ["x", "y"]) await gate.submit({ tool: "disk.wipe", args: { id } });
    const groups = groupSimilar(await gate.pending(ANN));
    expect(groups.map(({ tool, cards }) => [tool, cards.length])).toEqual([
      ["notes.add", 2],
      ["notes.add", 1],
      ["disk.wipe", 1],
      ["disk.wipe", 1],
    ]);
  });

  it("attack B10: what joins or changes after the look is not included, and each answer is told", async () => {
    const { tool, runs } = recorded();
    const gate = newGate({ tools: [tool] });
    for (const id of ["a", "b", "c"]) await submit(gate, id);
    const [group] = groupSimilar(await gate.pending(ANN));
    if (group === undefined) throw new Error("expected a group");
    const [, second] = group.shown;
    // While the dialog is open: one more comes, and one is edited by somebody else into another call.
    const late = pendingId(await submit(gate, "late"));
    await expect(
      gate.decide(
        { ...second, approvalId: second?.approvalId ?? "", decision: "approve", args: { id: "edited" } },
        ANN,
      ),
    ).resolves.toMatchObject({ revision: 2, resolution: { type: "approved", by: "ann" } });
    const answers = await gate.decideAll(
      group.shown.map((shown) => ({ ...shown, decision: "approve" as const })),
      ANN,
    );
    expect(answers.map((answer) => (answer.ok ? answer.resolution?.type : answer.error.code))).toEqual([
      "approved",
      "already_resolved",
      "approved",
    ]);
    await gate.resume(group.shown[2]?.approvalId ?? "");
    expect([...runs].sort()).toEqual(["a", "c", "edited"]);
    expect((await gate.pending(ANN)).map((card) => card.approvalId)).toEqual([late]);
  });

  it("attack B10: a yes among several names what was shown, and R4 is never among them", async () => {
    const { tool, runs } = recorded("R4");
    const gate = newGate({ tools: [tool] });
    for (const id of ["a", "b"]) await submit(gate, id);
    const cards = await gate.pending(ANN);
    const named = cards.map(({ approvalId, toolCallHash }) => ({
      approvalId,
      toolCallHash,
      decision: "approve" as const,
    }));
    const codes = async (answers: ReturnType<typeof gate.decideAll>) =>
      (await answers).map((answer) => (answer.ok ? "ok" : answer.error.code));
    expect(await codes(gate.decideAll(named, ANN))).toEqual(["invalid_decision", "invalid_decision"]);
    const unnamed = cards.map(({ approvalId }) => ({ approvalId, decision: "approve" as const }));
    expect(await codes(gate.decideAll(unnamed, ANN))).toEqual(["hash_required", "hash_required"]);
    expect(runs).toEqual([]);
    const denials = cards.map(({ approvalId }) => ({ approvalId, decision: "deny" as const }));
    expect(await codes(gate.decideAll(denials, ANN))).toEqual(["ok", "ok"]);
  });

  it("attack B10: takes no changed arguments among several, which may be another risk", async () => {
    const { tool, runs } = recorded("R3");
    const gate = newGate({ tools: [tool] });
    for (const id of ["a", "b"]) await submit(gate, id);
    const edited = (await gate.pending(ANN)).map(({ approvalId, toolCallHash }) => ({
      approvalId,
      toolCallHash,
      decision: "approve" as const,
      args: { id: "c" },
    }));
    const answers = await gate.decideAll(edited, ANN);
    expect(answers.map((answer) => answer.ok)).toEqual([false, false]);
    expect(runs).toEqual([]);
  });
});
