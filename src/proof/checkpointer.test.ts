import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { all, manualClock, newFolder, newKey, WORKSPACE, write } from "../../test/proof-fixture.js";
import type { CountersignError } from "../core/errors.js";
import type { Entry, Notice, Store } from "../core/ports.js";
import { memoryStore } from "../stores/memory.js";
import { sqliteStore } from "../stores/sqlite.js";
import { type CheckpointerOptions, createCheckpointer } from "./checkpointer.js";
import type { Sink } from "./sinks.js";
import { fileSink, storeSink } from "./sinks.js";
import { verifyExport } from "./verify.js";

const key = newKey();

function listSink(name = "list"): Sink & { readonly notes: string[] } {
  const notes: string[] = [];
  return { name, notes, write: async (note) => void notes.push(note), read: async () => notes };
}

async function start(
  options: Partial<CheckpointerOptions> & { readonly store: Store; readonly sinks: readonly Sink[] },
) {
  const clock = manualClock();
  const checkpointer = await createCheckpointer({ key, clock, workspaces: [WORKSPACE], ...options });
  onTestFinished(() => checkpointer.close());
  return { checkpointer, clock };
}

const sizes = (notes: readonly string[]) => notes.map((note) => Number(note.split("\n")[1]));

describe("a checkpointer", () => {
  it("signs after so many entries", async () => {
    const [store, sink] = [memoryStore(), listSink()];
    const { clock } = await start({ store, sinks: [sink], everyEntries: 10 });
    await write(store, 9);
    clock.advance(1_000);
    await write(store, 1);
    clock.advance(1_000);
    await vi.waitFor(() => expect(sizes(sink.notes)).toEqual([10]));
  });

  it("signs after so long when there is anything new, and only then", async () => {
    const [store, sink] = [memoryStore(), listSink()];
    const { checkpointer, clock } = await start({ store, sinks: [sink] });
    await write(store, 1);
    clock.advance(59_000);
    expect(checkpointer.status().workspaces[0]?.signedTo).toBe(0);
    clock.advance(1_000);
    await vi.waitFor(() => expect(sizes(sink.notes)).toEqual([1]));
    clock.advance(600_000);
    await checkpointer.sign();
    expect(sizes(sink.notes)).toEqual([1]);
  });

  it("keeps its checkpoints in several places, and beside the chain", async () => {
    const [store, second, path] = [memoryStore(), memoryStore(), join(newFolder(), "checkpoints")];
    const sinks = [fileSink(path), storeSink(second)];
    const { checkpointer } = await start({ store, sinks });
    await write(store, 3);
    await checkpointer.sign();
    for (const sink of sinks) {
      const checkpoints = (await sink.read?.(WORKSPACE)) ?? [];
      const report = await verifyExport(await all(store), WORKSPACE, { checkpoints, publicKeys: [key.publicKey] });
      expect(report.verdict).toBe("valid");
    }
    expect((await store.checkpoint(WORKSPACE)).signed).toContain("countersign/chain/v1/home\n3\n");
  });

  it("reports a sink that fails, shows how far it lags, holds up nobody and catches up (fault R25)", async () => {
    const [store, good] = [memoryStore(), listSink("good")];
    const writeBad = vi.fn<Sink["write"]>(() => Promise.reject(new Error("disk full")));
    const bad: Sink = { name: "bad", write: writeBad };
    const notice = vi.fn<Notice>();
    const { checkpointer } = await start({ store, sinks: [bad, good], notice });
    await write(store, 4);
    await checkpointer.sign();
    expect(checkpointer.status().sinks).toEqual([
      { name: "bad", behind: 4, failing: "disk full" },
      { name: "good", behind: 0 },
    ]);
    expect(notice).toHaveBeenCalledWith("checkpoint.failed", { sink: "bad", why: "disk full" });
    writeBad.mockImplementation(() => Promise.resolve());
    await write(store, 1);
    await checkpointer.sign();
    expect(checkpointer.status().sinks).toEqual([
      { name: "bad", behind: 0 },
      { name: "good", behind: 0 },
    ]);
  });

  it("does not wait for a sink that never answers", async () => {
    const [store, good] = [memoryStore(), listSink("good")];
    const hanging: Sink = { name: "hanging", write: () => new Promise(() => {}) };
    const clock = manualClock();
    const checkpointer = await createCheckpointer({
      store,
      key,
      clock,
      sinks: [hanging, good],
      workspaces: [WORKSPACE],
    });
    await write(store, 1);
    clock.advance(60_000);
    await vi.waitFor(() => expect(sizes(good.notes)).toEqual([1]));
    await write(store, 1);
    clock.advance(60_000);
    await vi.waitFor(() => expect(sizes(good.notes)).toEqual([1, 2]));
    expect(checkpointer.status().sinks[0]).toEqual({ name: "hanging", behind: 2 });
    const closed = checkpointer.close();
    clock.advance(10_000);
    await closed;
  });

  it("does not start on a restored old copy, and says so (attack G12, fault R24)", async () => {
    const folder = newFolder();
    const [path, backup] = [join(folder, "live.db"), join(folder, "backup.db")];
    const sinks = [fileSink(join(folder, "checkpoints"))];
    const before = sqliteStore(path, { worker: false });
    await write(before, 5);
    await before.close();
    for (const part of ["", "-wal"]) if (existsSync(path + part)) copyFileSync(path + part, backup + part);

    const live = sqliteStore(path, { worker: false });
    const checkpointer = await createCheckpointer({ store: live, key, sinks, workspaces: [WORKSPACE] });
    await write(live, 3);
    await checkpointer.close();
    await live.close();

    const restored = sqliteStore(backup, { worker: false });
    onTestFinished(() => restored.close());
    const refused = () =>
      createCheckpointer({ store: restored, key, sinks, workspaces: [WORKSPACE] }).catch(
        (error: CountersignError) => error,
      );
    expect(await refused()).toHaveProperty("code", "chain_broken");
    expect(await refused()).toHaveProperty(
      "message",
      expect.stringMatching(/"home": the store ends at entry 5, but a checkpoint of .* says that there were 8/),
    );
    // An old copy that has grown as long since is another history.
    await write(restored, 4);
    expect(await refused()).toHaveProperty("message", expect.stringContaining("rewritten"));
    const newest = sqliteStore(path, { worker: false });
    onTestFinished(() => newest.close());
    await (await createCheckpointer({ store: newest, key, sinks, workspaces: [WORKSPACE] })).close();
  });

  it("trusts checkpoints of its earlier keys, and no others", async () => {
    const [store, sink] = [memoryStore(), listSink()];
    const { checkpointer } = await start({ store, sinks: [sink] });
    await write(store, 2);
    await checkpointer.sign();
    const next = newKey();
    await expect(start({ store, sinks: [sink], key: next })).rejects.toThrow("no key that is trusted here");
    const rotated = await start({ store, sinks: [sink], key: next, trusted: [key.publicKey] });
    await write(store, 1);
    await rotated.checkpointer.sign();
    const publicKeys = [key.publicKey, next.publicKey];
    const report = await verifyExport(await all(store), WORKSPACE, { checkpoints: sink.notes, publicKeys });
    expect(report).toMatchObject({ verdict: "valid", entries: 3 });
  });

  it("never signs a history that does not go on from the one it signed (attack H3)", async () => {
    const [store, sink, notice] = [memoryStore(), listSink(), vi.fn<Notice>()];
    let forge = (page: readonly Entry[]) => page;
    const owned: Store = Object.assign(Object.create(store) as Store, {
      commit: store.commit.bind(store),
      checkpoint: store.checkpoint.bind(store),
      watch: store.watch.bind(store),
      time: store.time.bind(store),
      entries: async (ws: string, after: number, limit: number) => forge(await store.entries(ws, after, limit)),
    });
    const { checkpointer } = await start({ store: owned, sinks: [sink], notice });
    await write(store, 2);
    await checkpointer.sign();
    await write(store, 2);
    forge = (page) => page.map((entry) => ({ ...entry, ref: "forged" }));
    await checkpointer.sign();
    expect(sizes(sink.notes)).toEqual([2]);
    expect(notice).toHaveBeenCalledWith("chain.broken", { workspaceId: WORKSPACE, seq: 3 });
    expect(checkpointer.status().workspaces).toEqual([
      { workspaceId: WORKSPACE, entries: 4, signedTo: 2, signedAt: expect.any(Number) },
    ]);
    forge = (page) => page;
  });

  it("follows workspaces that appear later", async () => {
    const [store, sink] = [memoryStore(), listSink()];
    const workspaces = ["one"];
    const { checkpointer } = await start({ store, sinks: [sink], workspaces: async () => workspaces });
    await write(store, 1, "one");
    await checkpointer.sign();
    workspaces.push("two");
    await write(store, 1, "two");
    await checkpointer.sign();
    expect(sink.notes.map((note) => note.split("\n")[0])).toEqual([
      "countersign/chain/v1/one",
      "countersign/chain/v1/two",
    ]);
  });
});
