import assert from "node:assert/strict";
import type { Store } from "../../core/ports.js";
import { accepted, change, commitOne, isRefused, put, refused, type StoreTest } from "./bench.js";

const hold = (key: string, id: string, until: number) => ({ unique: [{ key, id, until }] });
const count = (add: number, max?: number, until?: number) => ({
  counts: [{ key: "c", add, ...(max === undefined ? {} : { max }), ...(until === undefined ? {} : { until }) }],
});

/** Finds the counter's value by what still fits. */
async function assertCount(store: Store, value: number): Promise<void> {
  await refused(store, "limit", count(1, value));
  await accepted(store, count(0, value));
}

export const KEY_TESTS: readonly StoreTest[] = [
  {
    name: "refuses a key another id holds, and tells which",
    async run({ store, clock }) {
      const until = clock.now() + 60_000;
      await accepted(store, hold("k", "first", until));
      const taken = await refused(store, "taken", hold("k", "second", until));
      assert.deepEqual([taken.key, taken.holder], ["k", "first"]);
      await accepted(store, hold("other", "second", until));
    },
  },
  {
    name: "frees a key at the millisecond its time has come",
    async run({ store, clock }) {
      const until = clock.now() + 1_000;
      await accepted(store, hold("k", "first", until));
      clock.set(until - 1);
      await refused(store, "taken", hold("k", "second", until + 1_000));
      clock.set(until);
      await accepted(store, hold("k", "second", until + 1_000));
      await refused(store, "taken", hold("k", "first", until + 1_000));
    },
  },
  {
    name: "lets the holder hold longer, and let go",
    async run({ store, clock }) {
      const now = clock.now();
      await accepted(store, hold("k", "first", now + 1_000));
      await accepted(store, hold("k", "first", now + 5_000));
      clock.set(now + 2_000);
      await refused(store, "taken", hold("k", "second", now + 9_000));
      await accepted(store, hold("k", "first", 0));
      await accepted(store, hold("k", "second", now + 9_000));
      await accepted(store, hold("k", "second", now + 2_000));
      await accepted(store, hold("k", "third", now + 9_000));
    },
  },
  {
    name: "gives a key to exactly one of many",
    async run({ store, clock }) {
      const until = clock.now() + 1_000;
      const grouped = await store.commit(["a", "b", "c"].map((id) => change(hold("in a group", id, until))));
      assert.deepEqual(
        grouped.map(({ ok }) => ok),
        [true, false, false],
      );
      const ids = Array.from({ length: 30 }, (_, i) => `id ${i}`);
      const applied = await Promise.all(ids.map((id) => commitOne(store, hold("k", id, until))));
      assert.equal(applied.filter(({ ok }) => ok).length, 1);
      assert.equal(applied.filter(isRefused("taken")).length, ids.length - 1);
    },
  },
  {
    name: "counts up to the maximum and not past it",
    async run({ store }) {
      await accepted(store, count(2, 3));
      const limit = await refused(store, "limit", count(2, 3));
      assert.equal(limit.key, "c");
      await accepted(store, count(1, 3));
      await refused(store, "limit", count(1, 3));
      await accepted(store, count(4));
      await assertCount(store, 7);
    },
  },
  {
    name: "makes room again by counting down",
    async run({ store }) {
      await accepted(store, count(3, 3));
      await accepted(store, count(-1));
      await accepted(store, count(1, 3));
      await refused(store, "limit", count(1, 3));
      await accepted(store, count(-3));
      await accepted(store, count(3, 3));
    },
  },
  {
    name: "counts in the order of the group, also where its workspaces take turns at one counter",
    async run({ store }) {
      for (const workspaceId of ["v", "w"]) await accepted(store, { workspaceId });
      const applied = await store.commit([
        change({ workspaceId: "v" }),
        change({ workspaceId: "w", ...count(1) }),
        change({ workspaceId: "v", ...count(3, 3) }),
      ]);
      assert.deepEqual(
        applied.map(({ ok }) => ok),
        [true, true, false],
      );
      await assertCount(store, 1);
    },
  },
  {
    name: "counts from zero once the counter's time has come",
    async run({ store, clock }) {
      const until = clock.now() + 1_000;
      await accepted(store, count(3, 3, until));
      clock.set(until - 1);
      await refused(store, "limit", count(1, 3, until));
      clock.set(until);
      await accepted(store, count(3, 3, until + 1_000));
      await refused(store, "limit", count(1, 3, until + 1_000));
    },
  },
  {
    name: "tells what a counter stands at: nothing for one that nobody counted, or whose time has come",
    async run({ store, clock }) {
      assert.equal(await store.count("c"), 0);
      const until = clock.now() + 1_000;
      await accepted(store, count(3, 3, until));
      await refused(store, "limit", count(1, 3, until));
      await accepted(store, count(-1, 3, until));
      assert.equal(await store.count("c"), 2);
      clock.set(until);
      assert.equal(await store.count("c"), 0);
    },
  },
  {
    name: "lets exactly as many pass as a counter allows, however many come at once",
    async run({ store }) {
      const comers = Array.from({ length: 30 }, (_, i) =>
        commitOne(store, { ...count(1, 5), puts: [put(`p${i}`, 0)] }),
      );
      const applied = await Promise.all(comers);
      assert.equal(applied.filter(({ ok }) => ok).length, 5);
      assert.equal(applied.filter(isRefused("limit")).length, 25);
      await assertCount(store, 5);
    },
  },
];
