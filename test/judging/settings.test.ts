import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, RISK_TIERS, type SettingsPatch } from "../../src/index.js";
import {
  ANN,
  BOB,
  CALLER,
  codeOf,
  entries,
  newGate,
  pendingId,
  recorded,
  StillClock,
  submit,
  verdictOf,
} from "./support.js";

const HOUR = 3_600_000;

describe("Autonomous Mode", () => {
  it("is off by default, runs up to its ceiling while it is on, and ends by itself", async () => {
    const clock = new StillClock();
    const gate = newGate({ tools: [recorded("R3").tool], clock });
    expect((await gate.settings(ANN)).autonomous).toBeUndefined();
    expect(await verdictOf(submit(gate, "a"))).toBe("pending");
    await gate.updateSettings({ autonomous: { on: true, until: clock.time + HOUR, ceiling: "R3" } }, ANN);
    expect(await verdictOf(submit(gate, "b"))).toBe("ran");
    expect(await verdictOf(submit(gate, "c", { userId: "bob" }))).toBe("pending");
    clock.time += HOUR - 1;
    expect(await verdictOf(submit(gate, "d"))).toBe("ran");
    clock.time += 1;
    expect(await verdictOf(submit(gate, "e"))).toBe("pending");
  });

  it("switching it on never answers what is already pending", async () => {
    const { tool, runs } = recorded("R3");
    const gate = newGate({ tools: [tool] });
    const approvalId = pendingId(await submit(gate, "a"));
    await gate.updateSettings({ autonomous: { on: true, until: Date.now() + HOUR, ceiling: "R3" } }, ANN);
    await gate.sweep();
    expect((await gate.resume(approvalId)).type).toBe("pending");
    expect(runs).toEqual([]);
  });

  it("switching it off holds for every call that is not claimed yet, in every process", async () => {
    const tool = defineTool({ name: "notes.add", riskTier: "R3", inputSchema: z.object({ id: z.string() }) });
    const gate = newGate({ tools: [tool] });
    const other = newGate({ tools: [tool], store: gate.store });
    await gate.updateSettings({ autonomous: { on: true, until: Date.now() + HOUR, ceiling: "R3" } }, ANN);
    const allowed = await submit(other, "a");
    if (allowed.type !== "pending" || allowed.token === undefined) throw new Error("expected a token");
    await gate.updateSettings({ autonomous: { on: false } }, ANN);
    const { approvalId, tokenId } = allowed.token;
    expect(await codeOf(other.claim({ approvalId, tokenId }))).toMatch(/policy_(denied|changed)/);
    expect(await submit(other, "b")).not.toHaveProperty("token");
  });

  it("spends its budget and then asks", async () => {
    const gate = newGate({ tools: [recorded("R2", { cost: 4 }).tool] });
    const until = Date.now() + HOUR;
    await gate.updateSettings({ autonomous: { on: true, until, ceiling: "R2", budget: { calls: 3 } } }, ANN);
    const calls = Array.from({ length: 10 }, (_, index) => verdictOf(submit(gate, `call ${index}`)));
    expect((await Promise.all(calls)).filter((verdict) => verdict === "ran")).toHaveLength(3);
    await gate.updateSettings({ autonomous: { on: false } }, ANN);
    await gate.updateSettings({ autonomous: { on: true, until: until + 1, ceiling: "R2", budget: { cost: 10 } } }, ANN);
    expect(await verdictOf(submit(gate, "x"))).toBe("ran");
    expect(await verdictOf(submit(gate, "y"))).toBe("ran");
    expect(await verdictOf(submit(gate, "z"))).toBe("pending");
  });

  it("goes on with the same budget when it is prolonged, also past its first end", async () => {
    const clock = new StillClock();
    const gate = newGate({ tools: [recorded("R2", { cost: 1 }).tool], clock });
    const prolong = (hours: number) => {
      const mode = { ceiling: "R2", budget: { calls: 2, cost: 5 } } as const;
      return gate.updateSettings({ autonomous: { on: true, until: clock.time + hours * HOUR, ...mode } }, ANN);
    };
    await prolong(1);
    expect(await verdictOf(submit(gate, "a"))).toBe("ran");
    expect(await verdictOf(submit(gate, "b"))).toBe("ran");
    await prolong(3);
    clock.time += 2 * HOUR;
    expect(await verdictOf(submit(gate, "c"))).toBe("pending");
    clock.time += HOUR;
    await prolong(1);
    expect(await verdictOf(submit(gate, "d"))).toBe("ran");
  });

  it.each([
    { on: true },
    { on: true, ceiling: "R3" },
    { on: true, until: Date.now() + HOUR, ceiling: "R4" },
    { on: true, until: Date.now() + 25 * HOUR, ceiling: "R2" },
    { on: true, until: Date.now() - 1, ceiling: "R2" },
    { on: "yes", until: Date.now() + HOUR, ceiling: "R2" },
    { on: true, until: Date.now() + HOUR, ceiling: "R2", budget: { calls: 0 } },
  ])("does not switch on by %j", async (autonomous) => {
    const gate = newGate({ tools: [recorded().tool] });
    expect(await codeOf(gate.updateSettings({ autonomous } as SettingsPatch, ANN))).toBe("invalid_call");
    expect((await gate.settings(ANN)).autonomous).toBeUndefined();
  });
});

