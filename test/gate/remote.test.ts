import { expect, it } from "vitest";
import type { Gate } from "../../src/index.js";
import {
  ANN,
  BOB,
  CALLER,
  codeOf,
  counted,
  expectPending,
  ManualClock,
  newFile,
  onEachStore,
  remote,
} from "./support.js";

const CALL = { tool: "tasks.delete", args: { id: "7" } };

/** Asks, approves, and resumes into the token. */
async function approved(gate: Gate, caller = CALLER) {
  const asked = expectPending(await gate.submit(CALL, caller));
  expect(asked.token).toBeUndefined();
  await gate.decide({ approvalId: asked.approvalId, decision: "approve" }, ANN);
  const { token } = expectPending(await gate.resume(asked.approvalId, caller));
  if (token === undefined) throw new Error("no token");
  return token;
}

onEachStore("calls that run elsewhere", (world) => {
  it("seed D16: a token is minted only on approval, with the fields the protocol names", async () => {
    const clock = new ManualClock();
    const gate = world.gate({ tools: [remote()], clock });
    const token = await approved(gate, { ...CALLER, deviceId: "laptop" });
    expect(token).toEqual({
      tokenId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      approvalId: expect.any(String),
      toolCallHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      expiresAt: new Date(clock.now() + 300_000).toISOString(),
      singleUse: true,
      scope: { kind: "once" },
      issuedToClientDeviceId: "laptop",
    });
    const entries = await gate.store.entries("home", 0, 100);
    expect(JSON.stringify(entries)).not.toContain(token.tokenId);
    expect(JSON.stringify(await gate.approval(token.approvalId, ANN))).not.toContain(token.tokenId);
  });

  it("seed D17: claim hands out the effective arguments once, and finish tells how it ended", async () => {
    const gate = world.gate({ tools: [remote()] });
    const { approvalId, tokenId, toolCallHash } = await approved(gate);
    const claim = await gate.claim({ approvalId, tokenId, toolCallHash });
    expect(claim).toMatchObject({ approvalId, tool: "tasks.delete", args: { id: "7" }, toolCallHash });
    expect(await codeOf(gate.claim({ approvalId, tokenId, toolCallHash }))).toBe("already_claimed");
    const { claimId } = claim;
    expect(await codeOf(gate.finish({ approvalId, claimId: "other", type: "succeeded" }))).toBe("token_mismatch");
    const stranger = { ...CALLER, agentId: "x" };
    expect(await codeOf(gate.finish({ approvalId, claimId, type: "succeeded" }, stranger))).toBe("user_mismatch");
    const done = await gate.finish({ approvalId, claimId, type: "succeeded", result: { ok: true } });
    expect(done).toMatchObject({ type: "succeeded", result: { ok: true } });
    expect(await gate.finish({ approvalId, claimId, type: "failed", error: "no" })).toEqual(done);
    expect(await gate.resume(approvalId)).toEqual(done);
  });

  it("flaw F-D6, seed D18: a wrong hash, token, device or caller is refused and leaves the approval unspent", async () => {
    const gate = world.gate({ tools: [remote()] });
    const caller = { ...CALLER, deviceId: "laptop" };
    const { approvalId, tokenId, toolCallHash } = await approved(gate, caller);
    const refusals: [Promise<unknown>, string][] = [
      [gate.claim({ approvalId, tokenId, toolCallHash: "0".repeat(64) }, caller), "hash_mismatch"],
      [gate.claim({ approvalId, tokenId: crypto.randomUUID() }, caller), "token_mismatch"],
      [gate.claim({ approvalId, tokenId: "" }, caller), "token_mismatch"],
      [gate.claim({ approvalId, tokenId: 5 as never }, caller), "token_mismatch"],
      [gate.claim({ approvalId, tokenId }, { ...caller, deviceId: "phone" }), "device_mismatch"],
      [gate.claim({ approvalId, tokenId }, CALLER), "device_mismatch"],
      [gate.claim({ approvalId, tokenId }, { ...caller, sessionId: "s2" }), "user_mismatch"],
      [gate.claim({ approvalId, tokenId }, { ...caller, workspaceId: "work" }), "family_mismatch"],
    ];
    for (const [attempt, code] of refusals) expect(await codeOf(attempt)).toBe(code);
    expect((await gate.claim({ approvalId, tokenId, toolCallHash }, caller)).args).toEqual({ id: "7" });
  });

  it("whoever asked claims by id, without the token they would be told; nobody else does (I1)", async () => {
    const gate = world.gate({ tools: [remote()] });
    const caller = { ...CALLER, deviceId: "laptop" };
    const { approvalId } = expectPending(await gate.submit(CALL, caller));
    expect(await codeOf(gate.claimOwn(approvalId, caller))).toBe("not_approved");
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    const refusals: [Promise<unknown>, string][] = [
      [gate.claimOwn(approvalId, CALLER), "device_mismatch"],
      [gate.claimOwn(approvalId, { ...caller, deviceId: "phone" }), "device_mismatch"],
      [gate.claimOwn(approvalId, { ...caller, sessionId: "s2" }), "user_mismatch"],
      [gate.claimOwn(approvalId, { ...caller, agentId: "x" }), "user_mismatch"],
      [gate.claimOwn(approvalId, { ...caller, workspaceId: "work" }), "family_mismatch"],
      [gate.claimOwn(crypto.randomUUID(), caller), "not_found"],
    ];
    for (const [attempt, code] of refusals) expect(await codeOf(attempt)).toBe(code);
    const { token } = expectPending(await gate.resume(approvalId, caller));
    const claims = await Promise.allSettled([
      gate.claimOwn(approvalId, caller),
      gate.claimOwn(approvalId, caller),
      gate.claim({ approvalId, tokenId: token?.tokenId ?? "" }, caller),
    ]);
    const [claim, ...others] = claims.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(claim).toMatchObject({ approvalId, tool: "tasks.delete", args: { id: "7" } });
    expect(others).toEqual([]);
    expect(await codeOf(gate.claimOwn(approvalId, caller))).toBe("already_claimed");
    const { claimId = "" } = claim ?? {};
    const done = await gate.finish({ approvalId, claimId, type: "succeeded", result: 1 }, caller);
    expect(done).toMatchObject({ type: "succeeded", result: 1 });
  });

  it("claims by id what a person changed with the changed arguments, and nothing that a gate runs itself (I3)", async () => {
    const gate = world.gate({ tools: [remote(), counted({ name: "tasks.purge" })] });
    const { approvalId } = expectPending(await gate.submit(CALL));
    await gate.decide({ approvalId, decision: "approve", args: { id: "8" } }, ANN);
    expect((await gate.claimOwn(approvalId)).args).toEqual({ id: "8" });
    const elsewhere = expectPending(await gate.submit({ tool: "tasks.purge", args: { id: "7" } }));
    expect(await codeOf(gate.claimOwn(elsewhere.approvalId))).toBe("not_supported");
  });

  it("who looks again is told the same token, and nothing is written for it", async () => {
    const gate = world.gate({ tools: [remote()] });
    const first = await approved(gate);
    const { length } = await gate.store.entries("home", 0, 100);
    expect(expectPending(await gate.resume(first.approvalId)).token).toEqual(first);
    expect(await gate.store.entries("home", 0, 100)).toHaveLength(length);
  });

  it("a process that did not mint the token mints a newer one, and the one before it is void", async () => {
    const gate = world.gate({ tools: [remote()] });
    const first = await approved(gate);
    const other = world.gate({ tools: [remote()], store: gate.store });
    const { token: second } = expectPending(await other.resume(first.approvalId));
    expect(second?.tokenId).not.toBe(first.tokenId);
    expect(await codeOf(gate.claim({ approvalId: first.approvalId, tokenId: first.tokenId }))).toBe("token_mismatch");
    const { token: third } = expectPending(await gate.resume(first.approvalId));
    expect(await codeOf(other.claim({ approvalId: first.approvalId, tokenId: second?.tokenId ?? "" }))).toBe(
      "token_mismatch",
    );
    expect(await codeOf(gate.settle(first.approvalId, ANN))).toBe("already_resolved");
    expect(await codeOf(gate.askAgain(first.approvalId, ANN))).toBe("already_resolved");
    await gate.card(first.approvalId, ANN);
    const { approvalId, tokenId } = third as NonNullable<typeof third>;
    expect((await gate.claim({ approvalId, tokenId })).args).toEqual({ id: "7" });
    expect(await codeOf(other.claim({ approvalId, tokenId }))).toBe("already_claimed");
  });

  it("invariant I2: nothing is claimed before approval, after denial or after the time to claim", async () => {
    const clock = new ManualClock();
    const gate = world.gate({ tools: [remote()], clock });
    const { approvalId } = expectPending(await gate.submit(CALL));
    expect(await codeOf(gate.claim({ approvalId, tokenId: "x" }))).toBe("not_approved");
    await gate.decide({ approvalId, decision: "deny" }, BOB);
    expect(await codeOf(gate.claim({ approvalId, tokenId: "x" }))).toBe("already_resolved");
    await gate.liftDenial(approvalId, BOB);
    const late = await approved(gate);
    await clock.advance(300_000);
    expect(await codeOf(gate.claim({ approvalId: late.approvalId, tokenId: late.tokenId }))).toBe("expired");
    expect(await gate.resume(late.approvalId)).toMatchObject({
      type: "expired",
      message: expect.stringContaining("approved, but not started in time"),
    });
  });

  it("flaw F-6: a changed preview refuses the claim and leaves it unspent", async () => {
    let version = 1;
    const gate = world.gate({ tools: [remote({ preview: () => ({ effects: [], digest: `v${version}` }) })] });
    const { approvalId, tokenId } = await approved(gate);
    version = 2;
    expect(await codeOf(gate.claim({ approvalId, tokenId }))).toBe("preview_changed");
    const anew = expectPending(await gate.resume(approvalId));
    expect(anew.approvalId).not.toBe(approvalId);
    expect(anew.message).toContain("waiting for a person");
    await gate.decide({ approvalId: anew.approvalId, decision: "approve" }, ANN);
    const { token } = expectPending(await gate.resume(anew.approvalId));
    expect((await gate.claim({ approvalId: anew.approvalId, tokenId: token?.tokenId as string })).args).toEqual({
      id: "7",
    });
  });

  it("flaw F-6: a claim by the id of a question that was put again takes the new one, once it has its own yes (I3)", async () => {
    let version = 1;
    const gate = world.gate({ tools: [remote({ preview: () => ({ effects: [], digest: `v${version}` }) })] });
    const { approvalId } = expectPending(await gate.submit(CALL));
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    version = 2;
    expect(await codeOf(gate.claimOwn(approvalId))).toBe("preview_changed");
    expect(await codeOf(gate.claimOwn(approvalId))).toBe("not_approved");
    const anew = expectPending(await gate.resume(approvalId));
    await gate.decide({ approvalId: anew.approvalId, decision: "approve" }, ANN);
    expect(await gate.claimOwn(approvalId)).toMatchObject({ approvalId: anew.approvalId, args: { id: "7" } });
    expect(await codeOf(gate.claimOwn(anew.approvalId))).toBe("already_claimed");
  });

  it("a claim without a report becomes unknown, and a late report still settles it", async () => {
    const clock = new ManualClock();
    const notices: string[] = [];
    const gate = world.gate({ tools: [remote({ timeout: 10_000 })], clock, notice: (event) => notices.push(event) });
    const { approvalId, tokenId } = await approved(gate);
    const { claimId } = await gate.claim({ approvalId, tokenId });
    await clock.advance(12_000);
    expect(await gate.resume(approvalId)).toMatchObject({ type: "unknown" });
    expect(notices).toContain("call.unknown");
    expect(await gate.finish({ approvalId, claimId, type: "failed", error: "it broke" })).toMatchObject({
      type: "failed",
      error: "it broke",
    });
  });

  it("an allowed call that runs elsewhere needs a token and a claim like any other", async () => {
    const gate = world.gate({ tools: [remote({ name: "tasks.update", destructive: false, riskTier: "R1" })] });
    const allowed = expectPending(await gate.submit({ tool: "tasks.update", args: { id: "7" } }));
    const { approvalId, tokenId } = allowed.token as NonNullable<typeof allowed.token>;
    const told = (await gate.store.entries("home", 0, 100)).map(({ type }) => type);
    expect(told).toEqual(["call.allowed", "token.minted"]);
    expect((await gate.approval(approvalId, ANN)).version).toBe(1);
    const { claimId } = await gate.claim({ approvalId, tokenId });
    expect((await gate.finish({ approvalId, claimId, type: "succeeded" })).type).toBe("succeeded");
    expect(await gate.verify()).toMatchObject({ ok: true });
  });

  it("a pause stops a claim and leaves it unspent", async () => {
    const gate = world.gate({ tools: [remote()] });
    const { approvalId, tokenId } = await approved(gate);
    await gate.pause("home", true, ANN);
    expect(await codeOf(gate.claim({ approvalId, tokenId }))).toBe("policy_denied");
    await gate.pause("home", false, ANN);
    expect((await gate.claim({ approvalId, tokenId })).args).toEqual({ id: "7" });
  });

  it("takes a report in words that are no text, so that a failure that is known does not become unknown", async () => {
    const gate = world.gate({ tools: [remote()] });
    for (const [i, error] of [`${"x".repeat(1_999)}😀`, "half \ud83d"].entries()) {
      const caller = { ...CALLER, sessionId: `s${i}` };
      const { approvalId, tokenId } = await approved(gate, caller);
      const { claimId } = await gate.claim({ approvalId, tokenId }, caller);
      expect((await gate.finish({ approvalId, claimId, type: "failed", error }, caller)).type).toBe("failed");
    }
  });

  it("a claim goes by the rules as they are, not as this gate last saw them", async () => {
    const path = newFile();
    const gate = world.gate({ tools: [remote()] }, path);
    const other = world.gate(gate.store.promises().shared ? {} : { store: gate.store }, path);
    const { approvalId, tokenId } = await approved(gate);
    const { approvalId: laterId, tokenId: laterToken } = await approved(gate, { ...CALLER, sessionId: "later" });
    await other.pause("home", true, ANN);
    await other.pause("home", false, ANN);
    expect((await gate.claim({ approvalId, tokenId })).args).toEqual({ id: "7" });
    await other.pause("home", true, ANN);
    const later = gate.claim({ approvalId: laterId, tokenId: laterToken }, { ...CALLER, sessionId: "later" });
    expect(await codeOf(later)).toBe("policy_denied");
  });

  it("seed D14: the effective arguments of an edited call are the ones claimed", async () => {
    const gate = world.gate({ tools: [remote()] });
    const asked = expectPending(await gate.submit(CALL));
    await gate.decide({ approvalId: asked.approvalId, decision: "approve", args: { id: "8" } }, ANN);
    const { token } = expectPending(await gate.resume(asked.approvalId));
    const { approvalId, tokenId } = token as NonNullable<typeof token>;
    const proposed = asked.card.toolCallHash;
    expect(await codeOf(gate.claim({ approvalId, tokenId, toolCallHash: proposed }))).toBe("hash_mismatch");
    const claim = await gate.claim({ approvalId, tokenId });
    expect(claim.args).toEqual({ id: "8" });
    const done = await gate.finish({ approvalId, claimId: claim.claimId, type: "succeeded" });
    expect(done.message).toContain('id: "7" → "8"');
  });
});
