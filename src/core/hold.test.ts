import { describe, expect, it } from "vitest";
import type { Caller } from "./call.js";
import { audienceOf } from "./hold.js";

const caller: Caller = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "helper" };

describe("audienceOf", () => {
  it("is by default the person the call is made for, and the workspace's owners and approvers", () => {
    expect(audienceOf(caller, [undefined, {}])).toEqual({
      persons: ["ann"],
      roles: ["owner", "approver"],
      groups: [],
      quorum: 1,
      notRequester: false,
    });
  });

  it("is exactly who a requirement names, and the later one's where two do", () => {
    expect(audienceOf(caller, [{ groups: ["night"] }])).toMatchObject({ persons: [], roles: [], groups: ["night"] });
    const two = audienceOf(caller, [{ persons: ["bob"] }, { roles: ["auditor"] }]);
    expect(two).toMatchObject({ persons: [], roles: ["auditor"], groups: [] });
    expect(audienceOf(caller, [{ persons: [] }])).toMatchObject({ persons: [], roles: [], groups: [] });
  });

  it("keeps the larger quorum and the ban of the requester from wherever they come", () => {
    expect(
      audienceOf(caller, [
        { quorum: 3, notRequester: true },
        { quorum: 2, notRequester: false },
      ]),
    ).toMatchObject({
      quorum: 3,
      notRequester: true,
    });
    for (const quorum of [0, -1]) expect(audienceOf(caller, [{ quorum }]).quorum).toBe(1);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1.5, "2", null])(
    "invariant I8: never takes %j for one approver",
    (quorum) => {
      expect(audienceOf(caller, [{ quorum: quorum as number }]).quorum).toBeGreaterThan(1_000_000);
    },
  );
});
