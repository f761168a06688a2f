import { describe, expect, it } from "vitest";
import { approval, contentOf, HASH, moved, NOW, person, resultOf } from "../../test/gate/records.js";
import { APPROVAL_STATES, type Approval, type ApprovalState, isFinal } from "./approval.js";
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
import type { Refusal } from "./errors.js";

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

describe("what checkDecision says", () => {
  const naming = "Name the approval by approvalId or by confirmationToken, one of them.";
  it.each<[unknown, string]>([
    [null, "A decision is an object."],
    ["approve", "A decision is an object."],
    [{ ...APPROVE, approved: true }, 'A decision has no field "approved".'],
    [{ ...APPROVE, decision: "yes" }, 'A decision is exactly "approve" or "deny".'],
    [{ decision: "approve" }, naming],
    [{ ...APPROVE, confirmationToken: TOKEN }, naming],
    [{ ...APPROVE, approvalId: "" }, "An approvalId is a text that is not empty."],
    [{ ...APPROVE, approvalId: 5 }, "An approvalId is a text that is not empty."],
    [{ confirmationToken: "pa_", decision: "approve" }, "A confirmation token is pa_ and 32 hex digits."],
    [{ ...APPROVE, toolCallHash: `${HASH}a` }, "toolCallHash is 64 hex digits."],
    [{ ...APPROVE, toolCallHash: [HASH] }, "toolCallHash is 64 hex digits."],
    [{ ...APPROVE, cardHash: `a${HASH}` }, "cardHash is 64 hex digits."],
    [{ ...APPROVE, reason: "x".repeat(1_001) }, "A reason is a text of at most 1000 characters."],
    [{ ...APPROVE, reason: [] }, "A reason is a text of at most 1000 characters."],
    [{ ...DENY, args: {} }, "Arguments can be changed when approving, not when denying."],
    [{ ...DENY, scope: { kind: "session" } }, "A no is for this call; only a yes can reach further."],
  ])("helps whoever sent %j", (input, message) => {
    expect(() => checkDecision(input as Decision)).toThrow(
      expect.objectContaining({ code: "invalid_decision", message }),
    );
  });

  it("accepts a no for this call, and the longest reason", () => {
    expect(() => checkDecision({ ...DENY, scope: { kind: "once" }, reason: "x".repeat(1_000) })).not.toThrow();
    expect(() => checkDecision({ ...APPROVE, scope: { kind: "session" }, cardHash: HASH })).not.toThrow();
  });
});

describe("what a refused answer is told", () => {
  const messageOf = (held: Partial<Approval>, over: Partial<Decision> = {}) =>
    (applyDecision(approval(held), { ...APPROVE, ...over }, person("ann"), CONTEXT) as Refusal).message;

  it("says who was faster, or only what happened when it was nobody", () => {
    const resolution = { type: "denied", at: 0, by: "cat" } as const;
    expect(messageOf({ state: "denied", resolution })).toBe("This was denied by cat before your answer came.");
    expect(messageOf({ state: "cancelled", resolution: { type: "cancelled", at: 0 } })).toBe(
      "This was cancelled before your answer came.",
    );
    expect(messageOf({ state: "unknown" })).toBe("This was unknown before your answer came.");
  });

  it("names the approval, and the person only where there is one", () => {
    const refused = applyDecision(approval({ state: "failed" }), APPROVE, person("ann"), CONTEXT);
    expect((refused as Refusal).details).toStrictEqual({ approvalId: "a1" });
  });

  it("says that the time is over or that the question has changed", () => {
    expect(messageOf({ decideBy: NOW })).toBe("Too late: the time to decide is over. Nothing ran.");
    expect(messageOf({ revision: 2 })).toContain("name the toolCallHash you saw");
    expect(messageOf({}, { toolCallHash: "b".repeat(64) })).toContain("not what would run any more");
  });
});

