import type { ApprovalView } from "countersign/client";
import { describe, expect, it } from "vitest";
import { matches, NO_FILTER } from "../../web/src/inbox/filter.js";
import { grouped, isGroup, oddOnes } from "../../web/src/inbox/groups.js";
import { EMPTY, type InboxState, missingFrom, reduce } from "../../web/src/inbox/state.js";

/** As much of an approval as the inbox looks at. */
function approval(
  approvalId: string,
  more: Partial<ApprovalView> = {},
  args: object = { title: approvalId },
): ApprovalView {
  const shown = Object.entries(args).map(([key, text]) => ({ key, label: key, value: { kind: "string", text } }));
  return {
    approvalId,
    state: "pending",
    tool: "calendar.create",
    riskTier: "R2",
    expiresAt: "2026-11-20T12:05:00.000Z",
    requester: { userId: "ann", agentId: "planner", sessionId: "s" },
    card: { toolCallCanonical: JSON.stringify({ args }), arguments: shown },
    ...more,
  } as unknown as ApprovalView;
}

const listed = (state: InboxState, ...approvals: ApprovalView[]) =>
  reduce(state, { type: "listed", approvals, locale: "en" });

describe("the inbox's state", () => {
  it("puts what runs out first, and at the same minute what risks more", () => {
    const soon = approval("soon", { expiresAt: "2026-11-20T12:01:00.000Z", riskTier: "R0" });
    const state = listed(EMPTY, approval("plain"), approval("grave", { riskTier: "R4" }), soon);
    expect(state.order).toEqual(["soon", "grave", "plain"]);
  });

  it("moves nothing when something arrives, until it is asked to", () => {
    const before = listed(EMPTY, approval("a"), approval("b"));
    const urgent = approval("urgent", { expiresAt: "2026-11-20T12:01:00.000Z" });
    const after = listed(before, approval("a"), approval("b"), urgent);
    expect(after.order).toEqual(before.order);
    expect(after.arrived).toEqual(["urgent"]);
    expect(reduce(after, { type: "show-arrived" }).order).toEqual(["urgent", "a", "b"]);
  });

  it("keeps what was decided in its place until it is put away", () => {
    const before = listed(EMPTY, approval("a"), approval("b"));
    expect(missingFrom(before, [approval("b")])).toEqual(["a"]);
    const decided = reduce(before, { type: "read", approval: approval("a", { state: "denied" }), locale: "en" });
    expect(decided.order).toEqual(["a", "b"]);
    expect(reduce(decided, { type: "put-away", approvalIds: ["a"] }).order).toEqual(["b"]);
  });

  it("does not announce what was over before anybody saw it", () => {
    const before = listed(listed(EMPTY, approval("a")), approval("a"), approval("late"));
    const over = approval("late", { state: "cancelled" });
    expect(reduce(before, { type: "read", approval: over, locale: "en" }).arrived).toEqual([]);
  });

  it("keeps a long call's card that was read, until the call, the language or what is kept of it is another", () => {
    const card = { locale: "en" } as NonNullable<ApprovalView["card"]>;
    const before = listed(EMPTY, approval("a", { card, toolCallHash: "h1" }));
    const unread = (more: Partial<ApprovalView>, locale = "en") => {
      const { card: _card, ...rest } = approval("a", { toolCallHash: "h1", ...more });
      return reduce(before, { type: "read", approval: rest, locale }).items.get("a")?.card;
    };
    expect(unread({ state: "approved" })).toBe(card);
    expect(unread({ toolCallHash: "h2" })).toBeUndefined();
    expect(unread({}, "zh")).toBeUndefined();
    expect(unread({ erasedAt: "2026-11-20T12:05:00.000Z" })).toBeUndefined();
  });
});

describe("similar questions", () => {
  it("does not draw a long call into a group once it is read", () => {
    const long = approval("long", {}, { title: "x".repeat(70_000) });
    expect(grouped([approval("a"), long, approval("b")]).filter(isGroup)).toMatchObject([
      { members: [{ approvalId: "a" }, { approvalId: "b" }] },
    ]);
  });

  it("stand together by tool, agent, tier and shape; the highest risk and the decided stand alone", () => {
    const rows = grouped([
      approval("a"),
      approval("b"),
      approval("other shape", {}, { title: "x", start: "now" }),
      approval("grave", { riskTier: "R4" }),
      approval("graver", { riskTier: "R4" }),
      approval("done", { state: "succeeded" }),
      approval("other agent", { requester: { userId: "ann", agentId: "writer", sessionId: "s" } }),
    ]);
    expect(rows.filter(isGroup).map(({ members }) => members.map(({ approvalId }) => approvalId))).toEqual([
      ["a", "b"],
    ]);
    expect(rows).toHaveLength(6);
  });

  it("mark the odd one out (attack H7)", () => {
    const same = ["a", "b", "c"].map((id) => approval(id, {}, { to: "bo@example.com" }));
    expect([...oddOnes([...same, approval("d", {}, { to: "eve@example.com" })])]).toEqual([["d", "to"]]);
    expect([...oddOnes(same)]).toEqual([]);
  });
});

describe("the search", () => {
  const found = (text: string, ...approvals: ApprovalView[]) =>
    approvals.filter((each) => matches(each, { ...NO_FILTER, text })).map(({ approvalId }) => approvalId);

  it("finds every word in the tool, the agent or an argument, in any order and case", () => {
    const dentist = approval("dentist", {}, { title: "Book the dentist" });
    const passport = approval("passport", {}, { title: "Renew the passport" });
    expect(found("DENTIST book", dentist, passport)).toEqual(["dentist"]);
    expect(found("calendar planner", dentist, passport)).toEqual(["dentist", "passport"]);
    expect(found("dentist passport", dentist, passport)).toEqual([]);
  });

  it("does not find what every call has: hashes and the names of its parts", () => {
    const toolCallCanonical = JSON.stringify({ args: { n: 1 }, binding: "countersign/call/v1", fingerprint: "8d374f" });
    const card = { toolCallCanonical, arguments: [] } as unknown as NonNullable<ApprovalView["card"]>;
    for (const text of ["7", "8d374f", "fingerprint", "binding"])
      expect(found(text, approval("a", { card }))).toEqual([]);
  });
});
