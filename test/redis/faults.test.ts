import { createClient } from "@redis/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { verifyChain } from "../../src/core/audit.js";
import { newId } from "../../src/core/ids.js";
import type { Applied, Change, Store } from "../../src/core/ports.js";
import type { RedisClient } from "../../src/stores/redis.js";
import { FaultProxy } from "../support/fault-proxy.js";
import { mark } from "../support/marks.js";
import { type RedisServer, redisMissing, skipped } from "../support/redis.js";
import { ANA, CALLER, held, newGate, newServer, newStore, operator } from "./support.js";

const CUTS = 20;

async function lineTo(server: RedisServer): Promise<FaultProxy> {
  const line = await FaultProxy.before(server.port, "redis");
  onTestFinished(() => line.close());
  return line;
}

async function assertVerified(store: Store, seq: number): Promise<void> {
  const head = await store.checkpoint("w1");
  expect(head.seq).toBe(seq);
  expect(verifyChain("w1", await store.entries("w1", 0, 100_000), [head]).ok).toBe(true);
}

describe.skipIf(redisMissing)(`instances on one Redis${skipped}`, () => {
  it("race for one chain, and every entry of both is in it once (I7, fault R6)", async () => {
    const { url } = await newServer();
    const stores = await Promise.all([1, 2, 3].map(() => newStore({ url })));
    const each = async (store: Store) => {
      for (let i = 0; i < 40; i++) expect((await store.commit([mark(), mark()])).every(({ ok }) => ok)).toBe(true);
    };
    await Promise.all(stores.map(each));
    await assertVerified(stores[0] as Store, 240);
  });

  it("let exactly one replace a version, hold a key and take the last of a limit (I1, seed C27, flaw F-C9)", async () => {
    const { url } = await newServer();
    const stores = await Promise.all([1, 2].map(() => newStore({ url })));
    const until = Date.now() + 60_000;
    for (let round = 0; round < 20; round++) {
      const rivals = (parts: (n: number) => Parameters<typeof mark>[1]) =>
        Promise.all(stores.map(async (store, n) => (await store.commit([mark(newId(), parts(n))]))[0] as Applied));
      const id = `record-${round}`;
      const put = { kind: "approval" as const, id, version: 0, value: "v" };
      for (const results of [
        await rivals(() => ({ puts: [put] })),
        await rivals((n) => ({ unique: [{ key: `key-${round}`, id: `holder-${n}`, until }] })),
        await rivals(() => ({ counts: [{ key: `limit-${round}`, add: 1, max: 1, until }] })),
      ]) {
        expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      }
    }
  });

  it("hand one of 64 claims the permission to run (I1, fault R6)", async () => {
    const { url } = await newServer();
    const gates = await Promise.all([1, 2].map(() => newGate({ url })));
    const [first, second] = gates.map(({ gate }) => gate);
    if (!first || !second) throw new Error("two gates");
    const approvalId = await held(first, "job.update");
    await second.decide({ approvalId, decision: "approve" }, ANA);
    const outcome = await first.resume(approvalId, CALLER);
    const tokenId = outcome.type === "pending" ? (outcome.token?.tokenId ?? "") : "";
    const claims = await Promise.allSettled(
      Array.from({ length: 64 }, (_, i) => (i % 2 ? first : second).claim({ approvalId, tokenId }, CALLER)),
    );
    expect(claims.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const lost of claims.filter((claim) => claim.status === "rejected"))
      expect(lost.reason).toHaveProperty("code", "already_claimed");
  });

  it("learn of a decision made elsewhere, with and without wake-ups (I9, fault R12)", async () => {
    const { url } = await newServer();
    for (const deaf of [false, true]) {
      const stores = await Promise.all([1, 2].map(() => newStore({ url })));
      for (const store of stores) if (deaf) store.watch = () => () => {};
      const [waiting, deciding] = await Promise.all(stores.map((store) => newGate(store)));
      if (!waiting || !deciding) throw new Error("two gates");
      const call = { tool: "task.update", args: { deaf } };
      const asked = await waiting.gate.submit(call, CALLER);
      const ran = waiting.gate.run(call, CALLER);
      await deciding.gate.decide({ approvalId: asked.approvalId ?? "", decision: "approve" }, ANA);
      expect(await ran).toMatchObject({ type: "succeeded" });
      expect([...waiting.effects, ...deciding.effects]).toEqual([asked.approvalId]);
    }
  });

  it("tell a commit whose reply was lost from one that never arrived (fault R9)", async () => {
    const server = await newServer();
    const line = await lineTo(server);
    const store = await newStore({ url: line.through(server.url) });
    for (let cut = 0; cut < CUTS; cut++) {
      // What was lost left the store behind the chain; this one brings it up again, so that the next goes through at once.
      await store.commit([mark()]);
      const written = mark();
      const lost = line.loseReplyTo("mark.made");
      await expect(store.commit([written])).rejects.toHaveProperty("code", "store_failed");
      await lost;
      const never = mark();
      expect([...(await store.changed([written, never])).keys()]).toEqual([written.changeId]);
    }
    await assertVerified(store, 2 * CUTS);
  });

  it("give the same answer to a retry with the same key after the line was cut at the commit (I4, fault R9)", async () => {
    const server = await newServer();
    const line = await lineTo(server);
    const { gate } = await newGate({ url: line.through(server.url) });
    await held(gate, "task.update");
    for (let cut = 0; cut < CUTS; cut++) {
      const call = { tool: "task.update", args: { cut }, idempotencyKey: `key-${cut}` };
      const lost = line.loseReplyTo("approval.created");
      const first = await gate.submit(call, CALLER);
      await lost;
      expect((await gate.submit(call, CALLER)).approvalId).toBe(first.approvalId);
    }
    expect(await gate.pending(ANA, { limit: 100 })).toHaveLength(1 + CUTS);
    expect(await gate.verify("w1")).toMatchObject({ ok: true });
  });

  it.each<[string, Partial<Change>]>([
    ["replaces a record", {}],
    ["only leaves an entry", { puts: [] }],
    ["only counts", { puts: [], counts: [{ key: "c", add: 1 }] }],
  ])(
    "write a change that %s once, although its first attempt arrives late (I1, I7, fault R9)",
    async (_what, parts) => {
      const server = await newServer();
      const line = await lineTo(server);
      const store = await newStore({ url: line.through(server.url) });
      for (const isBefore of [true, false]) {
        await store.commit([mark()]);
        const { seq } = await store.checkpoint("w1");
        const change = mark(newId(), parts);
        const first = line.holdRequest("mark.made");
        await expect(store.commit([change])).rejects.toHaveProperty("code", "store_failed");
        await first.sent;
        expect((await store.changed([change])).size).toBe(0);
        if (isBefore) await first.arrive();
        expect(await store.commit([change])).toMatchObject([{ ok: true }]);
        if (!isBefore) await first.arrive();
        await assertVerified(store, seq + 1);
      }
      expect(await store.count("c")).toBe(parts.counts === undefined ? 0 : 2);
    },
  );

  it("fail closed while Redis is away, and work again when it is back (I8, faults R5, R9)", async () => {
    const server = await newServer();
    const line = await lineTo(server);
    const store = await newStore({ url: line.through(server.url) });
    line.refuse(true);
    await expect(store.commit([mark()])).rejects.toHaveProperty("code", "store_failed");
    await expect(store.get("approval", "a")).rejects.toHaveProperty("code", "store_failed");
    line.refuse(false);
    await vi.waitFor(async () => expect((await store.commit([mark()]))[0]?.ok).toBe(true), { timeout: 20_000 });
    await assertVerified(store, 1);
  });

  it("go on when the server has forgotten the scripts", async () => {
    const { url } = await newServer();
    const store = await newStore({ url });
    await store.commit([mark()]);
    await (await operator(url))("SCRIPT", "FLUSH");
    expect((await store.commit([mark()]))[0]?.ok).toBe(true);
    await assertVerified(store, 2);
  });

  it("go on with groups that were sent one behind the other when the scripts were forgotten (I7)", async () => {
    const { url } = await newServer();
    const store = await newStore({ url });
    await store.commit([mark()]);
    await (await operator(url))("SCRIPT", "FLUSH");
    const groups = await Promise.all([store.commit([mark(), mark()]), store.commit([mark()]), store.commit([mark()])]);
    expect(groups.flat().every(({ ok }) => ok)).toBe(true);
    await assertVerified(store, 5);
  });

  it("approve nothing when memory is full, and leave no half of a change (I8, fault R11)", async () => {
    const { url } = await newServer();
    const store = await newStore({ url });
    await store.commit([mark()]);
    const send = await operator(url);
    await send("CONFIG", "SET", "maxmemory", "1mb");
    const [first, second] = [mark(), mark()];
    await expect(store.commit([first, second])).rejects.toMatchObject({ message: expect.stringContaining("OOM") });
    await send("CONFIG", "SET", "maxmemory", "0");
    expect((await store.changed([first, second])).size).toBe(0);
    expect(await store.get("approval", first.puts[0]?.id ?? "")).toBeUndefined();
    expect((await store.commit([first, second])).every(({ ok }) => ok)).toBe(true);
    await assertVerified(store, 3);
  });

  it("write nothing to a chain that somebody else has written to", async () => {
    const { url } = await newServer();
    const store = await newStore({ url });
    await store.commit([mark()]);
    const send = await operator(url);
    await send("HSET", "{countersign}:chain:w1", "9", "forged");
    const change = mark();
    await expect(store.commit([change])).rejects.toHaveProperty("code", "store_failed");
    expect(await store.get("approval", change.puts[0]?.id ?? "")).toBeUndefined();
    await send("HDEL", "{countersign}:chain:w1", "9");
    expect((await store.commit([change]))[0]?.ok).toBe(true);
    await assertVerified(store, 2);
    await send("HSET", "{countersign}:chain:w1", "1", "forged");
    const entries = await store.entries("w1", 0, 10);
    expect(verifyChain("w1", entries, [await store.checkpoint("w1")]).ok).toBe(false);
  });

  it("work over a client of the host's, which stays open", async () => {
    const { url } = await newServer();
    const client = createClient({ url });
    onTestFinished(() => client.destroy());
    client.on("error", () => {});
    await client.connect();
    const store = await newStore({ client: client as unknown as RedisClient, prefix: "host" });
    const heard = new Promise<void>((resolve) => void store.watch(resolve));
    const other = await newStore({ url, prefix: "host" });
    await other.commit([mark("a")]);
    await heard;
    expect(await store.get("approval", "a")).toMatchObject({ version: 1 });
    await assertVerified(store, 1);
    await store.close();
    expect(await client.sendCommand(["PING"])).toBe("PONG");
  });
});

