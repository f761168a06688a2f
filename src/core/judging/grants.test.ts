import { describe, expect, it } from "vitest";
import { approval, NOW } from "../../../test/gate/records.js";
import { isRefusal } from "../errors.js";
import type { CallRecord } from "../record.js";
import { RISK_TIERS } from "../risk.js";
import { defineTool } from "../tool.js";
import {
  checkDecisionScope,
  covers,
  type DecisionScope,
  draftGrant,
  type Grant,
  type GrantDraft,
  type GrantUse,
} from "./grants.js";
import { pinAll } from "./pins.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ARGS = { to: "bob", amount: 20 };
const CALL: CallRecord = {
  canonical: JSON.stringify({ args: ARGS, fingerprint: "f1" }),
  reasons: [],
  verdict: { type: "confirm", step: "tier_default", rules: [] },
};
type Wider = Exclude<DecisionScope, { kind: "once" }>;

describe("a scope", () => {
  it.each<DecisionScope>([
    { kind: "once" },
    { kind: "session" },
    { kind: "session", pins: [{ path: "to", op: "equals", value: "bob" }] },
    { kind: "minutes" },
    { kind: "minutes", minutes: 0.5 },
    { kind: "minutes", minutes: 1_440 },
    { kind: "uses", uses: 1 },
    { kind: "uses", uses: 1_000 },
    { kind: "workspace", acknowledged: true },
    { kind: "workspace", acknowledged: false },
  ])("may be %j", (scope) => {
    expect(() => checkDecisionScope(scope)).not.toThrow();
  });

  const kinds = "A scope's kind is one of once, session, minutes, uses, workspace.";
  const minutes = "A grant is for more than no time and at most a day: minutes from 1 to 1440.";
  const uses = "A grant by uses is for 1 to 1000 calls.";
  it.each<[unknown, string]>([
    [null, kinds],
    [undefined, kinds],
    ["session", kinds],
    [{ kind: "toString" }, kinds],
    [{ kind: "once", minutes: 5 }, 'A scope of kind "once" has no field "minutes".'],
    [{ kind: "session", acknowledged: true }, 'A scope of kind "session" has no field "acknowledged".'],
    [{ kind: "minutes", minutes: 0 }, minutes],
    [{ kind: "minutes", minutes: -1 }, minutes],
    [{ kind: "minutes", minutes: 1_440.1 }, minutes],
    [{ kind: "minutes", minutes: "15" }, minutes],
    [{ kind: "minutes", minutes: Number.NaN }, minutes],
    [{ kind: "uses" }, uses],
    [{ kind: "uses", uses: 0 }, uses],
    [{ kind: "uses", uses: 1.5 }, uses],
    [{ kind: "uses", uses: 1_001 }, uses],
    [{ kind: "workspace", acknowledged: "yes" }, "acknowledged is true or false."],
    [{ kind: "session", pins: "all" }, "Pins are a list of at most 50."],
  ])("is refused in words that help: %j", (scope, message) => {
    expect(() => checkDecisionScope(scope as DecisionScope)).toThrow(
      expect.objectContaining({ code: "unsupported_scope", message }),
    );
  });
});

function draft(scope: Wider, over: Parameters<typeof approval>[0] = {}, call = CALL, policy?: string) {
  return draftGrant(approval({ riskTier: "R2", ...over }), call, scope, NOW, policy);
}

function drafted(...args: Parameters<typeof draft>): GrantDraft {
  const result = draft(...args);
  if (isRefusal(result)) throw new Error(result.message);
  return result;
}

