import { describe, expect, it } from "vitest";
import { approval, NOW } from "../../test/gate/records.js";
import type { Approval } from "./approval.js";
import { shortCode } from "./ids.js";
import { cancelled, denied, endedOutcome, failed, pendingMessage, succeeded, unknown } from "./outcome.js";

const execution = { claimId: "c", instance: "i", attempt: 1, startedAt: 0 };
const ended = (over: Partial<Approval>) => endedOutcome(approval(over), []);

describe("what a model is told", () => {
  const code = shortCode("a1");
  const at = new Date(NOW + 1_000).toISOString().slice(11, 16);

  it("pending: who is awaited and until when; do not repeat it", () => {
    expect(pendingMessage(approval())).toBe(
      `Not run yet: waiting for a person (${code}, until ${at} UTC). Do not call it again; do other work or stop.`,
    );
  });

  it("approved: to be claimed by its agent, or started by its gate", () => {
    const approved = approval({ state: "approved", claimBy: NOW + 1_000 });
    expect(pendingMessage({ ...approved, hosted: false })).toContain("Claim it with its token, run it once");
    expect(pendingMessage(approved)).toContain("Do not call it again");
    expect(pendingMessage(approved)).not.toContain("Claim");
  });

  it("executing: it runs; do not repeat it", () => {
    expect(pendingMessage(approval({ state: "executing", execution }))).toMatch(
      /^Running now \(.*Do not call it again/,
    );
  });

  it("succeeded: that it ran once, what a person changed, and what was not kept", () => {
    expect(succeeded(1).message).toBe("Ran once.");
    const change = { type: "replace", path: ["to"], before: "a@x", after: "b@x" } as const;
    const told = succeeded(1, "a1", [change], "it has 5 characters");
    expect(told).toMatchObject({ type: "succeeded", code: undefined, approvalId: "a1", changes: [change] });
    expect(told.message).toBe(
      "Ran once with changed arguments: to: a@x → b@x. A person changed them; use these from now on. " +
        "The result was not kept: it has 5 characters.",
    );
  });

  it("denied: by whom, why, and to plan another way (seed D26, D27)", () => {
    expect(denied("too risky", "ann", "a1")).toMatchObject({ code: "TOOL_DENIED", by: "ann", reason: "too risky" });
    expect(denied("too risky", "ann").message).toMatch(
      /^Not run: A person said no \(too risky\)\. Do not call it again .*plan/,
    );
    expect(denied("paused").message).toContain("The rules refuse it (paused)");
  });

  it("expired: not a refusal, and not the same when somebody had approved", () => {
    expect(ended({ state: "expired" })).toMatchObject({
      code: "TOOL_APPROVAL_EXPIRED",
      message: "Not run: nobody answered in time. This is not a refusal. Ask again only if it is still needed.",
    });
    expect(ended({ state: "expired", claimBy: NOW })?.message).toContain("approved, but not started in time");
  });

  it("cancelled: withdrawn, with the reason where there is one", () => {
    expect(cancelled().message).toBe("Not run: the call was withdrawn. Do not call it again unless asked to.");
    expect(cancelled("changed my mind", "a1")).toMatchObject({
      code: "TOOL_CANCELLED",
      approvalId: "a1",
      message: expect.stringContaining("(changed my mind)"),
    });
  });

  it("failed: started once, not tried again by itself, perhaps half done", () => {
    const told = failed("disk full", "a1");
    expect(told).toMatchObject({ code: "TOOL_FAILED", error: "disk full" });
    expect(told.message).toMatch(
      /started once and failed: disk full\. It is not tried again .* look before you call it again/,
    );
  });

  it("unknown: it may have happened; do not repeat it", () => {
    expect(unknown("a1")).toMatchObject({
      code: "TOOL_OUTCOME_UNKNOWN",
      message: expect.stringMatching(/Do not call it again/),
    });
  });

  it("flaw F-8: each ended state has an outcome of its own, and open ones have none", () => {
    const states = ["succeeded", "failed", "unknown", "denied", "expired", "cancelled"] as const;
    const told = states.map((state) => ended({ state, execution }));
    expect(told.map((outcome) => outcome?.type)).toEqual(states);
    expect(new Set(told.map((outcome) => outcome?.message)).size).toBe(states.length);
    for (const state of ["pending", "approved", "executing"] as const) expect(ended({ state })).toBeUndefined();
  });
});