describe.skipIf(redisMissing)(`the clock of Redis${skipped}`, () => {
  function shiftClock(): (by: number) => void {
    const real = Date.now.bind(Date);
    let shift = 0;
    const spy = vi.spyOn(Date, "now").mockImplementation(() => real() + shift);
    onTestFinished(() => spy.mockRestore());
    return (by) => {
      shift = by;
    };
  }

  it.each([-3_600_000, 600_000])(
    "decides what is late, whatever this machine's clock says (%i ms off, fault R14)",
    async (off) => {
      const { url } = await newServer();
      const shift = shiftClock();
      const store = await newStore({ url });
      const now = store.time();
      shift(off);
      const [inTime, late] = await store.commit([
        mark(newId(), { before: now + 30_000 }),
        mark(newId(), { before: now }),
      ]);
      expect(inTime).toMatchObject({ ok: true });
      expect(late).toMatchObject({ ok: false, refused: "late" });
      expect(Math.abs((inTime?.time ?? 0) - now)).toBeLessThan(30_000);
      expect(Math.abs(store.time() - now)).toBeLessThan(30_000);
    },
  );

  it("is known again soon after this machine's was set, although nobody commits (fault R14)", async () => {
    const { url } = await newServer();
    const shift = shiftClock();
    const store = await newStore({ url });
    store.watch(() => undefined);
    for (const off of [3_600_000, -3_600_000]) {
      const before = store.time();
      shift(off);
      await vi.waitFor(() => expect(Math.abs(store.time() - before)).toBeLessThan(60_000), { timeout: 20_000 });
    }
  });
});
