import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/server/open-store.js";
import { redisStore } from "../../src/stores/redis.js";
import { mark } from "../support/marks.js";
import { type RedisServer, redisMissing, skipped } from "../support/redis.js";
import { approved, CALLER, held, newGate, newServer, newStore, operator } from "./support.js";

const FENCED = { code: "store_failed", message: expect.stringContaining("fenced") };

/** A snapshot of what stands there now. */
async function backUp(server: RedisServer): Promise<string> {
  const send = await operator(server.url);
  await send("SAVE");
  const copy = join(server.folder, "backup.rdb");
  copyFileSync(join(server.folder, "dump.rdb"), copy);
  return copy;
}

/** As an operator restores one: the log goes, the snapshot is loaded, the log is begun anew. */
async function restore(server: RedisServer, copy: string): Promise<void> {
  await server.kill();
  rmSync(join(server.folder, "appendonlydir"), { recursive: true });
  copyFileSync(copy, join(server.folder, "dump.rdb"));
  await server.start({ appendonly: "no" });
  const send = await operator(server.url);
  await send("CONFIG", "SET", "appendonly", "yes");
}

async function fenceId(url: string): Promise<string> {
  const error = (await redisStore({ url }).catch((thrown: unknown) => thrown)) as Error;
  return /renew: "([^"]+)"/.exec(error.message)?.[1] ?? "";
}

describe.skipIf(redisMissing)(`data that came back older or empty${skipped}`, () => {
  it("is refused by a process that saw more: FLUSHALL never makes a token look unused (attack G12, fault R11)", async () => {
    const { url } = await newServer();
    const { gate } = await newGate({ url });
    const { approvalId, tokenId } = await approved(gate);
    await gate.claim({ approvalId, tokenId }, CALLER);
    await (await operator(url))("FLUSHALL");
    await expect(gate.submit({ tool: "task.update", args: {} }, CALLER)).rejects.toMatchObject({
      cause: { message: expect.stringContaining("emptied") },
    });
    await expect(gate.claim({ approvalId, tokenId }, CALLER)).rejects.toMatchObject(FENCED);
    // And so it is for everybody who comes later.
    await expect(redisStore({ url })).rejects.toMatchObject(FENCED);
  });

  it("is taken up again by whoever runs the server, who is told how (fault R11)", async () => {
    const { url } = await newServer();
    const { gate } = await newGate({ url });
    const approvalId = await held(gate, "task.update");
    await (await operator(url))("FLUSHALL");
    await expect(gate.submit({ tool: "task.update", args: {} }, CALLER)).rejects.toMatchObject({
      code: "store_failed",
    });
    const told = (await openStore({ store: url, data: "" }).catch((thrown: unknown) => thrown)) as Error;
    const renew = /countersign serve --renew ([0-9a-f-]{36}),/.exec(told.message)?.[1] ?? "";
    const store = await openStore({ store: url, data: "", renew });
    onTestFinished(() => store.close());
    expect(await store.get("approval", approvalId)).toBeUndefined();
    // Said again at the next start, it changes nothing.
    const again = await openStore({ store: url, data: "", renew });
    await again.close();
  });

  it("is noticed also when nobody asks for anything", async () => {
    const { url } = await newServer();
    await newGate({ url });
    const send = await operator(url);
    await send("FLUSHALL");
    await vi.waitFor(async () => expect(await send("HGET", "{countersign}:store", "fenced")).toContain("flushed"), {
      timeout: 20_000,
    });
  });

  it("knows no older token where all who saw it are gone", async () => {
    const { url } = await newServer();
    const { gate } = await newGate({ url });
    const { approvalId, tokenId } = await approved(gate);
    await gate.close();
    await (await operator(url))("FLUSHALL");
    const { gate: later } = await newGate({ url });
    await expect(later.claim({ approvalId, tokenId }, CALLER)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is refused when an older snapshot was restored, in which a spent token is unspent (attack G12, fault R11)", async () => {
    const server = await newServer();
    const { gate } = await newGate({ url: server.url });
    const { approvalId, tokenId } = await approved(gate);
    const copy = await backUp(server);
    await gate.claim({ approvalId, tokenId }, CALLER);
    await restore(server, copy);
    await expect(gate.claim({ approvalId, tokenId }, CALLER)).rejects.toMatchObject(FENCED);
    await expect(redisStore({ url: server.url })).rejects.toMatchObject({
      message: expect.stringContaining("holds less"),
    });
  });

  it("is refused after a failover that lost writes, also when others wrote on (fault R10)", async () => {
    const server = await newServer();
    const first = await newStore({ url: server.url });
    await first.commit([mark()]);
    const copy = await backUp(server);
    await first.commit([mark()]);
    await restore(server, copy);
    // Whoever comes now saw nothing of what is missing.
    const second = await newStore({ url: server.url });
    for (let i = 0; i < 3; i++) await second.commit([mark()]);
    await expect(first.commit([mark()])).rejects.toMatchObject({
      message: expect.stringContaining("replaced by others"),
    });
    await expect(second.commit([mark()])).rejects.toMatchObject(FENCED);
  });

  it("opens again when a person has looked at it, with everything cancelled that was open", async () => {
    const server = await newServer();
    const { gate } = await newGate({ url: server.url });
    const token = await approved(gate);
    const asked = await held(gate, "task.update");
    const copy = await backUp(server);
    await gate.claim(token, CALLER);
    await restore(server, copy);
    await expect(gate.claim(token, CALLER)).rejects.toMatchObject(FENCED);
    await expect(redisStore({ url: server.url, renew: "another" })).rejects.toMatchObject(FENCED);
    const renewed = await redisStore({ url: server.url, renew: await fenceId(server.url) });
    const { gate: again } = await newGate(renewed);
    await expect(again.claim(token, CALLER)).rejects.toMatchObject({ code: "already_resolved" });
    expect(await again.resume(asked, CALLER)).toMatchObject({ type: "cancelled" });
    expect(await again.verify("w1")).toMatchObject({ ok: true });
    // Who still works under the old generation stops, and stops nobody else.
    await expect(gate.claim(token, CALLER)).rejects.toMatchObject({ code: "store_failed" });
    const { approvalId, tokenId } = await approved(again);
    await again.claim({ approvalId, tokenId }, CALLER);
  });

  it("tells a process that missed the fence and its end to restart", async () => {
    const { url } = await newServer();
    const asleep = await newStore({ url });
    const awake = await newStore({ url });
    for (const store of [asleep, awake]) await store.commit([mark()]);
    await (await operator(url))("FLUSHALL");
    await expect(awake.commit([mark()])).rejects.toMatchObject(FENCED);
    const renewed = await redisStore({ url, renew: await fenceId(url) });
    onTestFinished(() => renewed.close());
    await expect(asleep.commit([mark()])).rejects.toMatchObject({ message: expect.stringContaining("Restart") });
    expect((await renewed.commit([mark()]))[0]?.ok).toBe(true);
  });
});