describe("a grant to be given", () => {
  it("reaches as far as the call it is given for", () => {
    expect(drafted({ kind: "session" })).toStrictEqual({
      workspaceId: "home",
      kind: "session",
      tool: "tasks.delete",
      fingerprint: "f1",
      agentId: "helper",
      lineage: [],
      sessionId: "s1",
      userId: "ann",
      riskTier: "R2",
      pins: [],
      until: NOW + DAY,
      approvalId: "a1",
    });
  });

  it("is for every session only when it is for the workspace", () => {
    const wide = drafted({ kind: "workspace" });
    expect(wide).not.toHaveProperty("sessionId");
    expect(wide).not.toHaveProperty("userId");
  });

  it("keeps the agents above and the policy it is given under", () => {
    expect(drafted({ kind: "session" }, {}, { ...CALL, lineage: ["chief"] }, "p1")).toMatchObject({
      lineage: ["chief"],
      policy: "p1",
    });
  });

  it.each<[Wider, number]>([
    [{ kind: "minutes" }, 15 * MINUTE],
    [{ kind: "minutes", minutes: 2 }, 2 * MINUTE],
    [{ kind: "session" }, DAY],
    [{ kind: "uses", uses: 3 }, DAY],
    [{ kind: "workspace" }, 30 * DAY],
  ])("%j ends by itself after %i ms", (scope, length) => {
    expect(drafted(scope).until).toBe(NOW + length);
  });

  it("counts its uses when it has a number of them", () => {
    expect(drafted({ kind: "uses", uses: 3 }).uses).toBe(3);
    expect(drafted({ kind: "session" })).not.toHaveProperty("uses");
  });

  it("is for exactly these arguments at R3, unless pins say more", () => {
    expect(drafted({ kind: "session" }, { riskTier: "R3" }).pins).toEqual(pinAll(ARGS));
    const pins = [{ path: "amount", op: "max", value: 50 }] as const;
    expect(drafted({ kind: "session", pins }, { riskTier: "R3" }).pins).toEqual(pins);
  });

  const pins = [{ path: "amount", op: "max", value: 10 }] as const;
  it.each<[string, ...Parameters<typeof draft>]>([
    ["highest risk", { kind: "session" }, { riskTier: "R4" }],
    ["several people", { kind: "session" }, { audience: { ...approval().audience, quorum: 2 } }],
    ["always asked", { kind: "session" }, {}, { ...CALL, verdict: { ...CALL.verdict, step: "always_confirm" } }],
    ["acknowledged", { kind: "workspace" }, { riskTier: "R3" }],
    ["has to be acknowledged", { kind: "workspace", acknowledged: false }, { riskTier: "R3" }],
    ["within the pins", { kind: "session", pins }],
  ])("is refused where it would mean more than its giver could say: %s", (words, ...asked) => {
    expect(draft(...asked)).toMatchObject({ refused: "unsupported_scope", message: expect.stringContaining(words) });
  });

  it("is given for the workspace at R3 once that is acknowledged", () => {
    expect(drafted({ kind: "workspace", acknowledged: true }, { riskTier: "R3" }).kind).toBe("workspace");
  });
});

describe("what a grant covers", () => {
  const tool = defineTool({ name: "tasks.delete" });
  const caller = { workspaceId: "home", agentId: "helper", sessionId: "s1", userId: "ann" };
  const grant: Grant = {
    grantId: "g1",
    workspaceId: "home",
    kind: "session",
    tool: "tasks.delete",
    fingerprint: tool.fingerprint,
    agentId: "helper",
    lineage: [],
    sessionId: "s1",
    userId: "ann",
    riskTier: "R2",
    pins: [],
    until: NOW + DAY,
    policy: "p1",
    approvalId: "a1",
    givenAt: NOW,
    by: { userId: "ann", roles: [], groups: [], assurance: "host" },
  };
  const use: GrantUse = { tool, args: ARGS, riskTier: "R2", caller, now: NOW, policy: "p1" };

  it("is the same call again, at the same risk or less", () => {
    for (const riskTier of ["R0", "R1", "R2"] as const) expect(covers(grant, { ...use, riskTier })).toBe(true);
  });

  it.each<[string, Partial<GrantUse>]>([
    ["at its last millisecond", { now: grant.until }],
    ["in another workspace", { caller: { ...caller, workspaceId: "work" } }],
    ["of another tool", { tool: { ...tool, name: "tasks.add" } }],
    ["of a changed tool", { tool: { ...tool, fingerprint: "f2" } }],
    ["under another policy", { policy: "p2" }],
    ["under no policy", { policy: undefined }],
    ["by another agent", { caller: { ...caller, agentId: "other" } }],
    ["by a child agent", { caller: { ...caller, lineage: ["helper"] } }],
    ["in another session", { caller: { ...caller, sessionId: "s2" } }],
    ["for another person", { caller: { ...caller, userId: "bob" } }],
    ["at a higher risk", { riskTier: "R3" }],
    ["at the highest risk", { riskTier: "R4" }],
  ])("attack C10: is not a call %s", (_how, over) => {
    expect(covers(grant, { ...use, ...over })).toBe(false);
  });

  it("attack C10: is a call by the same line of agents, from first to last", () => {
    const child: Grant = { ...grant, lineage: ["chief", "deputy"] };
    const by = (...lineage: string[]) => covers(child, { ...use, caller: { ...caller, lineage } });
    expect(by("chief", "deputy")).toBe(true);
    expect([by(), by("chief"), by("deputy", "chief"), by("chief", "other"), by("chief", "deputy", "x")]).not.toContain(
      true,
    );
  });

  it("attack C10: is never a call of the highest risk, whatever the grant says of itself", () => {
    for (const riskTier of RISK_TIERS) {
      expect(covers({ ...grant, riskTier: "R4" }, { ...use, riskTier })).toBe(riskTier !== "R4");
    }
  });

  it("is any session and person of the workspace when it is for the workspace", () => {
    const elsewhere = { ...use, caller: { ...caller, sessionId: "s2", userId: "bob" } };
    expect(covers({ ...grant, kind: "workspace" }, elsewhere)).toBe(true);
    expect(covers({ ...grant, kind: "uses" }, elsewhere)).toBe(false);
  });

  it("is a call within its pins", () => {
    const pinned: Grant = { ...grant, pins: [{ path: "amount", op: "max", value: 20 }] };
    expect(covers(pinned, use)).toBe(true);
    expect(covers(pinned, { ...use, args: { ...ARGS, amount: 21 } })).toBe(false);
  });
});
