import { describe, expect, it } from "vitest";
import type { DecisionScope, Gate, People, Pin } from "../../src/index.js";
import { ANN, BOB, codeOf, entries, newGate, pendingId, recorded, StillClock, submit, verdictOf } from "./support.js";

const MINUTE = 60_000;

/** Asks once, and approves with the scope. */
async function give(gate: Gate, scope: DecisionScope, person = ANN, args: object = {}) {
  const approvalId = pendingId(await submit(gate, "first", {}, args));
  const decided = await gate.decide({ approvalId, decision: "approve", scope }, person);
  await gate.resume(approvalId);
  return decided;
}

describe("grants", () => {
  it("a yes for the session runs this call and spares the next ones, each with its own record", async () => {
    const { tool, runs } = recorded();
    const gate = newGate({ tools: [tool] });
    const { grant } = await give(gate, { kind: "session" });
    expect(grant?.text).toContain("helper may run notes.add in this session without asking, with any arguments");
    expect(await verdictOf(submit(gate, "a"))).toBe("ran");
    expect(await verdictOf(submit(gate, "b"))).toBe("ran");
    expect(runs).toEqual(["first", "a", "b"]);
    expect(await gate.grants(ANN)).toMatchObject([{ tool: "notes.add", used: 2, givenBy: "ann" }]);
    const log = await entries(gate);
    expect(log.filter(({ type }) => type === "call.allowed").map(({ content }) => content.rules)).toEqual([
      [`grant:${grant?.grantId}`],
      [`grant:${grant?.grantId}`],
    ]);
    expect(log.find(({ type }) => type === "grant.created")?.content).toMatchObject({ weakening: true, by: "ann" });
    expect((await gate.verify("home")).ok).toBe(true);
  });

  it("attack C10: a call that runs elsewhere cannot be claimed once the grant that let it through has ended", async () => {
    const clock = new StillClock();
    const { tool } = recorded("R2", { execute: undefined });
    const gate = newGate({ tools: [tool], clock });
    const approvalId = pendingId(await submit(gate, "first"));
    await gate.decide({ approvalId, decision: "approve", scope: { kind: "minutes" } }, ANN);
    clock.time += 15 * MINUTE - 1;
    const allowed = await submit(gate, "just in time");
    if (allowed.type !== "pending" || allowed.token === undefined) throw new Error("it was not let through");
    const claim = { approvalId: allowed.approvalId, tokenId: allowed.token.tokenId };
    clock.time += 1;
    expect(await codeOf(gate.claim(claim))).toBe("expired");
  });

  it("attack C10: a grant covers until its last millisecond and not one more", async () => {
    const clock = new StillClock();
    const { tool } = recorded();
    const gate = newGate({ tools: [tool], clock });
    await give(gate, { kind: "minutes" });
    clock.time += 15 * MINUTE - 1;
    expect(await verdictOf(submit(gate, "just in time"))).toBe("ran");
    clock.time += 1;
    expect(await verdictOf(submit(gate, "too late"))).toBe("pending");
    expect(await gate.grants(ANN)).toEqual([]);
  });

  it("attack C10: an expiry between judging and starting is found by the store", async () => {
    const clock = new StillClock();
    const { tool } = recorded();
    // Other sources are asked after the grants: time passes there.
    let passing = 0;
    const gate = newGate({
      tools: [tool],
      clock,
      sources: [
        async () => {
          clock.time += passing;
          return [];
        },
      ],
    });
    await give(gate, { kind: "minutes", minutes: 1 });
    passing = MINUTE;
    expect(await verdictOf(submit(gate, "late"))).toBe("pending");
  });

  it.each([
    ["a forked session", { sessionId: "s2" }],
    ["a child agent", { lineage: ["helper"] }],
    ["another agent", { agentId: "other" }],
    ["another person", { userId: "bob" }],
  ])("attack C10: %s does not inherit a grant", async (_who, caller) => {
    for (const scope of [{ kind: "session" }, { kind: "minutes" }, { kind: "uses", uses: 5 }] as const) {
      const { tool, runs } = recorded();
      const gate = newGate({ tools: [tool] });
      await give(gate, scope);
      expect(await verdictOf(submit(gate, "x", caller))).toBe("pending");
      expect(runs).toEqual(["first"]);
    }
  });

  it("attack C10: a changed tool is not the tool a grant was given for", async () => {
    const clock = new StillClock();
    const first = newGate({ tools: [recorded().tool], clock });
    await give(first, { kind: "session" });
    const second = newGate({ tools: [recorded("R2", { version: "2" }).tool], store: first.store, clock });
    expect(await verdictOf(submit(second, "x"))).toBe("pending");
  });

  it("attack C10: a giver who lost the role gives nothing any more", async () => {
    const roles: Record<string, readonly string[]> = { ann: [], bob: ["approver"] };
    const people: People = {
      member: async (_workspace, userId) => (roles[userId] ? { roles: roles[userId], groups: [] } : undefined),
      reachable: async () => true,
    };
    const gate = newGate({ tools: [recorded().tool], people });
    await give(gate, { kind: "session" }, BOB);
    expect(await verdictOf(submit(gate, "x"))).toBe("ran");
    roles.bob = ["member"];
    expect(await verdictOf(submit(gate, "y"))).toBe("pending");
    delete roles.bob;
    expect(await verdictOf(submit(gate, "z"))).toBe("pending");
  });

  it("attack C10: a grant holds under the policy it was given under", async () => {
    let version = "1";
    const gate = newGate({ tools: [recorded().tool], policyVersion: () => version });
    await give(gate, { kind: "session" });
    expect(await verdictOf(submit(gate, "x"))).toBe("ran");
    version = "2";
    expect(await verdictOf(submit(gate, "y"))).toBe("pending");
  });

  it("attack C10: a riskier call of the same tool is not covered, and R4 never", async () => {
    let found: "R3" | "R4" | undefined;
    const text = "found";
    const gate = newGate({
      tools: [recorded().tool],
      analysers: [async () => (found === undefined ? [] : [{ source: "analyser", code: "x", riskTier: found, text }])],
    });
    await give(gate, { kind: "session" });
    found = "R3";
    expect(await verdictOf(submit(gate, "x"))).toBe("pending");
    found = "R4";
    const approvalId = pendingId(await submit(gate, "y"));
    for (const scope of [{ kind: "session" }, { kind: "workspace", acknowledged: true }] as const)
      expect(await codeOf(gate.decide({ approvalId, decision: "approve", scope }, ANN))).toBe("unsupported_scope");
    expect((await gate.card(approvalId, ANN))?.approvalId).toBe(approvalId);
  });

  it("revoking takes effect at once, in every process on the same store", async () => {
    const { tool } = recorded();
    const gate = newGate({ tools: [tool] });
    const other = newGate({ tools: [tool], store: gate.store });
    const { grant } = await give(gate, { kind: "session" });
    expect(await verdictOf(submit(other, "x"))).toBe("ran");
    await gate.revokeGrant(grant?.grantId ?? "", BOB);
    // The other process still believes in the grant; the store's epoch makes it look again.
    expect(await verdictOf(submit(other, "y"))).toBe("pending");
    expect(await codeOf(gate.revokeGrant(grant?.grantId ?? "", BOB))).toBe("not_found");
    const stranger = { ...ANN, userId: "dan" };
    const second = await give(gate, { kind: "session" });
    expect(await codeOf(gate.revokeGrant(second.grant?.grantId ?? "", stranger))).toBe("user_mismatch");
    expect(await gate.grants(stranger)).toEqual([]);
  });

  it("a grant for the workspace holds in every session, for those whom its giver may answer", async () => {
    const { tool } = recorded();
    const gate = newGate({ tools: [tool] });
    const { grant } = await give(gate, { kind: "workspace" });
    expect(grant?.warnings).toHaveLength(1);
    expect(await verdictOf(submit(gate, "x", { sessionId: "s2" }))).toBe("ran");
    // Ann may approve what is done for her, not what is done for Bob.
    expect(await verdictOf(submit(gate, "y", { sessionId: "s2", userId: "bob" }))).toBe("pending");
  });

  it("at R3 a grant is for the same arguments unless pins say otherwise, and the workspace has to be acknowledged", async () => {
    const gate = newGate({ tools: [recorded("R3").tool] });
    const approvalId = pendingId(await submit(gate, "first"));
    const approve = (scope: DecisionScope) => gate.decide({ approvalId, decision: "approve", scope }, ANN);
    expect(await codeOf(approve({ kind: "workspace" }))).toBe("unsupported_scope");
    expect((await approve({ kind: "session" })).grant?.text).toContain("exactly the arguments");
    await gate.resume(approvalId);
    expect(await verdictOf(submit(gate, "first"))).toBe("ran");
    expect(await verdictOf(submit(gate, "second"))).toBe("pending");
    expect(await verdictOf(submit(gate, "first", {}, { amount: 1 }))).toBe("pending");
  });

  it("says in both languages what it would cover, before it is given", async () => {
    const gate = newGate({ tools: [recorded("R3").tool] });
    const approvalId = pendingId(await submit(gate, "a", {}, { amount: 20 }));
    const pins: Pin[] = [{ path: "amount", op: "max", value: 50 }];
    const scope = { kind: "uses", uses: 3, pins } as const;
    const said = async (locale: "en" | "zh") => (await gate.describeGrant(approvalId, scope, ANN, locale)).text;
    expect(await said("en")).toBe(
      "For 24 hours, helper may run notes.add 3 more times in this session without asking, with amount at most 50. " +
        "Calls riskier than “Leaves this place” still ask.",
    );
    expect(await said("zh")).toBe(
      "24 小时内，helper 在本次会话中可以再 3 次直接运行 notes.add 而不再询问：amount 不超过 50。" +
        "风险高于“对外或花费”的操作仍会询问。",
    );
    expect(await gate.grants(ANN)).toEqual([]);
  });

  it("once it stands, leaves its end to `until`, which each reader sees by their own clock", async () => {
    const gate = newGate({ tools: [recorded("R3").tool] });
    const approvalId = pendingId(await submit(gate, "a"));
    const { grant } = await gate.decide({ approvalId, decision: "approve", scope: { kind: "uses", uses: 3 } }, ANN);
    expect(grant?.text).toMatch(/^For 24 hours, helper may run notes\.add 3 more times/);
    const said = async (locale: "en" | "zh") => (await gate.grants(ANN, locale))[0];
    expect(await said("en")).toMatchObject({
      text: expect.stringMatching(/^helper may run notes\.add 3 times in all in this session without asking/),
      until: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
    });
    expect((await said("zh"))?.text).toMatch(/^helper 在本次会话中可以共 3 次直接运行 notes\.add/);
  });

  it("pins only narrow: the call shown has to be within them, and so has every later one", async () => {
    const gate = newGate({ tools: [recorded("R3").tool] });
    const approvalId = pendingId(await submit(gate, "a", {}, { amount: 20 }));
    const approve = (value: number) =>
      gate.decide(
        { approvalId, decision: "approve", scope: { kind: "session", pins: [{ path: "amount", op: "max", value }] } },
        ANN,
      );
    expect(await codeOf(approve(10))).toBe("unsupported_scope");
    await approve(50);
    await gate.resume(approvalId);
    expect(await verdictOf(submit(gate, "b", {}, { amount: 50 }))).toBe("ran");
    expect(await verdictOf(submit(gate, "c", {}, { amount: 51 }))).toBe("pending");
    expect(await verdictOf(submit(gate, "d", {}, { amount: -1 }))).toBe("pending");
    expect(await verdictOf(submit(gate, "e"))).toBe("pending");
  });

  it("N uses are N uses, and a failed call gives its own back", async () => {
    let fails = false;
    const gate = newGate({
      tools: [
        recorded("R2", {
          execute: () => {
            if (fails) throw new Error("no");
          },
        }).tool,
      ],
    });
    await give(gate, { kind: "uses", uses: 2 });
    fails = true;
    expect((await submit(gate, "a")).type).toBe("failed");
    fails = false;
    expect(await verdictOf(submit(gate, "b"))).toBe("ran");
    expect(await verdictOf(submit(gate, "c"))).toBe("ran");
    expect(await verdictOf(submit(gate, "d"))).toBe("pending");
    expect(await gate.grants(ANN)).toMatchObject([{ used: 2, uses: 2 }]);
  });

  it("is not given where it would mean more than its giver could say", async () => {
    const two = newGate({ tools: [recorded().tool], audience: () => ({ quorum: 2 }) });
    const first = pendingId(await submit(two, "a"));
    const scope = { kind: "session" } as const;
    expect(await codeOf(two.decide({ approvalId: first, decision: "approve", scope }, ANN))).toBe("unsupported_scope");
    const always = newGate({ tools: [recorded().tool] });
    await always.updateSettings({ tools: { "notes.add": { confirm: "always" } } }, ANN);
    const second = pendingId(await submit(always, "a"));
    expect(await codeOf(always.decide({ approvalId: second, decision: "approve", scope }, ANN))).toBe(
      "unsupported_scope",
    );
  });

  it("a refused step-up gives no grant and approves nothing", async () => {
    const { tool, runs } = recorded();
    const gate = newGate({
      tools: [tool],
      weaken: async (_person, act) => {
        throw new Error(`${act} needs a passkey`);
      },
    });
    const approvalId = pendingId(await submit(gate, "a"));
    await expect(gate.decide({ approvalId, decision: "approve", scope: { kind: "session" } }, ANN)).rejects.toThrow(
      "grant.created needs a passkey",
    );
    expect(runs).toEqual([]);
    expect(await gate.pending(ANN)).toHaveLength(1);
  });

  it.each([
    { kind: "forever" },
    { kind: "once", minutes: 5 },
    { kind: "minutes", minutes: 0 },
    { kind: "minutes", minutes: 1441 },
    { kind: "minutes", minutes: "15" },
    { kind: "uses" },
    { kind: "uses", uses: 1.5 },
    { kind: "uses", uses: 1001 },
    { kind: "session", uses: 3 },
    { kind: "session", pins: "all" },
    { kind: "session", pins: [{ path: "id", op: "matches", value: "a" }] },
    { kind: "session", pins: [{ path: "id", op: "equals", value: "first", or: 1 }] },
    { kind: "session", pins: [{ path: "*", op: "equals", value: "x" }] },
    { kind: "session", pins: [{ path: "amount", op: "max", value: "9" }] },
    { kind: "workspace", acknowledged: "yes" },
    null,
    "session",
  ])("a scope that is not exactly one of ours decides nothing: %j", async (scope) => {
    const { tool, runs } = recorded();
    const gate = newGate({ tools: [tool] });
    const approvalId = pendingId(await submit(gate, "first"));
    expect(await codeOf(gate.decide({ approvalId, decision: "approve", scope: scope as never }, ANN))).toBe(
      "unsupported_scope",
    );
    expect(runs).toEqual([]);
    expect(await gate.grants(ANN)).toEqual([]);
  });

  it("expired grants are put away, with an entry", async () => {
    const clock = new StillClock();
    const gate = newGate({ tools: [recorded().tool], clock });
    await give(gate, { kind: "minutes" });
    clock.time += 16 * MINUTE;
    await gate.sweep();
    expect((await entries(gate)).map(({ type }) => type)).toContain("grant.ended");
    expect(await gate.store.list("standing/home", "", 10)).toEqual([]);
  });
});

