import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APPROVAL_STATES, type Approval } from "./approval.js";
import { decodeApproval, encodeApproval } from "./codec.js";
import { DEFAULT_ROLES } from "./roles.js";

/** Names as people and agents give them: quotes, backslashes, control characters, letters beyond the first plane. */
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const time = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex"));
const requester = fc.record(
  { userId: text, agentId: text, sessionId: text, deviceId: text },
  { requiredKeys: ["userId", "agentId", "sessionId"] },
);

/** Open, so that all of it is kept; what an ended one leaves out is its own matter. */
const open: fc.Arbitrary<Approval> = fc
  .record({
    approvalId: fc.uuid(),
    workspaceId: text,
    version: fc.integer({ min: 1, max: 9 }),
    state: fc.constantFrom(...APPROVAL_STATES.filter((state) => ["pending", "approved", "executing"].includes(state))),
    revision: fc.integer({ min: 2, max: 9 }),
    tool: text,
    toolCallHash: hash,
    riskTier: fc.constantFrom("R0", "R2", "R4"),
    hosted: fc.boolean(),
    requester,
    audience: fc.record({
      persons: fc.array(text, { maxLength: 2 }),
      roles: fc.oneof(fc.constant(DEFAULT_ROLES), fc.array(text, { maxLength: 2 })),
      groups: fc.array(text, { maxLength: 2 }),
      quorum: fc.integer({ min: 1, max: 3 }),
      notRequester: fc.boolean(),
    }),
    votes: fc.array(fc.record({ userId: text, at: time, assurance: fc.constantFrom("host", "passkey") }), {
      maxLength: 2,
    }),
    editors: fc.array(text, { maxLength: 2 }),
    requestedAt: time,
    decideBy: time,
    claimBy: maybe(time),
    epoch: fc.integer({ min: 0, max: 9 }),
    tokenHash: maybe(text),
    approvalToken: maybe(fc.record({ hash: text, expiresAt: time })),
    joinKey: maybe(text),
    idempotencyKey: maybe(text),
    resolution: maybe(
      fc.record(
        { type: fc.constant("approved" as const), at: time, by: text, surface: text, reason: text },
        { requiredKeys: ["type", "at"] },
      ),
    ),
    execution: maybe(
      fc.record({
        claimId: text,
        instance: text,
        attempt: fc.integer({ min: 1, max: 3 }),
        startedAt: time,
        reportBy: maybe(time),
        finishedAt: maybe(time),
        result: maybe(fc.oneof(text, fc.integer(), fc.constant(null), fc.constant({ ok: true }))),
        withheld: maybe(fc.constant(true)),
        resultOmitted: maybe(text),
        error: maybe(text),
      }),
    ),
    reserved: maybe(fc.array(fc.record({ key: text, add: fc.integer({ min: 1, max: 9 }) }), { maxLength: 2 })),
    supersedes: maybe(text),
    replacedBy: maybe(text),
    handedTo: maybe(fc.record({ userId: text, by: text })),
    erasedAt: maybe(time),
  })
  .map((approval) => approval as Approval);

describe("a stored approval", () => {
  it("is read as it was written, whatever its texts hold", () => {
    fc.assert(
      fc.property(open, (approval) => {
        const value = encodeApproval(approval);
        const { approvalId: id, version } = approval;
        expect(decodeApproval({ kind: "approval", id, version, value })).toEqual(approval);
      }),
    );
  });

  it("is JSON without anything between its parts", () => {
    fc.assert(
      fc.property(open, (approval) => {
        const value = encodeApproval(approval);
        expect(JSON.stringify(JSON.parse(value))).toBe(value);
      }),
    );
  });
});
