import { describe, expect, it } from "vitest";
import type { Classification } from "./classify.js";
import { judge, type Opinion } from "./judge.js";
import { bothRequired } from "./requirement.js";

describe("two requirements at once", () => {
  it("takes the larger quorum, the shorter time and any bar on the requester", () => {
    expect(bothRequired({ quorum: 2, ttl: 300 }, { quorum: 3, ttl: 100, notRequester: true })).toEqual({
      quorum: 3,
      ttl: 100,
      notRequester: true,
    });
    expect(bothRequired({ notRequester: true }, {})).toEqual({ notRequester: true });
    expect(bothRequired({}, { ttl: 5 })).toEqual({ ttl: 5 });
    expect(bothRequired({}, {})).toEqual({});
  });

  it("keeps the approvers of the one that names some", () => {
    expect(bothRequired({ roles: ["owner"] }, { quorum: 2 })).toEqual({ roles: ["owner"], quorum: 2 });
    expect(bothRequired({ ttl: 1 }, { persons: ["ann"], groups: ["dba"] })).toEqual({
      ttl: 1,
      persons: ["ann"],
      groups: ["dba"],
    });
  });

  it("leaves out the kinds that nobody named", () => {
    expect(bothRequired({ roles: ["owner"] }, {})).toStrictEqual({ roles: ["owner"] });
    expect(bothRequired({}, { groups: ["dba"] })).toStrictEqual({ groups: ["dba"] });
    expect(bothRequired({}, { persons: ["ann"] })).toStrictEqual({ persons: ["ann"] });
  });

  it("leaves only groups and persons that both name", () => {
    expect(
      bothRequired({ groups: ["dba", "ops"], persons: ["ann"] }, { groups: ["ops"], persons: ["bob", "ann"] }),
    ).toEqual({ roles: [], groups: ["ops"], persons: ["ann"] });
  });

  it("leaves only approvers that both name, down to nobody", () => {
    expect(bothRequired({ roles: ["owner", "finance"], persons: ["ann"] }, { roles: ["finance", "legal"] })).toEqual({
      roles: ["finance"],
      groups: [],
      persons: [],
    });
    expect(bothRequired({ roles: ["owner"] }, { groups: ["dba"] })).toEqual({ roles: [], groups: [], persons: [] });
  });
});

describe("a requirement that another step asks for", () => {
  const classification: Classification = {
    effect: "write",
    riskTier: "R4",
    reasons: [],
    lowConfidence: false,
    confident: false,
  };
  const question = { tool: undefined, args: {}, classification };
  const twoEyes: Opinion = {
    type: "confirm",
    step: "confirm_rule",
    rules: ["two"],
    reason: "Two have to look.",
    requirement: { quorum: 2, roles: ["finance"] },
  };

  it("holds when the tier floor asks first", () => {
    expect(judge(question, [twoEyes])).toEqual({
      type: "confirm",
      step: "tier_floor",
      rules: ["two"],
      reason: "Two have to look.",
      requirement: { quorum: 2, roles: ["finance"] },
    });
  });

  it("holds when a person's own setting asks first, and adds to what that one asks for", () => {
    const setting: Opinion = {
      type: "confirm",
      step: "always_confirm",
      rules: ["setting"],
      reason: "Always.",
      requirement: { ttl: 9 },
    };
    expect(judge(question, [twoEyes, setting])).toEqual({
      type: "confirm",
      step: "always_confirm",
      rules: ["setting", "two"],
      reason: "Always.",
      requirement: { quorum: 2, roles: ["finance"], ttl: 9 },
    });
  });

  it("is left as it is when nobody else requires anything", () => {
    const calm = { ...question, classification: { ...classification, riskTier: "R1" as const } };
    expect(judge(calm, [twoEyes])).toStrictEqual(twoEyes);
    const plain: Opinion = { type: "confirm", step: "mode", rules: ["mode"] };
    expect(judge(calm, [plain])).toStrictEqual(plain);
    // Another that asks too, and requires nothing, is not among the rules that decided.
    expect(judge(question, [plain])).toStrictEqual({ type: "confirm", step: "tier_floor", rules: [] });
  });

  it("comes from those who ask: an allow requires nothing", () => {
    const allow: Opinion = { type: "allow", step: "allow_rule", rules: ["a"], requirement: { quorum: 5 } };
    expect(judge(question, [allow])).toStrictEqual({ type: "confirm", step: "tier_floor", rules: [] });
  });

  it("brings its reason when the step that asks has none, and the first that there is", () => {
    const silent: Opinion = { type: "confirm", step: "mode", rules: ["silent"], requirement: { ttl: 3 } };
    expect(judge(question, [silent])).toStrictEqual({
      type: "confirm",
      step: "tier_floor",
      rules: ["silent"],
      requirement: { ttl: 3 },
    });
    expect(judge(question, [silent, twoEyes]).reason).toBe("Two have to look.");
  });

  it.each([2, Number.NaN])("of %d people is not met by the one who gave a grant (I10)", (quorum) => {
    const several: Opinion = { type: "confirm", step: "confirm_rule", rules: ["s"], requirement: { quorum } };
    const grant: Opinion = { type: "allow", step: "grant", rules: ["g"] };
    const low = { ...question, classification: { ...classification, riskTier: "R3" as const } };
    expect(judge(low, [several, grant])).toStrictEqual(several);
    // Nor does it get lost where another step asks first.
    expect(judge(question, [several]).requirement).toStrictEqual({ quorum });
  });

  it("is nobody's business when a grant allows or a rule denies", () => {
    const grant: Opinion = { type: "allow", step: "grant", rules: ["g"] };
    const low = { ...question, classification: { ...classification, riskTier: "R3" as const } };
    const timed: Opinion = { type: "confirm", step: "confirm_rule", rules: ["t"], requirement: { ttl: 5 } };
    expect(judge(low, [timed, grant])).toEqual(grant);
    const deny: Opinion = { type: "deny", step: "deny_rule", rules: ["d"] };
    expect(judge(question, [twoEyes, deny])).toEqual(deny);
  });
});