describe("pins", () => {
  const cases: readonly [Pin, unknown, boolean][] = [
    [{ path: "id", op: "prefix", value: "/a/b" }, "/a/b/c", true],
    [{ path: "id", op: "prefix", value: "/a/b" }, "/a/bc", false],
    [{ path: "id", op: "prefix", value: "/a/b" }, "/a/b/../x", false],
    [{ path: "id", op: "prefix", value: "/a/b" }, "/a/b\\..\\x", false],
    [{ path: "id", op: "host", value: "example.com" }, "https://example.com/x", true],
    [{ path: "id", op: "host", value: "example.com" }, "https://example.com.evil.org/", false],
    [{ path: "id", op: "host", value: "example.com" }, "https://example.com@evil.org/", false],
    [{ path: "id", op: "host", value: "*.example.com" }, "https://a.example.com/", true],
    [{ path: "id", op: "host", value: "*.example.com" }, "https://example.com/", false],
    [{ path: "id", op: "host", value: "example.com" }, "ann@example.com", true],
    [{ path: "id", op: "host", value: "example.com" }, "ann@evil.org, x@example.com", false],
    [{ path: "id", op: "oneOf", value: ["a", "b"] }, "b", true],
    [{ path: "id", op: "oneOf", value: ["a", "b"] }, "c", false],
    [{ path: "constructor", op: "equals", value: "a" }, "a", false],
  ];
  it.each(cases)("%j on %j: %s", async (pin, id, within) => {
    const { pinsHold } = await import("../../src/core/judging/pins.js");
    expect(pinsHold([pin], { id } as never)).toBe(within);
  });
});
