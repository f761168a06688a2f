import { describe, expect, it } from "vitest";
import type { Approval, Person } from "./approval.js";
import { decodeApproval, encodeApproval } from "./codec.js";
import { isRefusal } from "./errors.js";
import { applyHandOver } from "./hand-over.js";

const NOW = 1_000;
const ANN: Person = { kind: "person", userId: "ann", workspaceId: "home", roles: ["owner"] };
const BOB: Person = { kind: "person", userId: "bob", workspaceId: "home", roles: ["approver"] };

const HELD: Approval = {
  approvalId: "a-1",
  workspaceId: "home",
  version: 1,
  state: "pending",
  revision: 1,
  tool: "email.send",
  toolCallHash: "00".repeat(32),
  riskTier: "R3",
  hosted: true,
  requester: { userId: "max", agentId: "bot", sessionId: "s-1" },
  audience: { persons: ["max"], roles: ["owner", "approver"], groups: [], quorum: 1, notRequester: false },
  votes: [],
  editors: [],
  requestedAt: NOW,
  decideBy: NOW + 60_000,
  epoch: 0,
};

function handed(approval: Approval, by: Person, to: Person | undefined, now = NOW) {
  const move = applyHandOver(approval, by, to, "please", now);
  return isRefusal(move) ? move.refused : move.next.handedTo;
}

describe("handing a question over", () => {
  it("names the other person and is kept with the record while it is open", () => {
    expect(handed(HELD, ANN, BOB)).toEqual({ userId: "bob", by: "ann" });
    const next = { ...HELD, handedTo: { userId: "bob", by: "ann" } };
    const stored = (approval: Approval) =>
      decodeApproval({ kind: "approval", id: "a-1", version: 1, value: encodeApproval(approval) });
    expect(stored(next).handedTo).toEqual(next.handedTo);
    expect(stored({ ...next, state: "denied" }).handedTo).toBeUndefined();
  });

  it("goes only from and to people who may answer, and to somebody else", () => {
    const stranger: Person = { ...BOB, userId: "eve", roles: ["member"] };
    expect(handed(HELD, ANN, stranger)).toBe("user_mismatch");
    expect(handed(HELD, ANN, undefined)).toBe("user_mismatch");
    expect(handed(HELD, stranger, BOB)).toBe("user_mismatch");
    expect(handed(HELD, { ...ANN, workspaceId: "work" }, BOB)).toBe("family_mismatch");
    expect(handed(HELD, ANN, ANN)).toBe("invalid_decision");
  });

  it("never goes to a requester or editor whose yes would not count", () => {
    const barred = { ...HELD, editors: ["bob"], audience: { ...HELD.audience, notRequester: true } };
    expect(handed(barred, ANN, BOB)).toBe("self_approval");
    expect(handed(barred, ANN, { ...BOB, userId: "max" })).toBe("self_approval");
  });

  it("is too late once the question is over", () => {
    expect(handed(HELD, ANN, BOB, HELD.decideBy)).toBe("expired");
    expect(handed({ ...HELD, state: "cancelled" }, ANN, BOB)).toBe("already_resolved");
  });
});
