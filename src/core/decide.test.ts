import { describe, expect, it } from "vitest";
import { approval, contentOf, HASH, moved, NOW, person, resultOf } from "../../test/gate/records.js";
import { APPROVAL_STATES, type ApprovalState, isFinal } from "./approval.js";
import { shortHash } from "./audit.js";
import {
  applyCancel,
  applyDecision,
  applyExpiry,
  applyWithdrawal,
  checkDecision,
  type Decision,
  type Edit,
} from "./decide.js";

const CONTEXT = { now: NOW, claimWindow: 300_000, tokenHash: "t1" };
const APPROVE: Decision = { approvalId: "a1", decision: "approve" };
const DENY: Decision = { approvalId: "a1", decision: "deny", reason: "no" };
const TOKEN = `pa_${"0".repeat(32)}`;

describe("checkDecision", () => {
  it.each([
    APPROVE,
    DENY,
    { confirmationToken: TOKEN, decision: "approve" },
    { ...APPROVE, toolCallHash: HASH, args: {}, scope: { kind: "once" }, reason: "" },
  ] as Decision[])("accepts %j", (input) => {
    expect(() => checkDecision(input)).not.toThrow();
  });

  it.each([
    undefined,
    null,
    "approve",
    [],
    {},
    { approvalId: "a1" },
    { decision: "approve" },
    ...["APPROVE", "approved", "yes", "", true, 1, null, undefined, ["approve"], { toString: () => "approve" }].map(
      (decision) => ({ approvalId: "a1", decision }),
    ),
    { ...APPROVE, confirmationToken: TOKEN },
    { ...APPROVE, approvalId: "" },
    { ...APPROVE, approvalId: 5 },
    { ...APPROVE, approvalId: ["a1"] },
    { approvalId: 5, confirmationToken: TOKEN, decision: "approve" },
    { confirmationToken: TOKEN.toUpperCase(), decision: "approve" },
    { confirmationToken: `${TOKEN} `, decision: "approve" },
    { confirmationToken: "pa_", decision: "approve" },
    ...[HASH.toUpperCase(), HASH.slice(1), "", 5, null, [HASH]].map((toolCallHash) => ({ ...APPROVE, toolCallHash })),
    ...[5, null, {}, "x".repeat(1_001)].map((reason) => ({ ...APPROVE, reason })),
    { ...DENY, args: {} },
    { ...APPROVE, approved: true },
    { ...APPROVE, constructor: 1 },
    JSON.parse('{"approvalId":"a1","decision":"approve","__proto__":{}}'),
  ])("flaw F-C6: decides nothing by %j", (input) => {
    expect(() => checkDecision(input as Decision)).toThrow(expect.objectContaining({ code: "invalid_decision" }));
  });

  it.each([
    null,
    "once",
    "session",
    1,
    [],
    ["once"],
    {},
    { kind: "sessions" },
    { kind: "once", minutes: 15 },
    { uses: 1 },
  ])("seed D10: a scope that is none decides nothing: %j", (scope) => {
    const input = { ...APPROVE, scope } as unknown as Decision;
    expect(() => checkDecision(input)).toThrow(expect.objectContaining({ code: "unsupported_scope" }));
  });
});

