import { describe, expect, it } from "vitest";
import { approval, contentOf, HASH, moved, NOW, resultOf } from "../../test/gate/records.js";
import { APPROVAL_STATES } from "./approval.js";
import { shortHash } from "./audit.js";
import { applyClaim, applyLoss, applyReceipt, applyRetry, applySettlement } from "./claim.js";
import { hashToken } from "./token.js";

const TOKEN_ID = "1b4e28ba-2fa1-4d2e-883f-0016d3cca427";
const approved = approval({
  state: "approved",
  claimBy: NOW + 10,
  approvalToken: { hash: hashToken(TOKEN_ID), expiresAt: NOW + 10 },
});
const REQUEST = { claimId: "c1", instance: "i1", tokenId: TOKEN_ID, toolCallHash: HASH, epoch: 3 };
const execution = { claimId: "c1", instance: "i1", attempt: 1, startedAt: NOW };
const running = approval({ state: "executing", execution });

describe("applyClaim", () => {
  it("seed A23: spends the token in the step that starts the run, under the epoch it was judged in", () => {
    const move = moved(applyClaim(approved, REQUEST, NOW));
    expect(move.next).toMatchObject({ state: "executing", epoch: 3, execution });
    expect(move.next).not.toHaveProperty("approvalToken");
    expect(move.guards).toEqual({ epoch: 3, before: NOW + 10 });
    expect(contentOf(move)).toEqual({ hash: shortHash(HASH) });
  });

  it.each([
    ["another hash", { toolCallHash: "b".repeat(64) }, "hash_mismatch"],
    ["another token", { tokenId: "1b4e28ba-2fa1-4d2e-883f-0016d3cca428" }, "token_mismatch"],
    ["the token's hash", { tokenId: hashToken(TOKEN_ID) }, "token_mismatch"],
    ["an empty token", { tokenId: "" }, "token_mismatch"],
  ])("seed D17: refuses %s", (_what, over, refused) => {
    expect(resultOf(applyClaim(approved, { ...REQUEST, ...over }, NOW))).toBe(refused);
  });

  it("refuses a token where none was minted", () => {
    expect(resultOf(applyClaim(approval({ state: "approved", claimBy: NOW + 10 }), REQUEST, NOW))).toBe(
      "token_mismatch",
    );
  });

  it("seed D18: is for the bound device alone", () => {
    const bound = { ...approved, requester: { ...approved.requester, deviceId: "d1" } };
    expect(resultOf(applyClaim(bound, REQUEST, NOW))).toBe("device_mismatch");
    expect(resultOf(applyClaim(bound, { ...REQUEST, deviceId: "d2" }, NOW))).toBe("device_mismatch");
    expect(resultOf(applyClaim(bound, { ...REQUEST, deviceId: "d1" }, NOW))).toBe("→ executing");
  });

  it.each([
    ["pending", "not_approved"],
    ["denied", "already_resolved"],
    ["cancelled", "already_resolved"],
    ["expired", "expired"],
    ["executing", "already_claimed"],
    ["succeeded", "already_claimed"],
    ["failed", "already_claimed"],
    ["unknown", "already_claimed"],
  ] as const)("invariants I1, I2: starts nothing that is %s", (state, refused) => {
    expect(resultOf(applyClaim({ ...approved, state }, REQUEST, NOW))).toBe(refused);
  });

  it("refuses at the very moment the time to claim is over", () => {
    expect(resultOf(applyClaim(approved, REQUEST, NOW + 10))).toBe("expired");
  });
});

describe("applyReceipt", () => {
  it("settles a running or unknown execution by the word of its holder", () => {
    for (const state of ["executing", "unknown"] as const) {
      const done = moved(applyReceipt({ ...running, state }, "c1", { type: "succeeded", result: { n: 1 } }, NOW + 5));
      expect(done.next).toMatchObject({ state: "succeeded", execution: { result: { n: 1 }, finishedAt: NOW + 5 } });
      const failed = moved(applyReceipt({ ...running, state }, "c1", { type: "failed", error: "no" }, NOW));
      expect(failed.next).toMatchObject({ state: "failed", execution: { error: "no" } });
    }
  });

  it("is fenced: another claim's holder tells nothing, and nobody tells it twice", () => {
    expect(resultOf(applyReceipt(running, "c0", { type: "succeeded" }, NOW))).toBe("token_mismatch");
    expect(resultOf(applyReceipt(approval(), "c1", { type: "succeeded" }, NOW))).toBe("token_mismatch");
    for (const state of ["succeeded", "failed"] as const) {
      expect(resultOf(applyReceipt({ ...running, state }, "c1", { type: "succeeded" }, NOW))).toBe("already_resolved");
    }
  });
});

describe("applySettlement, applyLoss and applyRetry", () => {
  it("settle only what is unknown, and name who did", () => {
    for (const state of APPROVAL_STATES.filter((name) => name !== "unknown")) {
      const settled = applySettlement({ ...running, state }, { type: "succeeded" }, "ann", NOW);
      expect(resultOf(settled)).toBe("already_resolved");
    }
    const settled = moved(applySettlement({ ...running, state: "unknown" }, { type: "succeeded" }, "ann", NOW));
    expect(contentOf(settled)).toEqual({ as: "succeeded", by: "ann" });
  });

  it("lose only what runs under the claim that is lost", () => {
    expect(resultOf(applyLoss(running, "c1", "crash"))).toBe("→ unknown");
    expect(resultOf(applyLoss(running, "c0", "crash"))).toBe("already_resolved");
    for (const state of APPROVAL_STATES.filter((name) => name !== "executing")) {
      expect(resultOf(applyLoss({ ...running, state }, "c1", "crash"))).toBe("already_resolved");
    }
  });

  const RETRY = { claimId: "c2", instance: "i2", heldUntil: NOW + 10 };

  it("try again under a new fence, so that the old holder is not believed", () => {
    const again = moved(applyRetry({ ...running, state: "unknown" }, RETRY, NOW)).next;
    expect(again).toMatchObject({ state: "executing", execution: { claimId: "c2", instance: "i2", attempt: 2 } });
    expect(resultOf(applyReceipt(again, "c1", { type: "succeeded" }, NOW))).toBe("token_mismatch");
    for (const state of APPROVAL_STATES.filter((name) => name !== "executing" && name !== "unknown")) {
      expect(resultOf(applyRetry({ ...running, state }, RETRY, NOW))).toBe("already_resolved");
    }
  });
});
