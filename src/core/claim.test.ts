import { describe, expect, it } from "vitest";
import { approval, contentOf, HASH, moved, NOW, resultOf } from "../../test/gate/records.js";
import { APPROVAL_STATES, type Approval } from "./approval.js";
import { shortHash } from "./audit.js";
import { applyClaim, applyLoss, applyReceipt, applyRetry, applySettlement } from "./claim.js";
import { decodeApproval, encodeApproval } from "./codec.js";
import { sha256Hex } from "./ids.js";
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
    expect(move.next.approvalToken).toBeUndefined();
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

  it.each([
    [{ state: "pending" }, {}, "Nobody has approved this yet."],
    [{ state: "expired" }, {}, "The approval expired before it was used. Nothing ran."],
    [{ state: "denied" }, {}, "It was denied. Nothing may run."],
    [{ state: "unknown" }, {}, "It was started already, once, and is not started again."],
    [{}, { toolCallHash: "b".repeat(64) }, "This is not the call that was approved."],
    [{}, { tokenId: "x" }, "This token does not belong to the approval, or was replaced by a newer one."],
    [{ requester: { ...approved.requester, deviceId: "d" } }, {}, "The approval was given to another device."],
    [{}, { heldUntil: NOW }, "This instance stalled and lost its lease. Nothing was started; try again."],
  ] as const)("says why it starts nothing: %j, %j", (held, request, message) => {
    expect(applyClaim({ ...approved, ...held } as Approval, { ...REQUEST, ...request }, NOW)).toMatchObject({
      message,
    });
  });

  it("needs neither a token nor a hash of whoever approved in the same step", () => {
    const { tokenId: _token, toolCallHash: _hash, ...bare } = REQUEST;
    expect(resultOf(applyClaim(approved, bare, NOW))).toBe("→ executing");
  });

  it("is written before the lease of its instance or the time to claim ends, whichever is first", () => {
    for (const [heldUntil, before] of [
      [NOW + 1, NOW + 1],
      [NOW + 5, NOW + 5],
      [NOW + 50, NOW + 10],
    ] as const) {
      expect(moved(applyClaim(approved, { ...REQUEST, heldUntil }, NOW)).guards?.before).toBe(before);
    }
    expect(resultOf(applyClaim(approved, { ...REQUEST, heldUntil: NOW - 1 }, NOW))).toBe("store_failed");
  });

  it("reserves what it takes from budgets, beside what the call holds already", () => {
    const counts = [{ key: "b/2", add: 1 }];
    const move = moved(applyClaim({ ...approved, reserved: [{ key: "b/1", add: 2 }] }, { ...REQUEST, counts }, NOW));
    expect(move.next.reserved).toEqual([{ key: "b/1", add: 2 }, ...counts]);
    expect(move.guards).toMatchObject({ counts });
    expect(moved(applyClaim(approved, { ...REQUEST, counts }, NOW)).next.reserved).toEqual(counts);
    const plain = moved(applyClaim(approved, REQUEST, NOW));
    expect(plain.next.reserved).toBeUndefined();
    expect(plain.guards?.counts).toBeUndefined();
  });

  it("keeps until when somebody else has to report", () => {
    expect(moved(applyClaim(approved, { ...REQUEST, reportBy: NOW + 9 }, NOW)).next.execution?.reportBy).toBe(NOW + 9);
    expect(moved(applyClaim(approved, REQUEST, NOW)).next.execution).toEqual(execution);
    expect(moved(applyClaim(approved, REQUEST, NOW)).entries).toMatchObject([{ type: "call.claimed", ref: "a1" }]);
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

  it("writes down when it ended also where the record came from a store, which says of everything that it is not there yet", () => {
    const { version, approvalId } = running;
    const read = decodeApproval({ kind: "approval", id: approvalId, version, value: encodeApproval(running) });
    const { next } = moved(applyReceipt(read, "c1", { type: "succeeded" }, NOW + 5));
    expect(next.execution).toMatchObject({ claimId: "c1", startedAt: NOW, finishedAt: NOW + 5 });
  });

  it("binds the result to the record without copying it there", () => {
    const done = moved(applyReceipt(running, "c1", { type: "succeeded", result: { secret: 1 } }, NOW));
    expect(done.entries).toMatchObject([{ type: "call.executed", ref: "a1" }]);
    expect(contentOf(done)).toEqual({ as: "succeeded", result: shortHash(sha256Hex('{"secret":1}')) });
    const withheld = moved(applyReceipt(running, "c1", { type: "succeeded", withheld: true }, NOW));
    expect(contentOf(withheld)).toEqual({ as: "succeeded", withheld: true });
    const failed = moved(applyReceipt(running, "c1", { type: "failed", error: "no" }, NOW));
    expect(contentOf(failed)).toEqual({ as: "failed", error: "no" });
  });

  it("says why a receipt does not count", () => {
    expect(applyReceipt(running, "c0", { type: "succeeded" }, NOW)).toMatchObject({
      message: "This claim does not hold the execution.",
    });
    for (const state of ["succeeded", "approved"] as const) {
      expect(applyReceipt({ ...running, state }, "c1", { type: "succeeded" }, NOW)).toMatchObject({
        refused: "already_resolved",
        message: `It is ${state} already.`,
      });
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

  it("settle nothing that never started", () => {
    expect(resultOf(applySettlement(approval({ state: "unknown" }), { type: "succeeded" }, "ann", NOW))).toBe(
      "already_resolved",
    );
  });

  it("say why there is nothing to settle, to lose or to try again", () => {
    expect(applySettlement(running, { type: "succeeded" }, "ann", NOW)).toMatchObject({
      message: "It is executing; only an unknown outcome is settled.",
    });
    expect(applyLoss(approval(), undefined, "crash")).toMatchObject({ message: "It is not running." });
    expect(applyRetry(approval(), RETRY, NOW)).toMatchObject({ message: "There is nothing to try again." });
  });

  it("lose whatever runs when no claim is named, and say why", () => {
    const lost = moved(applyLoss(running, undefined, "crash"));
    expect(lost.entries).toMatchObject([{ type: "call.lost", ref: "a1" }]);
    expect(contentOf(lost)).toEqual({ why: "crash" });
  });

  const RETRY = { claimId: "c2", instance: "i2", heldUntil: NOW + 10 };

  it("try again under a new fence, so that the old holder is not believed", () => {
    const again = moved(applyRetry({ ...running, state: "unknown" }, RETRY, NOW)).next;
    expect(again).toMatchObject({ state: "executing", execution: { claimId: "c2", instance: "i2", attempt: 2 } });
    expect(resultOf(applyReceipt(again, "c1", { type: "succeeded" }, NOW))).toBe("token_mismatch");
    expect(resultOf(applyRetry(approval({ state: "executing" }), RETRY, NOW))).toBe("already_resolved");
    for (const state of APPROVAL_STATES.filter((name) => name !== "executing" && name !== "unknown")) {
      expect(resultOf(applyRetry({ ...running, state }, RETRY, NOW))).toBe("already_resolved");
    }
  });

  it("try again while the instance holds its lease, and record the attempt", () => {
    const move = moved(applyRetry(running, RETRY, NOW));
    expect(move.guards).toEqual({ before: NOW + 10 });
    expect(move.entries).toMatchObject([{ type: "call.retried", ref: "a1" }]);
    expect(contentOf(move)).toEqual({ attempt: 2, instance: "i2" });
    expect(resultOf(applyRetry(running, RETRY, NOW + 9))).toBe("→ executing");
    expect(resultOf(applyRetry(running, RETRY, NOW + 10))).toBe("store_failed");
  });
});
