import { describe, expect, it } from "vitest";
import { approval, NOW, person } from "../../test/gate/records.js";
import {
  APPROVAL_STATES,
  type ApprovalState,
  checkAudience,
  dueOf,
  indexesOf,
  isFinal,
  mayApprove,
  mayBecome,
  stateAt,
} from "./approval.js";

describe("mayBecome", () => {
  const legal: Record<ApprovalState, readonly ApprovalState[]> = {
    pending: ["pending", "approved", "denied", "expired", "cancelled"],
    approved: ["approved", "executing", "expired", "cancelled"],
    executing: ["executing", "succeeded", "failed", "unknown"],
    unknown: ["executing", "succeeded", "failed"],
    succeeded: [],
    failed: [],
    denied: [],
    expired: [],
    cancelled: [],
  };
  const pairs = APPROVAL_STATES.flatMap((from) => APPROVAL_STATES.map((to) => [from, to] as const));
  it.each(pairs)("judges %s → %s by the table of states", (from, to) => {
    expect(mayBecome(from, to)).toBe(legal[from].includes(to));
  });

  it("calls exactly the states without a way out final", () => {
    expect(APPROVAL_STATES.filter(isFinal)).toEqual(["succeeded", "failed", "denied", "expired", "cancelled"]);
  });
});

describe("checkAudience", () => {
  it.each([
    ["a named person", person("ann"), undefined],
    ["a role", person("bob", { roles: ["approver"] }), undefined],
    ["a group", person("cat", { groups: ["night"] }), undefined],
    ["somebody of the workspace without either", person("dan", { roles: ["member"] }), "user_mismatch"],
    ["the named person of another workspace", person("ann", { workspaceId: "work" }), "family_mismatch"],
    ["a role in another workspace", person("bob", { roles: ["approver"], workspaceId: "work" }), "family_mismatch"],
    ["a person without a name", person(""), "user_mismatch"],
    ["an agent", person("ann", { kind: "agent" as never }), "user_mismatch"],
    ["nobody", undefined as never, "user_mismatch"],
  ])("answers %s", (_who, who, refused) => {
    expect(checkAudience(approval(), who)?.refused).toBe(refused);
  });

  it("answers nobody yes when the audience is empty", () => {
    const audience = { persons: [], roles: [], groups: [], quorum: 1, notRequester: false };
    expect(checkAudience(approval({ audience }), person("ann", { roles: ["owner"] }))?.refused).toBe("user_mismatch");
  });
});

describe("mayApprove", () => {
  const audience = { ...approval().audience, persons: ["ann", "bob", "cat"], notRequester: true };

  it("invariant I10: bars the requester and every editor where somebody else has to approve", () => {
    const held = approval({ audience, editors: ["bob"] });
    expect(["ann", "bob", "cat"].map((userId) => mayApprove(held, person(userId))?.refused)).toEqual([
      "self_approval",
      "self_approval",
      undefined,
    ]);
  });

  it("lets them approve where that is not asked for", () => {
    const held = approval({ audience: { ...audience, notRequester: false }, editors: ["bob"] });
    expect(["ann", "bob"].map((userId) => mayApprove(held, person(userId)))).toEqual([undefined, undefined]);
  });

  it.each(["R0", "R2", "R3", "R4"] as const)("attack D11: a yes that reaches up to R2 is told so at %s", (riskTier) => {
    const reach = { upTo: "R2", otherwise: "Open this one in the browser." } as const;
    const barred = mayApprove(approval({ riskTier }), person("ann", { reach }));
    expect(barred).toEqual(riskTier > "R2" ? { refused: "step_up_required", message: reach.otherwise } : undefined);
  });
});

describe("stateAt", () => {
  it("expires a pending approval at its time to decide, and an approved one at its time to claim", () => {
    const pending = approval({ decideBy: NOW });
    const approved = approval({ state: "approved", decideBy: NOW - 5, claimBy: NOW });
    expect([stateAt(pending, NOW - 1), stateAt(pending, NOW)]).toEqual(["pending", "expired"]);
    expect([stateAt(approved, NOW - 1), stateAt(approved, NOW)]).toEqual(["approved", "expired"]);
    expect(stateAt(approval({ state: "approved" }), NOW)).toBe("expired");
  });

  it("leaves every other state as it is, however late", () => {
    for (const state of APPROVAL_STATES.filter((name) => name !== "pending" && name !== "approved")) {
      expect(stateAt(approval({ state, decideBy: 0, claimBy: 0 }), NOW)).toBe(state);
    }
  });
});

describe("indexes", () => {
  const execution = { claimId: "c1", instance: "i1", attempt: 1, startedAt: NOW, reportBy: NOW + 9 };

  it("invariant I9: lists an open question for its whole audience, and for nobody once it is answered", () => {
    expect(indexesOf(approval())).toEqual(["p/home/u/ann", "p/home/r/owner+approver", "p/home/g/night"]);
    for (const state of APPROVAL_STATES.filter((name) => name !== "pending")) {
      expect(indexesOf(approval({ state, execution })).filter((key) => key.startsWith("p/"))).toEqual([]);
    }
  });

  it("lists what is approved, running or unknown where its keeper looks", () => {
    expect(indexesOf(approval({ state: "approved" }))).toContain("approved");
    expect(indexesOf(approval({ state: "executing", execution }))).toContain("x/i1");
    expect(indexesOf(approval({ state: "unknown", execution }))).toContain("unknown/home");
  });

  it("is due at the time to decide, to claim or to report, and never once it has ended", () => {
    expect(dueOf(approval({ decideBy: 5 }))).toBe(5);
    expect(dueOf(approval({ state: "approved", claimBy: 6 }))).toBe(6);
    expect(dueOf(approval({ state: "executing", execution }))).toBe(NOW + 9);
    for (const state of APPROVAL_STATES.filter(isFinal)) expect(dueOf(approval({ state }))).toBeUndefined();
  });
});
