import { describe, expect, it } from "vitest";
import { firstOwner, MINUTE, openWorld, tempFile } from "../../../test/identity/world.js";
import type { WriteLimit } from "./limits.js";
import type { AgentPrincipal } from "./principal.js";

const agent: AgentPrincipal = {
  kind: "agent",
  agentId: "agt_1",
  keyId: "key_1",
  workspaceId: "wsp_1",
  ownerId: "usr_1",
  keyKind: "agent",
  scopes: [],
};
const send = { tool: "email.send", action: "send", provider: "smtp", model: "m1" };

describe("write limits", () => {
  it("let ten writes a minute through by default, exactly, however many come at once and on however many instances", async () => {
    const path = tempFile();
    const [one, two] = [await openWorld({ path }), await openWorld({ path })];
    const verdicts = await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 2 ? one : two).identity.limits.countWrite(agent, send)),
    );
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(10);
    expect(verdicts.find(({ ok }) => !ok)).toMatchObject({ limit: 10, resetAt: one.clock.now() + MINUTE });
    one.clock.pass(MINUTE);
    expect(await one.identity.limits.countWrite(agent, send)).toMatchObject({ ok: true, remaining: 9 });
  });

  it("differ by tool, provider, model and kind of write; a refused write uses nothing up", async () => {
    const writeLimits: WriteLimit[] = [
      { per: "caller", max: 100, window: MINUTE },
      { per: "tool", max: 4, window: MINUTE },
      { per: "tool", only: "pay.send", max: 1, window: MINUTE },
      { per: "provider", max: 6, window: MINUTE },
      { per: "model", action: "delete", max: 0, window: MINUTE },
    ];
    const { identity } = await openWorld({ writeLimits });
    const times = async (n: number, act: Parameters<typeof identity.limits.countWrite>[1]) => {
      let passed = 0;
      for (let i = 0; i < n; i++) if ((await identity.limits.countWrite(agent, act)).ok) passed++;
      return passed;
    };
    expect(await times(6, send)).toBe(4);
    expect(await times(3, { tool: "pay.send", provider: "bank" })).toBe(1);
    expect(await times(9, { tool: "email.draft", provider: "smtp" })).toBe(2);
    expect(await times(2, { tool: "email.purge", action: "delete", model: "m1" })).toBe(0);
    expect(await times(2, { tool: "email.purge", action: "delete" })).toBe(2);
    expect(await identity.limits.countWrite(agent, { tool: "a.b" })).toMatchObject({ ok: true });
  });

  it("count by agent and person, so that neither a new key nor a made-up name starts anew", async () => {
    const world = await openWorld({ writeLimits: [{ per: "caller", max: 1, window: MINUTE }] });
    const owner = await firstOwner(world);
    const { limits } = world.identity;
    expect((await limits.countWrite(agent, send)).ok).toBe(true);
    expect((await limits.countWrite({ ...agent, keyId: "key_2", deviceId: "dev_9" }, send)).ok).toBe(false);
    expect((await limits.countWrite({ ...agent, agentId: "agt_2" }, send)).ok).toBe(true);
    expect((await limits.countWrite(owner, send)).ok).toBe(true);
    expect((await limits.countWrite(owner, { tool: "other.tool" })).ok).toBe(false);
  });

  it("refuse the write when the counter cannot be read (invariant I8)", async () => {
    const { identity, database } = await openWorld();
    await database.run("DROP TABLE identity_counter");
    await expect(identity.limits.countWrite(agent, send)).rejects.toMatchObject({
      code: "store_failed",
      retryable: true,
    });
    await database.run(
      "CREATE TABLE identity_counter (id TEXT PRIMARY KEY, value BIGINT NOT NULL, ends_at BIGINT NOT NULL)",
    );
  });

  it.each([
    { max: -1, window: 1 },
    { max: 1.5, window: 1 },
    { max: 1, window: 0 },
    { max: Number.NaN, window: 1 },
  ])("are not %j", async (limit) => {
    await expect(openWorld({ writeLimits: [{ per: "caller", ...limit }] })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});
