import { expect, it } from "vitest";
import type { Member, People } from "../../src/core/ports.js";
import { ask, BOB, CALLER, CAT, codeOf, counted, DAN, expectPending, newFile, onEachStore, remote } from "./support.js";

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

  it.each(["the role", "the membership"])(
    "attack D6: whoever lost %s between the decision and the claim has not approved it, and others are asked (I2)",
    async (lost) => {
      const people = new Directory({ ann: [], bob: ["approver"], cat: ["owner"] });
      const gate = world.gate({ tools: [remote()], people });
      const { approvalId } = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "7" } }));
      await gate.decide({ approvalId, decision: "approve" }, BOB);
      const tokenOf = async () => expectPending(await gate.resume(approvalId)).token?.tokenId as string;
      const tokenId = await tokenOf();
      if (lost === "the role") people.members.set("bob", { roles: ["member"], groups: [] });
      else people.members.delete("bob");
      expect(await codeOf(gate.claim({ approvalId, tokenId }))).toBe("authority_lost");
      people.members.set("bob", { roles: ["approver"], groups: [] });
      expect(await codeOf(gate.claim({ approvalId, tokenId }))).toBe("already_resolved");
      const [card] = await gate.pending(CAT);
      expect(await gate.approval(card?.approvalId ?? "", CAT)).toMatchObject({ supersedes: approvalId, votes: [] });
      await gate.decide({ approvalId: card?.approvalId ?? "", decision: "approve" }, CAT);
      const claimed = { approvalId: card?.approvalId ?? "", tokenId: await tokenOf() };
      expect((await gate.claim(claimed)).args).toEqual({ id: "7" });
    },
  );

  it("attack D6: a vote does not count after its giver lost the role; one more person is waited for (I2, I10)", async () => {
    const tool = counted();
    const people = new Directory({ ann: [], bob: ["approver"], cat: ["owner"], dan: ["approver"] });
    const gate = world.gate({ tools: [tool], people, audience: () => ({ quorum: 2 }) });
    const approvalId = await ask(gate);
    await gate.decide({ approvalId, decision: "approve" }, BOB);
    people.members.set("bob", { roles: [], groups: [] });
    const second = await gate.decide({ approvalId, decision: "approve" }, CAT);
    expect(second).toMatchObject({ state: "pending", votes: 1, quorum: 2 });
    await gate.sweep();
    expect(tool.runs).toEqual([]);
    await gate.decide({ approvalId, decision: "approve" }, DAN);
    expect(await gate.resume(approvalId)).toMatchObject({ type: "succeeded" });
    expect(tool.runs).toHaveLength(1);
    expect(await gate.verify()).toMatchObject({ ok: true });
  });

  it("attack D6: a hosted call whose approver lost the role before it could start is put before others (I2)", async () => {
    const path = newFile();
    const tool = counted();
    const people = new Directory({ ann: [], bob: ["approver"], cat: ["owner"] });
    const hosting = world.gate({ tools: [tool], people }, path);
    const approvalId = await ask(hosting);
    const shared = hosting.store.promises().shared ? {} : { store: hosting.store };
    people.members.set("bob", { roles: [], groups: [] });
    const elsewhere = world.gate({ ...shared, people: new Directory({ bob: ["approver"] }) }, path);
    await elsewhere.decide({ approvalId, decision: "approve" }, BOB);
    await hosting.sweep();
    expect(tool.runs).toEqual([]);
    const [card] = await hosting.pending(CAT);
    expect(await hosting.approval(card?.approvalId ?? "", CAT)).toMatchObject({ supersedes: approvalId });
    const ended = { type: "cancelled", reason: expect.stringContaining("may no longer") };
    expect((await hosting.approval(approvalId, CAT)).resolution).toMatchObject(ended);
    await hosting.decide({ approvalId: card?.approvalId ?? "", decision: "approve" }, CAT);
    expect(await hosting.resume(approvalId)).toMatchObject({ type: "succeeded" });
    expect(tool.runs).toHaveLength(1);
  });
});
