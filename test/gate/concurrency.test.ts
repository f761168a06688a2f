import { expect, it } from "vitest";
import type { CountersignError, Decision, Gate, Person } from "../../src/index.js";
import {
  ANN,
  ask,
  BOB,
  CALLER,
  codeOf,
  counted,
  entryTypes,
  expectPending,
  ManualClock,
  onEachStore,
  remote,
} from "./support.js";

const MANY = 64;
const people: Person[] = Array.from({ length: MANY }, (_, index) => ({
  kind: "person",
  userId: `p${index}`,
  workspaceId: "home",
  roles: ["approver"],
}));

/** Lets everybody answer at once, and gives what each was told. */
async function race(gate: Gate, approvalId: string, choose: (index: number) => Decision["decision"]) {
  const answers = await Promise.allSettled(
    people.map((person, index) => gate.decide({ approvalId, decision: choose(index) }, person)),
  );
  const won = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const lost = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as CountersignError] : []));
  return { won, lost };
}

onEachStore("races", (world) => {
  it("invariant I4: 64 approvers at once make one resolution, and all others learn who decided", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const approvalId = await ask(gate);
    const { won, lost } = await race(gate, approvalId, () => "approve");
    expect(won).toHaveLength(1);
    const by = won[0]?.resolution?.by;
    expect(lost.map((error) => [error.code, error.details.decidedBy])).toEqual(
      Array.from({ length: MANY - 1 }, () => ["already_resolved", by]),
    );
    expect((await gate.resume(approvalId)).type).toBe("succeeded");
    expect(tool.runs).toHaveLength(1);
    expect((await entryTypes(gate)).filter((type) => type === "approval.resolved")).toHaveLength(1);
    expect(await gate.verify()).toMatchObject({ ok: true });
  });

  it("attack G10, invariant I4: approve and deny at once end in one of them, the same for everybody", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const approvalId = await ask(gate);
    const { won, lost } = await race(gate, approvalId, (index) => (index % 2 === 0 ? "approve" : "deny"));
    expect(won).toHaveLength(1);
    const by = won[0]?.resolution?.by;
    expect(new Set(lost.map((error) => error.details.decidedBy))).toEqual(new Set([by]));
    const told = await gate.resume(approvalId);
    expect(told.type).toBe(won[0]?.resolution?.type === "approved" ? "succeeded" : "denied");
    expect(tool.runs).toHaveLength(told.type === "succeeded" ? 1 : 0);
  });

  it("invariant I10: a quorum under races counts each person once", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool], audience: () => ({ quorum: 3, roles: ["approver"] }) });
    const approvalId = await ask(gate);
    const three = people.slice(0, 3);
    const votes = [...three, ...three, ...three].map((person) =>
      gate.decide({ approvalId, decision: "approve" }, person),
    );
    await Promise.allSettled(votes);
    expect((await gate.resume(approvalId)).type).toBe("succeeded");
    const { votes: counted3 } = await gate.approval(approvalId, people[0] as Person);
    expect(counted3.map((vote) => vote.userId).sort()).toEqual(["p0", "p1", "p2"]);
    expect(tool.runs).toHaveLength(1);
  });

  it("invariant I10: two persons voting again and again never make a quorum of three", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool], audience: () => ({ quorum: 3, roles: ["approver"] }) });
    const approvalId = await ask(gate);
    const two = Array.from({ length: 20 }, (_, index) => people[index % 2] as Person);
    await Promise.allSettled(two.map((person) => gate.decide({ approvalId, decision: "approve" }, person)));
    expect(await gate.resume(approvalId)).toMatchObject({ type: "pending" });
    expect(tool.runs).toEqual([]);
  });

  it("invariant I1: 64 claims of one token at once make one execution", async () => {
    const gate = world.gate({ tools: [remote()] });
    const { approvalId } = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "7" } }));
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    const { token } = expectPending(await gate.resume(approvalId));
    const tokenId = token?.tokenId as string;
    const codes = await Promise.all(Array.from({ length: MANY }, () => codeOf(gate.claim({ approvalId, tokenId }))));
    expect(codes.filter((code) => code === "no error")).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["no error", "already_claimed"]));
    expect((await entryTypes(gate)).filter((type) => type === "call.claimed")).toHaveLength(1);
  });

  it("attack G10: approve and cancel at once: it ran and cannot be withdrawn, or it was withdrawn and never ran", async () => {
    for (let round = 0; round < 10; round++) {
      const tool = counted();
      const gate = world.gate({ tools: [tool] });
      const approvalId = await ask(gate);
      const both = [
        () => codeOf(gate.decide({ approvalId, decision: "approve" }, BOB)),
        () => codeOf(gate.cancel({ approvalId }, CALLER)),
      ];
      if (round % 2 === 1) both.reverse();
      const codes = await Promise.all(both.map((act) => act()));
      expect(codes.sort()).toEqual(["already_resolved", "no error"]);
      const told = await gate.resume(approvalId);
      expect(["succeeded", "cancelled"]).toContain(told.type);
      expect(tool.runs).toHaveLength(told.type === "succeeded" ? 1 : 0);
    }
  });

  it("attack G10: approve and expire at once: exactly one of them holds", async () => {
    for (const early of [0, 1]) {
      const clock = new ManualClock();
      const tool = counted();
      const gate = world.gate({ tools: [tool], clock });
      const approvalId = await ask(gate);
      await clock.advance(300_000 - early);
      const [code] = await Promise.all([codeOf(gate.decide({ approvalId, decision: "approve" }, ANN)), gate.sweep()]);
      await clock.advance(1_000);
      const told = await gate.resume(approvalId);
      expect([code, told.type]).toEqual(early === 1 ? ["no error", "succeeded"] : ["expired", "expired"]);
      expect(tool.runs).toHaveLength(early);
    }
  });

  it("invariant I1: many gates that host the same tool start an approved call once", async () => {
    const tool = counted();
    const first = world.gate({ tools: [tool] });
    const approvalId = await ask(first);
    await Promise.all([
      first.decide({ approvalId, decision: "approve" }, ANN),
      ...Array.from({ length: 8 }, () => first.sweep()),
    ]);
    expect((await first.resume(approvalId)).type).toBe("succeeded");
    expect(tool.runs).toHaveLength(1);
  });

  it("64 identical calls at once join one question", async () => {
    const gate = world.gate({ tools: [counted()] });
    const ids = await Promise.all(Array.from({ length: MANY }, () => ask(gate)));
    expect(new Set(ids).size).toBe(1);
    expect((await gate.pending(ANN)).length).toBe(1);
  });

  it("seed C27: the limit of open questions holds under races", async () => {
    const gate = world.gate({ tools: [counted()], limits: { pendingPerUser: 5 } });
    const codes = await Promise.all(Array.from({ length: MANY }, (_, index) => codeOf(ask(gate, String(index)))));
    expect(codes.filter((code) => code === "no error")).toHaveLength(5);
    expect((await gate.pending(ANN)).length).toBe(5);
  });
});