describe("applyDecision", () => {
  it("approves with the claim window, a token and the person's name in the record", () => {
    const move = moved(applyDecision(approval(), APPROVE, person("ann", { assurance: "passkey" }), CONTEXT));
    expect(move.next).toMatchObject({
      state: "approved",
      claimBy: NOW + 300_000,
      approvalToken: { hash: "t1", expiresAt: NOW + 300_000 },
      resolution: { type: "approved", at: NOW, by: "ann" },
      votes: [{ userId: "ann", at: NOW, assurance: "passkey" }],
    });
    expect(move.guards).toEqual({ before: NOW + 1_000 });
    expect(contentOf(move)).toEqual({ as: "approved", by: "ann", assurance: "passkey", hash: shortHash(HASH) });
  });

  it("flaw F-9: records who denied, with what assurance and why", () => {
    const move = moved(applyDecision(approval(), DENY, person("ann"), CONTEXT));
    expect(move.next.resolution).toEqual({ type: "denied", at: NOW, by: "ann", reason: "no" });
    expect(contentOf(move)).toEqual({
      as: "denied",
      by: "ann",
      assurance: "host",
      hash: shortHash(HASH),
      reason: "no",
    });
  });

  it.each(APPROVAL_STATES.filter((state) => state !== "pending"))(
    "invariant I4: refuses both answers once it is %s",
    (state) => {
      const resolution = { type: "approved", at: 0, by: "cat" } as const;
      const held = approval({ state, claimBy: NOW + 5, ...(state === "expired" ? {} : { resolution }) });
      for (const answer of [APPROVE, DENY]) {
        const refused = applyDecision(held, answer, person("ann"), CONTEXT);
        expect(resultOf(refused)).toBe(state === "expired" ? "expired" : "already_resolved");
        if (state !== "expired") expect(refused).toMatchObject({ details: { decidedBy: "cat" } });
      }
    },
  );

  it("invariant I8: refuses an answer at the very moment the time is over", () => {
    expect(resultOf(applyDecision(approval({ decideBy: NOW }), APPROVE, person("ann"), CONTEXT))).toBe("expired");
    expect(resultOf(applyDecision(approval({ decideBy: NOW + 1 }), APPROVE, person("ann"), CONTEXT))).toBe(
      "→ approved",
    );
  });

  it("refuses strangers before saying anything about the state", () => {
    const denied = approval({ state: "denied" });
    expect(resultOf(applyDecision(denied, APPROVE, person("dan"), CONTEXT))).toBe("user_mismatch");
    expect(resultOf(applyDecision(denied, APPROVE, person("ann", { workspaceId: "w" }), CONTEXT))).toBe(
      "family_mismatch",
    );
  });

  it("invariant I3: counts only for the hash that was shown, which an edit makes necessary to name", () => {
    const other = { ...APPROVE, toolCallHash: "b".repeat(64) };
    expect(resultOf(applyDecision(approval(), other, person("ann"), CONTEXT))).toBe("hash_mismatch");
    expect(resultOf(applyDecision(approval(), { ...DENY, toolCallHash: "b".repeat(64) }, person("ann"), CONTEXT))).toBe(
      "hash_mismatch",
    );
    const edited = approval({ revision: 2 });
    expect(resultOf(applyDecision(edited, APPROVE, person("ann"), CONTEXT))).toBe("hash_required");
    const named = { ...APPROVE, toolCallHash: HASH };
    expect(resultOf(applyDecision(edited, named, person("ann"), CONTEXT))).toBe("→ approved");
  });

  it("invariant I10: waits for as many different persons as the quorum says", () => {
    const audience = { ...approval().audience, persons: ["ann", "bob"], quorum: 2 };
    const first = moved(applyDecision(approval({ audience }), APPROVE, person("ann"), CONTEXT));
    expect(first.next).toMatchObject({ state: "pending", votes: [{ userId: "ann" }] });
    expect(first.next.approvalToken).toBeUndefined();
    const twice = moved(applyDecision(first.next, APPROVE, person("ann"), CONTEXT));
    expect(twice.next.votes).toHaveLength(1);
    expect(moved(applyDecision(twice.next, APPROVE, person("bob"), CONTEXT)).next.state).toBe("approved");
  });

  describe("with edited arguments", () => {
    const audience = { ...approval().audience, persons: ["ann", "bob", "cat"], quorum: 2, notRequester: true };
    const call = { canonical: "{}", reasons: [], verdict: { type: "confirm", step: "tier_floor", rules: [] } } as const;
    const edit: Edit = { toolCallHash: "b".repeat(64), riskTier: "R3", audience, call };
    const held = approval({ audience, votes: [{ userId: "cat", at: 0, assurance: "host" }] });

    it("voids the votes, names the editor and waits for somebody else where the editor is barred", () => {
      const move = moved(applyDecision(held, APPROVE, person("bob"), CONTEXT, edit));
      expect(move.next).toMatchObject({ state: "pending", revision: 2, votes: [], editors: ["bob"], riskTier: "R3" });
      expect(move.call).toBe(call);
      expect(move.entries.map((entry) => entry.type)).toEqual(["approval.edited"]);
      expect(contentOf(move)).toMatchObject({ by: "bob", from: shortHash(HASH), hash: shortHash(edit.toolCallHash) });
    });

    it("counts the editor's own vote where that is allowed", () => {
      const open = { ...edit, audience: { ...audience, notRequester: false, quorum: 1 } };
      const move = moved(applyDecision(held, APPROVE, person("bob"), CONTEXT, open));
      expect(move.next).toMatchObject({ state: "approved", toolCallHash: edit.toolCallHash });
      expect(move.entries.map((entry) => entry.type)).toEqual(["approval.edited", "approval.resolved"]);
    });
  });
});

