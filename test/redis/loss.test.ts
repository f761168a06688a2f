import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { verifyChain } from "../../src/core/audit.js";
import { redisStore } from "../../src/stores/redis.js";
import { Marks, mark } from "../support/marks.js";
import { type RedisServer, redisMissing, skipped } from "../support/redis.js";
import { newServer, newStore } from "./support.js";

/** The log as long as it is now. */
function logOf({ folder }: RedisServer): { path: string; size: number } {
  const logs = join(folder, "appendonlydir");
  const name = readdirSync(logs).find((file) => file.endsWith(".incr.aof")) ?? "";
  const path = join(logs, name);
  return { path, size: statSync(path).size };
}

/** The machine's end: what was written since the last flush is gone with its memory. */
async function powerCut(server: RedisServer, flushed: number): Promise<void> {
  await server.kill();
  truncateSync(logOf(server).path, flushed);
  await server.start();
}

/** Killed in the middle of the writing, and opened again by somebody who saw nothing of it. */
async function crash(server: RedisServer, marks: Marks, times: number): Promise<void> {
  for (let round = 1; round <= times; round++) {
    const store = await redisStore({ url: server.url });
    const writing = marks.write(store, () => false).catch(() => {});
    await vi.waitFor(() => expect(marks.count).toBeGreaterThan(20 * round), { timeout: 20_000, interval: 1 });
    await server.kill();
    await writing;
    await store.close();
    await server.start();
  }
}

describe.skipIf(redisMissing)(`what Redis acknowledged${skipped}`, () => {
  it("is all there after kill -9 with appendfsync always (I5, fault R5)", async () => {
    const server = await newServer();
    const marks = new Marks();
    await crash(server, marks, 5);
    const store = await newStore({ url: server.url });
    expect(await marks.lostIn(store)).toEqual([]);
    const entries = await store.entries("w1", 0, 100_000);
    expect(entries.length).toBeGreaterThanOrEqual(marks.count);
    expect(verifyChain("w1", entries, [await store.checkpoint("w1")]).ok).toBe(true);
  });

  it("is all there after a power cut with appendfsync always, for every answer came after its flush (I5)", async () => {
    const server = await newServer();
    const store = await newStore({ url: server.url });
    const marks = new Marks();
    await marks.write(store, () => marks.count === 50);
    await powerCut(server, logOf(server).size);
    expect(await marks.lostIn(await newStore({ url: server.url }))).toEqual([]);
  });

  it("is reported lost without a log, and start had warned: the harness sees losses (negative control)", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const server = await newServer({ appendonly: "no" });
    const marks = new Marks();
    await crash(server, marks, 1);
    expect(warned).toHaveBeenCalled();
    const store = await newStore({ url: server.url });
    expect(await marks.lostIn(store)).toHaveLength(marks.count);
    warned.mockRestore();
  });

  it("is reported lost after a power cut with everysec, start had warned, and a witness stops (negative control)", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const server = await newServer({ appendfsync: "everysec" });
    const witness = await newStore({ url: server.url });
    expect(warned.mock.calls.flat()).toContainEqual(expect.stringContaining("last second"));
    const marks = new Marks();
    await marks.write(witness, () => marks.count === 30);
    // Flushed once a second: the marks that follow are acknowledged before the next flush.
    const flushed = logOf(server).size;
    await marks.write(witness, () => marks.count === 50);
    await powerCut(server, flushed);
    const blank = await newStore({ url: server.url });
    // More than those twenty, where Redis put off even the writing because a flush was under way.
    expect((await marks.lostIn(blank)).length).toBeGreaterThanOrEqual(20);
    await expect(witness.commit([mark()])).rejects.toMatchObject({ message: expect.stringContaining("fenced") });
    warned.mockRestore();
  });
});
