import { expect, it } from "vitest";
import type { Member, People } from "../../src/core/ports.js";
import { ANN, ask, BOB, CALLER, CAT, codeOf, counted, DAN, expectPending, onEachStore, remote } from "./support.js";

class Directory implements People {
  readonly members = new Map<string, Member>();

  constructor(members: Record<string, readonly string[]>) {
    for (const [userId, roles] of Object.entries(members)) this.members.set(userId, { roles, groups: [] });
  }

  async member(_workspaceId: string, userId: string): Promise<Member | undefined> {
    return this.members.get(userId);
  }

  async reachable(_workspaceId: string, audience: Parameters<People["reachable"]>[1]): Promise<boolean> {
    const able = [...this.members].filter(
      ([userId, { roles }]) =>
        !audience.barred.includes(userId) &&
        (audience.persons.includes(userId) || roles.some((role) => audience.roles.includes(role))),
    );
    return able.length >= audience.quorum;
  }
}

onEachStore("ids with slashes", (world) => {
  it("invariant I11: show nobody the history of another workspace whose names run together the same way", async () => {
    const tool = counted({ name: "tasks.update", riskTier: "R1" });
    const gate = world.gate({ tools: [tool] });
    const theirs = { ...CALLER, workspaceId: "acme/web", userId: "ann" };
    await gate.run({ tool: "tasks.update", args: { id: "7" } }, theirs);
    expect(await gate.history({ kind: "person", userId: "ann", workspaceId: "acme/web" })).toHaveLength(1);
    expect(await gate.history({ kind: "person", userId: "web/ann", workspaceId: "acme" })).toEqual([]);
  });
});

onEachStore("a directory of people", (world) => {
  it("counts only the roles that the directory knows, whatever a request says of itself", async () => {
    const people = new Directory({ ann: [], bob: ["approver"], dan: ["member"] });
    const gate = world.gate({ tools: [counted()], people });
    const approvalId = await ask(gate);
    const posing = { ...DAN, roles: ["owner"] };
    expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, posing))).toBe("user_mismatch");
    expect(await codeOf(gate.approval(approvalId, posing))).toBe("user_mismatch");
    expect(await codeOf(gate.card(approvalId, posing))).toBe("user_mismatch");
    expect(await gate.pending(posing)).toEqual([]);
    expect(await codeOf(gate.settle(approvalId, posing))).toBe("user_mismatch");
    expect(await codeOf(gate.askAgain(approvalId, posing))).toBe("user_mismatch");
    expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, CAT))).toBe("user_mismatch");
    expect(await codeOf(gate.pause("home", false, CAT))).toBe("user_mismatch");
    const { roles: _unsaid, ...bare } = BOB;
    expect((await gate.pending(bare)).map((card) => card.approvalId)).toEqual([approvalId]);
    expect((await gate.decide({ approvalId, decision: "approve" }, bare)).resolution?.type).toBe("approved");
  });

  it("invariant I8: refuses with NO_APPROVER when nobody of the audience exists", async () => {
    const gate = world.gate({ tools: [counted()], people: new Directory({ dan: ["member"] }) });
    expect(await gate.submit({ tool: "tasks.delete", args: { id: "7" } })).toMatchObject({
      type: "denied",
      reason: expect.stringContaining("NO_APPROVER"),
    });
  });

  it("attack D6: whoever lost the role between the decision and the claim has not approved it", async () => {
    const people = new Directory({ ann: [], bob: ["approver"] });
    const gate = world.gate({ tools: [remote()], people });
    const { approvalId } = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "7" } }));
    await gate.decide({ approvalId, decision: "approve" }, BOB);
    const tokenOf = async () => expectPending(await gate.resume(approvalId)).token?.tokenId as string;
    people.members.set("bob", { roles: ["member"], groups: [] });
    expect(await codeOf(gate.claim({ approvalId, tokenId: await tokenOf() }))).toBe("authority_lost");
    people.members.delete("bob");
    expect(await codeOf(gate.claim({ approvalId, tokenId: await tokenOf() }))).toBe("authority_lost");
    people.members.set("bob", { roles: ["approver"], groups: [] });
    expect((await gate.claim({ approvalId, tokenId: await tokenOf() })).args).toEqual({ id: "7" });
  });

  it("attack D6: a hosted call is not started when an earlier voter lost the role", async () => {
    const tool = counted();
    const people = new Directory({ ann: [], bob: ["approver"], cat: ["owner"] });
    const gate = world.gate({ tools: [tool], people, audience: () => ({ quorum: 2 }) });
    const approvalId = await ask(gate);
    await gate.decide({ approvalId, decision: "approve" }, BOB);
    people.members.set("bob", { roles: [], groups: [] });
    await gate.decide({ approvalId, decision: "approve" }, CAT);
    await gate.sweep();
    expect(tool.runs).toEqual([]);
    expect(await gate.approval(approvalId, ANN)).toMatchObject({ state: "approved" });
    await gate.cancel({ approvalId }, CALLER);
  });
});