describe("applyCancel", () => {
  it.each(APPROVAL_STATES)("ends what is %s only while it is unclaimed", (state: ApprovalState) => {
    const result = applyCancel(approval({ state, claimBy: NOW + 5 }), "ann", undefined, NOW);
    const refused = state === "expired" ? "expired" : "already_resolved";
    expect(resultOf(result)).toBe(["pending", "approved"].includes(state) ? "→ cancelled" : refused);
  });

  it("links what replaces it", () => {
    const move = moved(applyCancel(approval(), "countersign", "it changed", NOW, "a2"));
    expect(move.next).toMatchObject({ replacedBy: "a2", resolution: { type: "cancelled", reason: "it changed" } });
  });
});

describe("applyWithdrawal", () => {
  const votes = [{ userId: "ann", at: 0, assurance: "host" }] as const;

  it("takes a vote back while others are awaited, and ends an unclaimed approval", () => {
    expect(moved(applyWithdrawal(approval({ votes }), person("ann"), NOW)).next).toMatchObject({
      state: "pending",
      votes: [],
    });
    const approved = approval({ state: "approved", claimBy: NOW + 5, votes });
    expect(resultOf(applyWithdrawal(approved, person("ann"), NOW))).toBe("→ cancelled");
  });

  it("is for those who voted, and until the claim", () => {
    expect(resultOf(applyWithdrawal(approval(), person("ann"), NOW))).toBe("not_found");
    expect(resultOf(applyWithdrawal(approval({ votes }), person("dan"), NOW))).toBe("user_mismatch");
    expect(resultOf(applyWithdrawal(approval({ state: "executing", votes }), person("ann"), NOW))).toBe(
      "already_resolved",
    );
    expect(resultOf(applyWithdrawal(approval({ decideBy: NOW, votes }), person("ann"), NOW))).toBe("expired");
  });
});

describe("applyExpiry", () => {
  it("ends what is due, on the store's clock, and nothing else", () => {
    const move = moved(applyExpiry(approval({ decideBy: NOW }), NOW));
    expect(move.next).toMatchObject({ state: "expired", resolution: { type: "expired" } });
    expect(move.guards).toEqual({ after: NOW });
    expect(moved(applyExpiry(approval({ state: "approved", claimBy: NOW }), NOW)).guards).toEqual({ after: NOW });
    expect(resultOf(applyExpiry(approval(), NOW))).toBe("already_resolved");
    for (const state of [...APPROVAL_STATES.filter(isFinal), "executing", "unknown"] as const) {
      expect(resultOf(applyExpiry(approval({ state, decideBy: 0, claimBy: 0 }), NOW))).toBe("already_resolved");
    }
  });
});
