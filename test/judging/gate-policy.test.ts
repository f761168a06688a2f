import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { definePolicy, gatePolicy, type PolicyDefinition } from "../../src/policy/index.js";
import {
  ANN,
  BOB,
  CALLER,
  codeOf,
  entries,
  newGate,
  pendingId,
  recorded,
  STORES,
  StillClock,
  submit,
  verdictOf,
} from "./support.js";

type Parts = Partial<Omit<PolicyDefinition, "version">>;

function policyOf({ rules = [{ id: "unrelated", when: 'tool == "other.tool"', effect: "deny" }], ...rest }: Parts) {
  return definePolicy({ version: 1, rules, ...rest });
}

function policed(parts: Parts, options: Parameters<typeof newGate>[0] = {}) {
  const policy = policyOf(parts);
  const { tool, runs } = recorded("R1");
  return { policy, runs, gate: newGate({ tools: [tool], ...options, ...gatePolicy(policy) }) };
}

describe("a gate under a policy", () => {
  it("refuses what a rule denies, with the rule's reason", async () => {
    const { gate, runs } = policed({ rules: [{ id: "no", when: 'args.id == "x"', effect: "deny", reason: "Not x." }] });
    expect(await submit(gate, "x")).toMatchObject({ type: "denied", message: expect.stringContaining("Not x.") });
    expect(await verdictOf(submit(gate, "y"))).toBe("ran");
    expect(runs).toEqual(["y"]);
  });

  it("asks the approvers that a rule names, as many as it wants, and nobody else", async () => {
    const approvers = { count: 2, roles: ["approver"], notRequester: true };
    const { gate, runs } = policed({ rules: [{ id: "two", when: true, effect: "confirm", approvers }] });
    const approvalId = pendingId(await submit(gate, "x"));
    const yes = { approvalId, decision: "approve" as const };
    expect(await codeOf(gate.decide(yes, { ...ANN, roles: ["approver"] }))).toBe("self_approval");
    expect(await codeOf(gate.decide(yes, { ...BOB, roles: ["owner"] }))).toBe("user_mismatch");
    expect((await gate.decide(yes, BOB)).state).toBe("pending");
    await gate.decide(yes, { ...BOB, userId: "eve" });
    expect((await gate.resume(approvalId)).type).toBe("succeeded");
    expect(runs).toEqual(["x"]);
  });

  it("raises a call, and lets one run that would ask", async () => {
    const raised = policed({ rules: [{ id: "big", when: "args.amount > 5.0", raise: "R3", reason: "A lot." }] });
    expect(await verdictOf(submit(raised.gate, "small", {}, { amount: 5 }))).toBe("ran");
    const card = await raised.gate.card(pendingId(await submit(raised.gate, "big", {}, { amount: 6 })), ANN);
    expect(card?.reasons[0]).toMatchObject({ code: "rule_raise", riskTier: "R3", text: "A lot." });

    const { tool } = recorded("R3");
    const allowing = policyOf({ rules: [{ id: "fine", when: 'app == "notes"', effect: "allow" }] });
    const gate = newGate({ tools: [tool], ...gatePolicy(allowing) });
    expect(await verdictOf(submit(gate, "x"))).toBe("ran");
  });

  it("attack C5: sessions work in the policy's scope, relative to where the gate runs, unless a person says another", async () => {
    const preview = ({ id }: { id: string }) => ({ effects: [], targets: [id], warnings: [] });
    const { tool } = recorded("R1", { preview });
    const scope = { paths: ["./src"], domains: ["example.com"] };
    const gate = newGate({ tools: [tool], ...gatePolicy(policyOf({ defaults: { scope } })) });
    expect(await verdictOf(submit(gate, resolve("src/a.ts")))).toBe("ran");
    expect(await verdictOf(submit(gate, "https://example.com/x"))).toBe("ran");
    const card = await gate.card(pendingId(await submit(gate, "/etc/hosts")), ANN);
    expect(card?.reasons[0]).toMatchObject({ code: "target_outside", riskTier: "R3" });
    await gate.setScope("s2", { paths: ["/etc"] }, ANN);
    expect(await verdictOf(submit(gate, "/etc/passwd", { sessionId: "s2" }))).toBe("ran");
  });

  it("asks above the policy's thresholds, and of two thresholds the stricter one holds", async () => {
    const { tool } = recorded("R1", { cost: ({ amount = 0 }: { amount?: number }) => amount });
    const parts = { defaults: { thresholds: { cost: 10 } } };
    for (const [cost, most] of [
      [100, 10],
      [5, 5],
    ] as const) {
      const gate = newGate({ tools: [tool], thresholds: { cost }, ...gatePolicy(policyOf(parts)) });
      expect(await verdictOf(submit(gate, "a", {}, { amount: most }))).toBe("ran");
      expect(await verdictOf(submit(gate, "b", {}, { amount: most + 1 }))).toBe("pending");
    }
  });

  it("takes a threshold that is left undefined for none at all, under a policy as without one", async () => {
    const thresholds = { confidence: undefined, cost: undefined } as never;
    const { tool } = recorded("R2");
    const policy = gatePolicy(policyOf({}));
    for (const gate of [newGate({ tools: [tool], thresholds }), newGate({ tools: [tool], thresholds, ...policy })]) {
      const stated = (confidence: number) => gate.submit({ tool: "notes.add", args: { id: "a" }, confidence });
      expect((await stated(0.84)).type).toBe("pending");
      expect((await stated(0.85)).type).toBe("succeeded");
    }
  });

  it("holds the policy's threshold of confidence for tools that state none", async () => {
    const parts = { defaults: { thresholds: { confidence: 0.95 } } };
    const stated = (confidence: number) => ({ tool: "notes.add", args: { id: String(confidence) }, confidence });
    const gate = newGate({ tools: [recorded("R2").tool], ...gatePolicy(policyOf(parts)) });
    expect((await gate.submit(stated(0.94))).type).toBe("pending");
    expect((await gate.submit(stated(0.95))).type).toBe("succeeded");
    const own = newGate({
      tools: [recorded("R2", { confidenceThreshold: 0.5 }).tool],
      ...gatePolicy(policyOf(parts)),
    });
    expect((await own.submit(stated(0.5))).type).toBe("succeeded");
  });

  it.each([
    ["the policy's default", undefined, undefined, [120_000, 240_000]],
    ["a rule's time before that", "10m", undefined, [600_000, 600_000]],
    ["the tool's before a rule's", "10m", 90_000, [90_000, 90_000]],
    ["a rule's that is shorter than the tool's", "1m", 90_000, [60_000, 60_000]],
  ] as const)("seed C22: a question waits for %s", async (_title, rule, own, [online, offline]) => {
    for (const connected of [true, false]) {
      const clock = new StillClock();
      const times = own === undefined ? {} : { ttl: own, offlineTtl: own };
      const policy = policyOf({
        defaults: { ttl: "2m", offlineTtl: "4m" },
        rules: [{ id: "ask", when: true, effect: "confirm", ...(rule === undefined ? {} : { ttl: rule }) }],
      });
      const gate = newGate({
        tools: [recorded("R1", times).tool],
        clock,
        online: () => connected,
        ...gatePolicy(policy, clock.now),
      });
      const { decideBy } = await gate.approval(pendingId(await submit(gate, "x")), ANN);
      expect(decideBy - clock.now()).toBe(connected ? online : offline);
    }
  });

  it("keeps what the host gives besides: nothing of it replaces a part of the policy", async () => {
    const policy = policyOf({
      rules: [
        { id: "raised", when: 'args.id == "raised"', raise: "R3" },
        { id: "denied", when: 'args.id == "denied"', effect: "deny" },
        { id: "one", when: true, budget: { limit: 3, per: "session" } },
      ],
    });
    const found = { source: "analyser", code: "odd", riskTier: "R3", text: "Odd." } as const;
    const gate = newGate({
      tools: [recorded("R1").tool],
      ...gatePolicy(policy),
      analysers: [async ({ args }) => (args.id === "odd" ? [found] : [])],
      sources: [],
      budgets: [{ id: "host", limit: 1, per: "user" }],
    });
    const verdicts = ["raised", "denied", "odd", "first", "second"].map((id) => verdictOf(submit(gate, id)));
    expect(await Promise.all(verdicts)).toEqual(["pending", "denied", "pending", "ran", "pending"]);
  });

  it.each([
    [2, 1],
    [1, 2],
  ])("counts budgets of %i and %i with one id together, and the smaller holds", async (host, rule) => {
    const budget = { limit: rule, per: "user", window: "1h" } as const;
    const budgets = [{ id: "calls", limit: host, per: "user", window: 3_600_000 }] as const;
    const { gate, runs } = policed({ rules: [{ id: "calls", when: "true", budget }] }, { budgets });
    expect(await verdictOf(submit(gate, "first"))).toBe("ran");
    const approvalId = pendingId(await submit(gate, "second"));
    expect((await gate.decide({ approvalId, decision: "approve" }, ANN)).resolution?.type).toBe("approved");
    await gate.resume(approvalId);
    expect(runs).toEqual(["first", "second"]);
  });

  it("asks when a budget's rule cannot be evaluated", async () => {
    const rules = [{ id: "spend", when: "args.amount > 1.0", budget: { limit: 10, per: "session" as const } }];
    const { gate } = policed({ rules });
    expect(await verdictOf(submit(gate, "known", {}, { amount: 2 }))).toBe("ran");
    expect(await verdictOf(submit(gate, "unknown"))).toBe("pending");
  });

  it("writes the version of the policy into what it asked and what it let run", async () => {
    const { gate, policy } = policed({ rules: [{ id: "ask", when: 'args.id == "x"', effect: "confirm" }] });
    await submit(gate, "x");
    await submit(gate, "y");
    const told = (await entries(gate)).filter(({ type }) => type === "approval.created" || type === "call.allowed");
    expect(told.map(({ content }) => content.policy)).toEqual([policy.version, policy.version]);
  });
});

describe.each(Object.entries(STORES))("a policy's budget (%s)", (_name, makeStore) => {
  it("attack C11: lets exactly 10 of 100 parallel calls pass that its rule matches, and all others", async () => {
    const rules = [{ id: "ten", when: 'session.id == "s1"', budget: { limit: 10, per: "session" as const } }];
    const { gate, runs } = policed({ rules }, { store: makeStore()() });
    const calls = Array.from({ length: 100 }, (_, index) => verdictOf(submit(gate, `call ${index}`)));
    const verdicts = await Promise.all(calls);
    expect(verdicts.filter((verdict) => verdict === "ran")).toHaveLength(10);
    expect(verdicts.filter((verdict) => verdict === "pending")).toHaveLength(90);
    expect(runs).toHaveLength(10);
    expect(await verdictOf(submit(gate, "elsewhere", { sessionId: "s2" }))).toBe("ran");
    expect((await gate.verify(CALLER.workspaceId)).ok).toBe(true);
  });
});
