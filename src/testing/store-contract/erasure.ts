import assert from "node:assert/strict";
import { ERASED, newEntry, verifyChain } from "../../core/audit.js";
import type { Entry, Store } from "../../core/ports.js";
import { accepted, allEntries, assertVerified, entry, put, type StoreTest } from "./bench.js";

const erasureOf = (seqs: readonly number[]) => newEntry(ERASED, "", { seqs: [...seqs] });

async function erase(store: Store, seqs: readonly number[]): Promise<void> {
  await store.erase({ workspaceId: "workspace", seqs }, erasureOf(seqs));
}

const isGone = ({ content, salt }: Entry): boolean => content === null && salt === null;

export const ERASURE_TESTS: readonly StoreTest[] = [
  {
    name: "erases content and salt, and the chain still verifies",
    async run({ store }) {
      await accepted(store, { entries: [entry({ n: 1 }), entry({ n: 2 }), entry({ n: 3 })] });
      const before = await allEntries(store);
      await erase(store, [1, 3]);
      const after = await allEntries(store);
      assert.deepEqual(after.map(isGone), [true, false, true, false]);
      const linked = ({ seq, time, type, ref, contentHash, hash }: Entry) =>
        [seq, time, type, ref, ...[contentHash, hash].map((bytes) => Buffer.from(bytes).toString("hex"))].join();
      assert.deepEqual(after.slice(0, 3).map(linked), before.map(linked));
      assert.equal(after[3]?.type, ERASED);
      await assertVerified(store);
      await accepted(store, { entries: [entry()] });
      await assertVerified(store);
    },
  },
  {
    name: "erases nothing of other workspaces, and nothing that does not exist",
    async run({ store }) {
      await accepted(store, { entries: [entry({ n: 1 })] });
      await accepted(store, { workspaceId: "other", entries: [entry({ n: 1 })] });
      await erase(store, [1, 99]);
      assert.equal((await allEntries(store, "other")).some(isGone), false);
      assert.deepEqual(
        (await allEntries(store)).map(({ seq }) => seq),
        [1, 2],
      );
      await assertVerified(store);
      await assertVerified(store, "other");
    },
  },
  {
    name: "never erases an erasure, not even its own",
    async run({ store }) {
      await accepted(store, { entries: [entry({ n: 1 })] });
      await erase(store, [1]);
      await erase(store, [2, 3]);
      assert.deepEqual((await allEntries(store)).map(isGone), [true, false, false]);
      await assertVerified(store);
      // Erasing twice changes nothing: the hash that was kept is still there.
      await erase(store, [1]);
      await assertVerified(store);
    },
  },
  {
    name: "erases whole records with everything that finds them",
    async run({ store, clock }) {
      const found = { indexes: ["key"], due: clock.now() };
      await accepted(store, { puts: [put("gone", 0, "secret", found), put("kept", 0, "v", found)] });
      const records = [
        { kind: "approval" as const, id: "gone" },
        { kind: "call" as const, id: "unknown" },
      ];
      await store.erase({ workspaceId: "workspace", seqs: [], records }, erasureOf([]));
      assert.equal(await store.get("approval", "gone"), undefined);
      assert.equal((await store.list("key", "", 10)).length, 1);
      assert.equal((await store.due("approval", 10)).length, 1);
      await assertVerified(store);
    },
  },
  {
    name: "erases nothing when the erasure itself is not well formed",
    async run({ store }) {
      await accepted(store, { puts: [put("a", 0)], entries: [entry({ n: 1 })] });
      const records = [{ kind: "approval" as const, id: "a" }];
      const broken = { ...erasureOf([1]), type: "" };
      await assert.rejects(store.erase({ workspaceId: "workspace", seqs: [1], records }, broken));
      assert.equal((await allEntries(store)).some(isGone), false);
      assert.equal((await allEntries(store)).length, 1);
      assert.equal((await store.get("approval", "a"))?.version, 1);
    },
  },
  {
    name: "shows when content is missing that no entry says was erased",
    async run({ store }) {
      await accepted(store, { entries: [entry({ n: 1 }), entry({ n: 2 })] });
      await store.erase({ workspaceId: "workspace", seqs: [1, 2] }, erasureOf([1]));
      const verified = verifyChain("workspace", await allEntries(store));
      assert.deepEqual([verified.ok, verified.seq], [false, 2]);
    },
  },
];