describe("settings", () => {
  it("require_confirmation off is really off below R4, for that person alone, and start says so", async () => {
    const verdicts: Record<string, string> = {};
    const tools = RISK_TIERS.filter((tier) => tier !== "R0").map(
      (riskTier) =>
        recorded(riskTier, { name: `notes.${riskTier}`, confirm: riskTier === "R4" ? undefined : true }).tool,
    );
    const gate = newGate({ tools });
    await gate.updateSettings({ requireConfirmation: false }, ANN);
    for (const { name } of tools)
      verdicts[name] = await verdictOf(gate.submit({ tool: name, args: { id: "a" }, confidence: 0.1 }, CALLER));
    expect(verdicts).toEqual({ "notes.R1": "ran", "notes.R2": "ran", "notes.R3": "ran", "notes.R4": "pending" });
    const forBob = gate.submit({ tool: "notes.R3", args: { id: "b" } }, { ...CALLER, userId: "bob" });
    expect(await verdictOf(forBob)).toBe("pending");
    const told: unknown[] = [];
    const next = newGate({ store: gate.store, notice: (event, fields) => told.push([event, fields.userId]) });
    await next.sweep();
    expect(told).toContainEqual(["confirmation.off", "ann"]);
    await next.updateSettings({ requireConfirmation: true }, ANN);
    const silent: string[] = [];
    await newGate({ store: gate.store, notice: (event) => silent.push(event) }).sweep();
    expect(silent).not.toContain("confirmation.off");
  });

  it("confirm all API actions asks for writes that come through an API, and not for reads or people's own doors", async () => {
    const write = recorded("R1");
    const read = recorded("R1", { name: "notes.list", effect: "read" });
    const gate = newGate({ tools: [write.tool, read.tool] });
    await gate.updateSettings({ confirmAllApi: true, requireConfirmation: false }, ANN);
    expect(await verdictOf(submit(gate, "a", { surface: "rest" }))).toBe("pending");
    expect(await verdictOf(submit(gate, "b", { surface: "something new" }))).toBe("pending");
    expect(await verdictOf(submit(gate, "c", { surface: "chat" }))).toBe("ran");
    expect(await verdictOf(submit(gate, "d"))).toBe("ran");
    expect(
      await verdictOf(gate.submit({ tool: "notes.list", args: { id: "e" } }, { ...CALLER, surface: "rest" })),
    ).toBe("ran");
  });

  it("a person's threshold of confidence and times to decide hold before the tool's", async () => {
    const clock = new StillClock();
    const gate = newGate({
      tools: [recorded("R2", { ttl: 60_000 }).tool],
      clock,
      online: ({ requester }) => requester.sessionId !== "away",
    });
    const sure = { tool: "notes.add", args: { id: "a" }, confidence: 0.9 };
    expect(await verdictOf(gate.submit(sure, CALLER))).toBe("ran");
    await gate.updateSettings(
      { tools: { "notes.add": { confidenceThreshold: 0.95, ttl: 120_000 } }, offlineTtl: 2 * HOUR },
      ANN,
    );
    const held = await gate.submit(sure, CALLER);
    expect(held).toMatchObject({ expiresAt: new Date(clock.time + 120_000).toISOString() });
    const away = await gate.submit(sure, { ...CALLER, sessionId: "away" });
    expect(away).toMatchObject({ expiresAt: new Date(clock.time + 2 * HOUR).toISOString() });
  });

  it("a tool's opt-out does not speak for a call that left its scope", async () => {
    const preview = ({ id }: { id: string }) => ({ effects: [], targets: [id] });
    const gate = newGate({ tools: [recorded("R2", { preview }).tool], scope: { paths: ["/desk"] } });
    await gate.updateSettings({ tools: { "notes.add": { confirm: "off" } } }, ANN);
    expect(await verdictOf(submit(gate, "/desk/a"))).toBe("ran");
    expect(await verdictOf(submit(gate, "/etc/passwd"))).toBe("pending");
  });

  it("marks what weakens and asks for more proof of the person first; tightening needs nothing", async () => {
    const asked: string[] = [];
    let refuses = false;
    const gate = newGate({
      tools: [recorded().tool],
      weaken: async ({ userId }, act) => {
        asked.push(`${userId} ${act}`);
        if (refuses) throw new Error("a passkey is needed");
      },
    });
    await gate.updateSettings({ confirmAllApi: true, tools: { "notes.add": { confirm: "always" } } }, ANN);
    expect(asked).toEqual([]);
    await gate.updateSettings({ tools: { "notes.add": { confirm: "on", confidenceThreshold: 0.9 } } }, ANN);
    expect(asked).toEqual(["ann settings.changed"]);
    refuses = true;
    for (const patch of [
      { confirmAllApi: false },
      { requireConfirmation: false },
      { tools: { "notes.add": null } },
      { tools: { "notes.add": { confirm: "on", confidenceThreshold: 0.5 } } },
      { apps: { notes: "off" } },
      { autonomous: { on: true, until: Date.now() + HOUR, ceiling: "R1" } },
    ] as const)
      await expect(gate.updateSettings(patch, ANN)).rejects.toThrow("passkey");
    expect(await gate.settings(ANN)).toMatchObject({ confirmAllApi: true, requireConfirmation: true, apps: {} });
    const marks = (await entries(gate))
      .filter(({ type }) => type === "settings.changed")
      .map(({ content }) => content.weakening);
    expect(marks).toEqual([undefined, true]);
  });

  it.each([
    { requireConfirmation: "off" },
    { confirm_all_api: true },
    { tools: { "notes.add": { confirm: "never" } } },
    { tools: { "notes.add": { ask: false } } },
    { tools: { "notes.add": { confidenceThreshold: 2 } } },
    { apps: { notes: "always" } },
    { offlineTtl: -1 },
    null,
  ])("a patch that is not one changes nothing: %j", async (patch) => {
    const gate = newGate({ tools: [recorded().tool] });
    expect(await codeOf(gate.updateSettings(patch as never, ANN))).toBe("invalid_call");
    expect(await codeOf(gate.updateSettings({ confirmAllApi: true }, { ...ANN, kind: "agent" } as never))).toBe(
      "user_mismatch",
    );
    expect(await gate.settings(BOB)).toMatchObject({ userId: "bob", tools: {}, confirmAllApi: false });
  });

  it("what a patch leaves undefined stays as it is", async () => {
    const gate = newGate({ tools: [recorded("R3").tool] });
    await gate.updateSettings({ confirmAllApi: true }, ANN);
    const copied = { requireConfirmation: undefined, confirmAllApi: undefined, tools: undefined, offlineTtl: 60_000 };
    const after = await gate.updateSettings(copied as never, ANN);
    expect(after).toMatchObject({ requireConfirmation: true, confirmAllApi: true, offlineTtl: 60_000 });
    expect(await verdictOf(submit(gate, "a"))).toBe("pending");
    expect((await entries(gate)).findLast(({ type }) => type === "settings.changed")?.content.changed).toEqual([
      "offlineTtl",
    ]);
  });

  it("two changes at once are both kept", async () => {
    const gate = newGate({ tools: [recorded().tool] });
    const names = Array.from({ length: 10 }, (_, index) => `tool${index}.x`);
    await Promise.all(names.map((name) => gate.updateSettings({ tools: { [name]: { confirm: "on" } } }, ANN)));
    expect(Object.keys((await gate.settings(ANN)).tools).sort()).toEqual(names);
  });
});
