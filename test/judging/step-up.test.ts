import { describe, expect, it } from "vitest";
import { createGate, defineTool, memoryStore, type Person } from "../../src/index.js";
import { definePolicy, gatePolicy } from "../../src/policy/index.js";
import { CALLER, codeOf, expectPending } from "../gate/support.js";

const ANN: Person = { kind: "person", userId: "ann", workspaceId: "home" };
const pay = defineTool<{ to: string }>({ name: "bank.pay", execute: ({ to }) => ({ paid: to }) });
const remote = defineTool({ name: "bank.wire" });

async function held(tool = "bank.pay") {
  const policy = definePolicy({
    version: 1,
    rules: [{ id: "pay", when: 'app == "bank"', effect: "confirm", stepUp: "passkey" }],
  });
  const gate = createGate({ store: memoryStore(), tools: [pay, remote], caller: CALLER, ...gatePolicy(policy) });
  const { approvalId } = expectPending(await gate.submit({ tool, args: { to: "bob" } }));
  return { gate, approvalId, toolCallHash: (await gate.approval(approvalId, ANN)).toolCallHash };
}

describe("step-up: a rule says what a yes has to prove", () => {
  it.each([undefined, "host", "client", "channel", "link", "session"] as const)(
    "invariant I8: a yes proven by %s does not count, and the question stands",
    async (assurance) => {
      const { gate, approvalId } = await held();
      const weak = assurance === undefined ? ANN : { ...ANN, assurance };
      expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, weak))).toBe("step_up_required");
      expect((await gate.approval(approvalId, ANN)).state).toBe("pending");
      await gate.close();
    },
  );

  it("takes a yes that proves as much as is asked, or more", async () => {
    for (const assurance of ["passkey", "passkey_over_hash"] as const) {
      const { gate, approvalId } = await held();
      await gate.decide({ approvalId, decision: "approve" }, { ...ANN, assurance });
      expect(await gate.resume(approvalId)).toMatchObject({ type: "succeeded", result: { paid: "bob" } });
      await gate.close();
    }
  });

  it("takes a no from anybody of the audience, and no word it does not know for a yes", async () => {
    const { gate, approvalId } = await held();
    const unknown = { ...ANN, assurance: "retina" as never };
    expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, unknown))).toBe("step_up_required");
    expect(await gate.decide({ approvalId, decision: "deny" }, ANN)).toMatchObject({ state: "denied" });
    await gate.close();
  });

  it("does not let an edit in without the proof, and keeps what is asked through an edit", async () => {
    const { gate, approvalId, toolCallHash } = await held();
    const edit = { approvalId, decision: "approve", toolCallHash, args: { to: "eve" } } as const;
    expect(await codeOf(gate.decide(edit, ANN))).toBe("step_up_required");
    expect((await gate.approval(approvalId, ANN)).revision).toBe(1);
    await gate.decide(edit, { ...ANN, assurance: "passkey" });
    expect(await gate.resume(approvalId)).toMatchObject({ result: { paid: "eve" } });
    await gate.close();
  });

  it("still counts at the claim of a call that runs elsewhere, when it is judged again", async () => {
    const { gate, approvalId } = await held("bank.wire");
    await gate.decide({ approvalId, decision: "approve" }, { ...ANN, assurance: "passkey" });
    await gate.pause("home", true, ANN);
    await gate.pause("home", false, ANN);
    const { token } = expectPending(await gate.resume(approvalId));
    expect(await gate.claim({ approvalId, tokenId: token?.tokenId ?? "" })).toMatchObject({ tool: "bank.wire" });
    await gate.close();
  });
});
