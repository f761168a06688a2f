import { describe, expect, it } from "vitest";
import { approval, HASH, NOW } from "../../../test/gate/records.js";
import type { Resolution } from "../approval.js";
import { type Attempt, type Denial, denialOpinions, denialPut, denialSignals } from "./denials.js";
import type { Standing } from "./standing.js";

const COOL_DOWN = 600_000;
const DENIED: Resolution = { type: "denied", at: NOW, by: "ann" };

const denied = (resolution: Resolution) => approval({ state: "denied", resolution });

const denial = (approvalId: string, over: Partial<Denial> = {}): Denial => ({
  approvalId,
  workspaceId: "home",
  sessionId: "s1",
  tool: "tasks.delete",
  toolCallHash: approvalId,
  by: "ann",
  at: NOW,
  until: NOW + COOL_DOWN,
  ...over,
});

const standing = (...denials: Denial[]): Standing => ({ grants: [], settings: new Map(), denials });
const attempt: Attempt = { toolCallHash: "new", tool: "tasks.delete", sessionId: "s1", now: NOW };

describe("remembering a denial", () => {
  it("keeps who said no to what, and until when", () => {
    const put = denialPut(denied({ ...DENIED, reason: "not today" }), COOL_DOWN);
    expect(put).toMatchObject({ kind: "denial", id: "a1", version: 0, due: NOW + COOL_DOWN });
    expect(JSON.parse(put?.value ?? "")).toEqual({
      approvalId: "a1",
      workspaceId: "home",
      sessionId: "s1",
      tool: "tasks.delete",
      toolCallHash: HASH,
      by: "ann",
      reason: "not today",
      at: NOW,
      until: NOW + COOL_DOWN,
    });
  });

  it("is for what a person denied: not for what ran out or was withdrawn, nor for a no without anybody", () => {
    for (const type of ["expired", "cancelled", "approved"] as const)
      expect(denialPut(denied({ ...DENIED, type }), COOL_DOWN)).toBeUndefined();
    expect(denialPut(denied({ type: "denied", at: NOW }), COOL_DOWN)).toBeUndefined();
    expect(denialPut(approval(), COOL_DOWN)).toBeUndefined();
  });

  it("is turned off by a time of nothing", () => {
    expect(denialPut(denied(DENIED), 1)?.due).toBe(NOW + 1);
    expect(denialPut(denied(DENIED), 0)).toBeUndefined();
    expect(denialPut(denied(DENIED), -1)).toBeUndefined();
  });
});

describe("what remembered denials say", () => {
  it("refuse the same call, in the words of the one who denied it", async () => {
    const known = standing(denial("other"), denial("a1", { reason: "not today" }));
    expect(await denialOpinions(known, { ...attempt, toolCallHash: "a1" }, 3)).toEqual([
      {
        type: "deny",
        step: "remembered_denial",
        rules: ["denial:a1"],
        reason: "ann denied this very call a short while ago: not today",
      },
    ]);
    expect((await denialOpinions(standing(denial("a1")), { ...attempt, toolCallHash: "a1" }, 3))[0]?.reason).toBe(
      "ann denied this very call a short while ago",
    );
  });

  it("name the one who denied it as people know them, where they do", async () => {
    const same = { ...attempt, toolCallHash: "a1" };
    const known = await denialOpinions(standing(denial("a1")), same, 3, async () => "Ann\u202e");
    expect(known[0]?.reason).toMatch(/^"Ann\\u\{202e\}" denied this very call/);
    const [nobody] = await denialOpinions(standing(denial("a1")), same, 3, async () => undefined);
    expect(nobody?.reason).toMatch(/^ann denied/);
  });

  it("refuse the tool in this session once there are as many as the breaker says, and name them all", async () => {
    const known = standing(denial("a1"), denial("a2"), denial("a3"));
    expect(await denialOpinions(known, attempt, 4)).toEqual([]);
    expect(await denialOpinions(known, attempt, 3)).toEqual([
      {
        type: "deny",
        step: "remembered_denial",
        rules: ["denial:a1", "denial:a2", "denial:a3"],
        reason: "3 calls of tasks.delete were denied in this session a short while ago",
      },
    ]);
  });

  it("say nothing where the breaker is off, however many there are", async () => {
    expect(await denialOpinions(standing(denial("a1")), attempt, 0)).toEqual([]);
    expect(await denialOpinions(standing(), attempt, 0)).toEqual([]);
    expect(await denialOpinions(standing(denial("a1")), attempt, -1)).toEqual([]);
  });

  it("are about one tool, one session and a while", async () => {
    for (const elsewhere of [{ tool: "tasks.add" }, { sessionId: "s2" }, { until: NOW }, { until: NOW - 1 }]) {
      const known = standing(denial("a1", elsewhere));
      expect(await denialOpinions(known, { ...attempt, toolCallHash: "a1" }, 1)).toEqual([]);
      expect(denialSignals(known, attempt)).toEqual([]);
    }
    const last = standing(denial("a1", { until: NOW + 1 }));
    expect(await denialOpinions(last, { ...attempt, toolCallHash: "a1" }, 1)).toHaveLength(1);
  });

  it("tell the next approver how often it was tried", () => {
    expect(denialSignals(standing(), attempt)).toEqual([]);
    expect(denialSignals(standing(denial("a1")), attempt)).toEqual([
      {
        source: "threshold",
        code: "denied_before",
        riskTier: "R2",
        text: "People denied 1 call of this tool in this session a short while ago.",
        fragment: "1",
      },
    ]);
    expect(denialSignals(standing(denial("a1"), denial("a2")), attempt)[0]?.text).toBe(
      "People denied 2 calls of this tool in this session a short while ago.",
    );
  });
});
