import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newEntry } from "../../src/core/audit.js";
import { mark } from "../support/marks.js";
import { RedisServer, redisMissing, skipped } from "../support/redis.js";
import { ANA, CALLER, held, newGate, operator } from "./support.js";

let server: RedisServer;

describe.skipIf(redisMissing)(`pending_app_skill:{user_id}:{app_skill_id} (seed C36)${skipped}`, () => {
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  /** A question that waits, and what Redis shows of it. */
  async function pending(args: Readonly<Record<string, unknown>> = {}) {
    const { gate } = await newGate({ url: server.url });
    const send = await operator(server.url);
    const approvalId = await held(gate, "job.update", { ...args, n: Math.random() });
    const key = `pending_app_skill:${CALLER.userId}:${approvalId}`;
    const read = async () => {
      const row = (await send("HGETALL", key)) as string[];
      return Object.fromEntries(row.flatMap((name, i) => (i % 2 === 0 ? [[name, row[i + 1]]] : [])));
    };
    return { gate, send, approvalId, key, read };
  }

  it("holds what waits, with the record's fields", async () => {
    const { approvalId, read, gate } = await pending({ to: "ben", password: "hunter2" });
    const approval = await gate.approval(approvalId, ANA);
    const fields = await read();
    expect(fields).toEqual({
      app_skill_id: approvalId,
      workspace_id: "w1",
      type: "job.update",
      status: "pending",
      created_at: new Date(approval.requestedAt).toISOString(),
      expires_at: new Date(approval.decideBy).toISOString(),
      confirmation_token: `hash:${approval.tokenHash}`,
      details: expect.stringContaining('"to":"ben"'),
    });
    expect(JSON.stringify(fields)).not.toContain("hunter2");
  });

  it("lives as long as the question may be answered, and no longer", async () => {
    const { approvalId, send, key, gate } = await pending();
    const { requestedAt, decideBy } = await gate.approval(approvalId, ANA);
    const left = Number(await send("PTTL", key));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(decideBy - requestedAt);
  });

  it.each(["approve", "deny"] as const)("goes with the answer %s", async (decision) => {
    const { approvalId, read, gate } = await pending();
    await gate.decide({ approvalId, decision }, ANA);
    expect(await read()).toEqual({});
  });

  it("goes when the requester withdraws, and when the record is erased", async () => {
    const first = await pending();
    await first.gate.cancel({ approvalId: first.approvalId }, CALLER);
    expect(await first.read()).toEqual({});
    const second = await pending();
    const records = [{ kind: "approval" as const, id: second.approvalId }];
    await second.gate.store.erase(
      { workspaceId: "w1", seqs: [], records },
      newEntry("content.erased", "", { seqs: [] }),
    );
    expect(await second.read()).toEqual({});
  });

  it("is only a mirror: without it the question can still be answered (fault R11)", async () => {
    const { approvalId, key, send, gate } = await pending();
    await send("DEL", key);
    expect(await gate.decide({ approvalId, decision: "approve" }, ANA)).toMatchObject({ state: "approved" });
  });

  it("stands in nobody's way: where somebody else keeps something under its key, the question waits all the same", async () => {
    const { gate, send, approvalId } = await pending();
    const { value = "" } = (await gate.store.get("approval", approvalId)) ?? {};
    await send("SET", `pending_app_skill:${CALLER.userId}:other`, "theirs");
    const puts = [{ kind: "approval" as const, id: "other", version: 0, value }];
    expect(await gate.store.commit([mark("other", { puts })])).toMatchObject([{ ok: true }]);
    expect(await gate.store.get("approval", "other")).toMatchObject({ version: 1, value });
    expect(await send("GET", `pending_app_skill:${CALLER.userId}:other`)).toBe("theirs");
    expect(await send("TTL", `pending_app_skill:${CALLER.userId}:other`)).toBe(-1);
  });

  it("can be left out", async () => {
    const { gate } = await newGate({ url: server.url, prefix: "plain", mirror: false });
    const approvalId = await held(gate, "job.update");
    const send = await operator(server.url);
    expect(await send("EXISTS", `pending_app_skill:${CALLER.userId}:${approvalId}`)).toBe(0);
  });
});
