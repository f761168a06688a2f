import { expect, it } from "vitest";
import { type Decision, defineTool, type Gate, type Person, type Requirement } from "../../src/index.js";
import { ANN, ask, BOB, CALLER, CAT, codeOf, counted, DAN, entryTypes, expectPending, onEachStore } from "./support.js";

const TWO_OF_THREE: Requirement = { quorum: 2, persons: ["ann", "bob", "cat"] };
const hashOf = async (gate: Gate, approvalId: string, person: Person) =>
  (await gate.approval(approvalId, person)).toolCallHash;

onEachStore("deciding", (world) => {
  it("seed A14, A15, invariant I11: names not_found, family_mismatch and user_mismatch apart", async () => {
    const gate = world.gate({ tools: [counted()] });
    const approvalId = await ask(gate);
    const approve: Decision = { approvalId, decision: "approve" };
    expect(await codeOf(gate.decide({ ...approve, approvalId: "nothing" }, ANN))).toBe("not_found");
    expect(await codeOf(gate.decide(approve, { ...ANN, workspaceId: "work" }))).toBe("family_mismatch");
    expect(await codeOf(gate.decide(approve, DAN))).toBe("user_mismatch");
    expect(await codeOf(gate.approval(approvalId, DAN))).toBe("user_mismatch");
    expect(await codeOf(gate.card(approvalId, { ...ANN, workspaceId: "work" }))).toBe("family_mismatch");
    expect(await codeOf(gate.resume(approvalId, { ...CALLER, userId: "bob" }))).toBe("user_mismatch");
    expect(await codeOf(gate.resume(approvalId, { ...CALLER, sessionId: "s2" }))).toBe("user_mismatch");
    expect(await codeOf(gate.cancel({ approvalId }, { ...CALLER, workspaceId: "work" }))).toBe("family_mismatch");
    expect(await gate.resume(approvalId)).toMatchObject({ type: "pending" });
  });

  it("invariant I10: whatever is not a person cannot decide", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const approvalId = await ask(gate);
    for (const kind of ["agent", "key", undefined]) {
      const who = { ...ANN, kind } as unknown as Person;
      expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, who))).toBe("user_mismatch");
    }
    expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, null as never))).toBe("user_mismatch");
    expect(tool.runs).toEqual([]);
  });

  it("seed A12, X2: a confirmation token finds the approval, is spent with it, and authorises nobody", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const { confirmationToken = "" } = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "7" } }));
    expect(confirmationToken).toMatch(/^pa_[0-9a-f]{32}$/);
    expect(await codeOf(gate.decide({ confirmationToken, decision: "approve" }, DAN))).toBe("user_mismatch");
    const wrong = `pa_${"0".repeat(32)}`;
    expect(await codeOf(gate.decide({ confirmationToken: wrong, decision: "approve" }, ANN))).toBe("not_found");
    expect((await gate.decide({ confirmationToken, decision: "approve" }, ANN)).resolution?.type).toBe("approved");
    expect(await codeOf(gate.decide({ confirmationToken, decision: "approve" }, ANN))).toBe("already_resolved");
  });

  it("flaw F-C6: a decision of any other form decides nothing", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const approvalId = await ask(gate);
    const approve = { approvalId, decision: "approve" };
    for (const bad of [
      { ...approve, decision: "Approve" },
      { ...approve, decision: true },
      { ...approve, decision: ["approve"] },
      { ...approve, confirmed: "false" },
      { ...approve, approvalId: [approvalId] },
      { ...approve, scope: "once" },
      { ...approve, scope: { kind: "once", uses: 9 } },
      { ...approve, scope: null },
      { ...approve, reason: 5 },
      null,
      [],
    ]) {
      expect(await codeOf(gate.decide(bad as never, ANN))).toMatch(/^(invalid_decision|unsupported_scope)$/);
    }
    for (const kind of ["session", "minutes", "uses", "workspace", "forever"]) {
      const scoped = { ...approve, scope: { kind } } as never;
      expect(await codeOf(gate.decide(scoped, ANN))).toBe("unsupported_scope");
    }
    expect(tool.runs).toEqual([]);
    expect(await gate.resume(approvalId)).toMatchObject({ type: "pending" });
  });

  it("invariant I4: a late answer is told who decided", async () => {
    const gate = world.gate({ tools: [counted()] });
    const approvalId = await ask(gate);
    await gate.decide({ approvalId, decision: "deny" }, BOB);
    await expect(gate.decide({ approvalId, decision: "approve" }, ANN)).rejects.toMatchObject({
      code: "already_resolved",
      details: { decidedBy: "bob" },
      message: expect.stringContaining("denied by bob"),
    });
  });

  it("seed A28, D29: many decisions at once, one result each, one refused harming no other", async () => {
    const tool = counted({ name: "tasks.finish", riskTier: "R3" });
    const gate = world.gate({ tools: [tool] });
    for (const id of ["1", "2", "3"]) await gate.submit({ tool: "tasks.finish", args: { id } });
    const cards = await gate.pending(ANN);
    const ids = cards.map((card) => card.approvalId);
    const toolCallHash = cards[0]?.toolCallHash ?? "";
    const results = await gate.decideAll(
      [
        { approvalId: ids[0] as string, toolCallHash, decision: "approve" },
        { approvalId: "nothing", toolCallHash, decision: "approve" },
        { approvalId: ids[1] as string, decision: "deny" },
      ],
      ANN,
    );
    expect(results.map((result) => (result.ok ? result.resolution?.type : result.error.code))).toEqual([
      "approved",
      "not_found",
      "denied",
    ]);
    await gate.resume(ids[0] as string);
    expect(tool.runs).toEqual([{ id: "1" }]);
    expect(await gate.decideAll([], ANN)).toEqual([]);
    expect((await gate.pending(ANN)).map((card) => card.approvalId)).toEqual([ids[2]]);
  });

  it("invariant I10: two of three means two different persons", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool], audience: () => TWO_OF_THREE });
    const approvalId = await ask(gate);
    const approve: Decision = { approvalId, decision: "approve" };
    expect(await gate.decide(approve, BOB)).toMatchObject({ state: "pending", votes: 1, quorum: 2 });
    expect(await gate.decide(approve, BOB)).toMatchObject({ state: "pending", votes: 1 });
    expect(await codeOf(gate.decide(approve, DAN))).toBe("user_mismatch");
    expect(tool.runs).toEqual([]);
    expect(await gate.decide(approve, CAT)).toMatchObject({ votes: 2, resolution: { type: "approved", by: "cat" } });
    expect((await gate.resume(approvalId)).type).toBe("succeeded");
    expect(tool.runs).toHaveLength(1);
  });

  it("invariant I10: the barred requester may deny but counts zero for approval", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool], audience: () => ({ notRequester: true }) });
    const approvalId = await ask(gate);
    expect(await codeOf(gate.decide({ approvalId, decision: "approve" }, ANN))).toBe("self_approval");
    expect(tool.runs).toEqual([]);
    expect((await gate.decide({ approvalId, decision: "deny" }, ANN)).state).toBe("denied");
  });

  it("takes a vote back while others are awaited, and ends an approval that was not claimed yet", async () => {
    const gate = world.gate({ tools: [counted()], audience: () => TWO_OF_THREE });
    const approvalId = await ask(gate);
    await gate.decide({ approvalId, decision: "approve" }, BOB);
    expect(await codeOf(gate.withdraw(approvalId, CAT))).toBe("not_found");
    expect(await gate.withdraw(approvalId, BOB)).toMatchObject({ state: "pending", votes: 0 });
    expect(await gate.decide({ approvalId, decision: "approve" }, CAT)).toMatchObject({ state: "pending", votes: 1 });

    const elsewhere = defineTool({ name: "files.delete", destructive: true });
    const other = world.gate({ tools: [elsewhere] });
    const held = expectPending(await other.submit({ tool: "files.delete", args: {} }));
    await other.decide({ approvalId: held.approvalId, decision: "approve" }, ANN);
    expect(await other.withdraw(held.approvalId, ANN)).toMatchObject({ state: "cancelled" });
    expect(await other.resume(held.approvalId)).toMatchObject({ type: "cancelled", code: "TOOL_CANCELLED" });
  });

  it("cannot take back what has started", async () => {
    const gate = world.gate({ tools: [counted()] });
    const approvalId = await ask(gate);
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    expect(await codeOf(gate.withdraw(approvalId, ANN))).toBe("already_resolved");
    expect(await codeOf(gate.cancel({ approvalId }))).toBe("already_resolved");
    expect((await gate.resume(approvalId)).type).toBe("succeeded");
  });

  it("seed A29, flaw F-A4: an explicit cancel ends it, by id or token, for its requester alone", async () => {
    const gate = world.gate({ tools: [counted()] });
    const asked = expectPending(await gate.submit({ tool: "tasks.delete", args: { id: "7" } }));
    expect(await codeOf(gate.cancel({ approvalId: asked.approvalId }, { ...CALLER, agentId: "x" }))).toBe(
      "user_mismatch",
    );
    const token = asked.confirmationToken as string;
    const ended = await gate.cancel({ confirmationToken: token }, CALLER, "changed my mind");
    expect(ended).toMatchObject({ type: "cancelled", message: expect.stringContaining("changed my mind") });
    expect(await codeOf(gate.decide({ approvalId: asked.approvalId, decision: "approve" }, ANN))).toBe(
      "already_resolved",
    );
    expect(await codeOf(gate.cancel({}))).toBe("not_found");
  });

  it("seed D14, flaw F-D4: edited arguments run, and the agent is told what a person changed", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const waiting = gate.run({ tool: "tasks.delete", args: { id: "7" } });
    const approvalId = await ask(gate);
    const before = await hashOf(gate, approvalId, ANN);
    const decided = await gate.decide(
      { approvalId, decision: "approve", toolCallHash: before, args: { id: "8" } },
      ANN,
    );
    expect(decided).toMatchObject({ revision: 2, resolution: { type: "approved" } });
    expect(decided.toolCallHash).not.toBe(before);
    expect(await waiting).toMatchObject({
      type: "succeeded",
      result: { deleted: "8" },
      message: 'Ran once with changed arguments: id: "7" → "8". A person changed them; use these from now on.',
    });
    expect(tool.runs).toEqual([{ id: "8" }]);
    const card = await gate.card(approvalId, ANN);
    expect(card?.diff).toEqual([{ type: "replace", label: "id", title: "Task", before: '"7"', after: '"8"' }]);
    expect(await entryTypes(gate)).toContain("approval.edited");
    expect(await gate.verify()).toMatchObject({ ok: true });
  });

  it("flaw F-D4: edited arguments pass schema and policy again, and cannot be edited while denying", async () => {
    const tool = counted();
    const gate = world.gate({
      tools: [tool],
      sources: [
        async ({ args }) =>
          (args as { id: string }).id === "root" ? [{ type: "deny", step: "deny_rule", rules: ["no-root"] }] : [],
      ],
    });
    const approvalId = await ask(gate);
    const edit = (args: unknown): Decision => ({ approvalId, decision: "approve", args });
    expect(await codeOf(gate.decide(edit({ id: 8 }), ANN))).toBe("invalid_args");
    expect(await codeOf(gate.decide(edit({ id: "8", force: true }), ANN))).toBe("invalid_args");
    expect(await codeOf(gate.decide(edit({ id: "root" }), ANN))).toBe("policy_denied");
    expect(await codeOf(gate.decide({ approvalId, decision: "deny", args: { id: "8" } }, ANN))).toBe(
      "invalid_decision",
    );
    expect(await gate.approval(approvalId, ANN)).toMatchObject({ state: "pending", revision: 1 });
    expect(tool.runs).toEqual([]);
  });

  it("an edit voids earlier votes, bars its editor like a requester, and needs the new hash from then on", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool], audience: () => ({ ...TWO_OF_THREE, notRequester: true }) });
    const asked = await ask(gate, "7", { ...CALLER, userId: "dan" });
    const first = await hashOf(gate, asked, ANN);
    await gate.decide({ approvalId: asked, decision: "approve" }, ANN);
    const edited = await gate.decide({ approvalId: asked, decision: "approve", args: { id: "8" } }, BOB);
    expect(edited).toMatchObject({ state: "pending", revision: 2, votes: 0 });
    const approve: Decision = { approvalId: asked, decision: "approve" };
    expect(await codeOf(gate.decide(approve, ANN))).toBe("hash_required");
    expect(await codeOf(gate.decide({ ...approve, toolCallHash: first }, ANN))).toBe("hash_mismatch");
    const second = edited.toolCallHash;
    expect(await codeOf(gate.decide({ ...approve, toolCallHash: second }, BOB))).toBe("self_approval");
    expect(await gate.decide({ ...approve, toolCallHash: second }, ANN)).toMatchObject({ state: "pending", votes: 1 });
    expect(await gate.decide({ ...approve, toolCallHash: second }, CAT)).toMatchObject({ votes: 2 });
    expect((await gate.resume(asked, { ...CALLER, userId: "dan" })).type).toBe("succeeded");
    expect(tool.runs).toEqual([{ id: "8" }]);
  });

  it("an edit that changes nothing is a plain approval", async () => {
    const tool = counted();
    const gate = world.gate({ tools: [tool] });
    const approvalId = await ask(gate);
    expect(await gate.decide({ approvalId, decision: "approve", args: { id: "7" } }, ANN)).toMatchObject({
      revision: 1,
    });
    expect(await gate.resume(approvalId)).toMatchObject({ message: "Ran once." });
  });

  it("an edit may raise the tier and the number of approvers, never lower them", async () => {
    const gate = world.gate({
      tools: [counted()],
      sources: [
        async ({ args }) =>
          (args as { id: string }).id === "all"
            ? [{ type: "confirm", step: "always_confirm", rules: ["bulk"], requirement: { quorum: 2 } }]
            : [],
      ],
    });
    const approvalId = await ask(gate);
    expect(await gate.decide({ approvalId, decision: "approve", args: { id: "all" } }, ANN)).toMatchObject({
      state: "pending",
      votes: 1,
      quorum: 2,
    });
    const { toolCallHash } = await gate.approval(approvalId, ANN);
    const back = await gate.decide({ approvalId, decision: "approve", toolCallHash, args: { id: "7" } }, BOB);
    expect(back).toMatchObject({ state: "pending", votes: 1, quorum: 2, revision: 3 });
  });

  it("seed A24, C27: too many open questions of one person are refused, and an answer makes room", async () => {
    const gate = world.gate({ tools: [counted()], limits: { pendingPerUser: 2 } });
    const first = await ask(gate, "1");
    await ask(gate, "2");
    expect(await codeOf(ask(gate, "3"))).toBe("too_many_pending");
    await ask(gate, "3", { ...CALLER, userId: "bob" });
    await gate.decide({ approvalId: first, decision: "deny" }, ANN);
    await ask(gate, "3");
  });

  it("invariant I8: nobody to ask, or an impossible number of approvers, is refused", async () => {
    const tool = counted();
    const impossible: Requirement[] = [
      { persons: [] },
      { persons: [], roles: [], groups: [] },
      { persons: ["ann"], notRequester: true },
      { persons: ["ann", "bob"], quorum: 3 },
      { quorum: Number.NaN },
      { quorum: Number.POSITIVE_INFINITY },
      { quorum: 1.5 },
      { quorum: "2" as never },
    ];
    for (const requirement of impossible) {
      const gate = world.gate({ tools: [tool], audience: () => requirement });
      const refused = await gate.submit({ tool: "tasks.delete", args: { id: "7" } });
      expect(refused).toMatchObject({ type: "denied", reason: expect.stringContaining("NO_APPROVER") });
    }
    expect(tool.runs).toEqual([]);
  });
});