describe("the record of an answer", () => {
  const CARD = "c".repeat(64);

  it("names the card that was shown, for a yes and for a no", () => {
    const yes = moved(applyDecision(approval(), { ...APPROVE, cardHash: CARD }, person("ann"), CONTEXT));
    expect(contentOf(yes)["card"]).toBe(shortHash(CARD));
    expect(yes.next.votes).toStrictEqual([{ userId: "ann", at: NOW, assurance: "host", cardHash: CARD }]);
    const no = moved(applyDecision(approval(), { ...DENY, cardHash: CARD }, person("ann"), CONTEXT));
    expect(contentOf(no)["card"]).toBe(shortHash(CARD));
  });

  it("is about this approval, with the reason where one was given", () => {
    const yes = moved(applyDecision(approval(), { ...APPROVE, reason: "fine" }, person("ann"), CONTEXT));
    expect(yes.entries).toMatchObject([{ type: "approval.resolved", ref: "a1" }]);
    expect(contentOf(yes)["reason"]).toBe("fine");
    expect(yes.next.resolution).toStrictEqual({ type: "approved", at: NOW, by: "ann", reason: "fine" });
    expect(yes).not.toHaveProperty("call");
    const no = moved(applyDecision(approval(), { approvalId: "a1", decision: "deny" }, person("ann"), CONTEXT));
    expect(no.next).toMatchObject({ state: "denied" });
    expect(no.next.resolution).toStrictEqual({ type: "denied", at: NOW, by: "ann" });
    expect(no.entries).toMatchObject([{ type: "approval.resolved" }]);
    expect(no.guards).toEqual({ before: NOW + 1_000 });
  });

  it("counts the votes while more are awaited", () => {
    const audience = { ...approval().audience, quorum: 3 };
    const votes = [{ userId: "cat", at: 0, assurance: "host" }] as const;
    const move = moved(applyDecision(approval({ audience, votes }), APPROVE, person("ann"), CONTEXT));
    expect(move.entries).toMatchObject([{ type: "approval.voted" }]);
    expect(contentOf(move)).toEqual({ by: "ann", assurance: "host", hash: shortHash(HASH), votes: 2, quorum: 3 });
    expect(move.next.votes.map(({ userId }) => userId)).toEqual(["cat", "ann"]);
    expect(move.guards).toEqual({ before: NOW + 1_000 });
    expect(move).not.toHaveProperty("call");
  });

  it("tells a withdrawal from a cancellation", () => {
    const votes = ["ann", "cat"].map((userId) => ({ userId, at: 0, assurance: "host" as const }));
    const back = moved(applyWithdrawal(approval({ votes }), person("ann"), NOW));
    expect(back.next.votes.map(({ userId }) => userId)).toEqual(["cat"]);
    expect(back.entries).toMatchObject([{ type: "approval.withdrawn" }]);
    expect(contentOf(back)).toEqual({ by: "ann" });
    expect(back.guards).toEqual({ before: NOW + 1_000 });
    const ended = moved(applyWithdrawal(approval({ state: "approved", claimBy: NOW + 5, votes }), person("ann"), NOW));
    expect(contentOf(ended)).toEqual({ as: "cancelled", by: "ann", reason: "the approval was withdrawn" });
  });

  it("says what a cancelled question is replaced by, and nothing where nothing does", () => {
    const plain = moved(applyCancel(approval(), "ann", undefined, NOW));
    expect(plain.next.replacedBy).toBeUndefined();
    expect(plain.next.resolution).toStrictEqual({ type: "cancelled", at: NOW, by: "ann" });
    expect(plain.entries).toMatchObject([{ type: "approval.resolved" }]);
    expect(contentOf(plain)).toEqual({ as: "cancelled", by: "ann" });
    expect(contentOf(moved(applyCancel(approval(), "x", "it changed", NOW, "a2")))).toEqual({
      as: "cancelled",
      by: "x",
      replacedBy: "a2",
      reason: "it changed",
    });
  });

  it("says why there is nothing to cancel, to take back or to end", () => {
    expect(applyCancel(approval({ state: "executing" }), "ann", undefined, NOW)).toEqual({
      refused: "already_resolved",
      message: "It is executing already and cannot be withdrawn.",
      details: { approvalId: "a1" },
    });
    expect(applyCancel(approval({ decideBy: NOW }), "ann", undefined, NOW)).toEqual({
      refused: "expired",
      message: "It had expired already. Nothing ran.",
    });
    expect((applyWithdrawal(approval(), person("ann"), NOW) as Refusal).message).toContain("no vote here");
    expect((applyExpiry(approval(), NOW) as Refusal).message).toBe("It is not due.");
  });

  it("says in which state the time ran out", () => {
    for (const state of ["pending", "approved"] as const) {
      const move = moved(applyExpiry(approval({ state, decideBy: NOW, claimBy: NOW }), NOW));
      expect(move.entries).toMatchObject([{ type: "approval.resolved" }]);
      expect(contentOf(move)).toEqual({ as: "expired", was: state });
      expect(move.next.resolution).toStrictEqual({ type: "expired", at: NOW });
    }
    const far = approval({ state: "approved", decideBy: NOW - 50, claimBy: NOW - 5 });
    expect(moved(applyExpiry(far, NOW)).guards).toEqual({ after: NOW - 5 });
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
      expect(contentOf(move)).toEqual({
        by: "bob",
        revision: 2,
        from: shortHash(HASH),
        hash: shortHash(edit.toolCallHash),
        tier: "R3",
      });
      expect(move.guards).toEqual({ before: NOW + 1_000 });
    });

    it("keeps earlier editors, each once", () => {
      const again = { ...held, editors: ["cat", "bob"] };
      expect(moved(applyDecision(again, APPROVE, person("bob"), CONTEXT, edit)).next.editors).toEqual(["cat", "bob"]);
    });

    it("keeps the edit with the editor's vote while more are awaited", () => {
      const open = { ...edit, audience: { ...audience, notRequester: false } };
      const move = moved(applyDecision(held, APPROVE, person("bob"), CONTEXT, open));
      expect(move.next).toMatchObject({ state: "pending", votes: [{ userId: "bob" }] });
      expect(move.entries.map((entry) => entry.type)).toEqual(["approval.edited", "approval.voted"]);
      expect(move.call).toBe(call);
    });

    it("counts the editor's own vote where that is allowed", () => {
      const open = { ...edit, audience: { ...audience, notRequester: false, quorum: 1 } };
      const move = moved(applyDecision(held, APPROVE, person("bob"), CONTEXT, open));
      expect(move.next).toMatchObject({ state: "approved", toolCallHash: edit.toolCallHash });
      expect(move.call).toBe(call);
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
