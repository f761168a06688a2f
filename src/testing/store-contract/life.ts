import assert from "node:assert/strict";
import { ERASED, newEntry } from "../../core/audit.js";
import type { Store } from "../../core/ports.js";
import {
  accepted,
  allEntries,
  assertVerified,
  change,
  commitOne,
  entry,
  idsOf,
  isRefused,
  put,
  refused,
  type StoreTest,
} from "./bench.js";

/** Resolves at the next hint. Whoever awaits it has a timer of the runner's behind it. */
function hinted(store: Store): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.watch(() => {
      stop();
      resolve();
    });
  });
}

export const LIFE_TESTS: readonly StoreTest[] = [
  {
    name: "tells the time of its clock",
    async run({ store, clock }) {
      assert.equal(store.time(), clock.now());
      clock.set(clock.now() + 1_234);
      assert.equal(store.time(), clock.now());
    },
  },
  {
    name: "says in plain words what it promises",
    async run({ store }) {
      const { engine, text } = store.promises();
      assert.notEqual(engine, "");
      assert.match(text, /\.$/);
    },
  },
  {
    name: "hints at every listener after a commit, and not at those that left",
    async run({ store }) {
      let left = 0;
      const leave = store.watch(() => left++);
      leave();
      const hints = [hinted(store), hinted(store)];
      await accepted(store, { entries: [entry()] });
      await Promise.all(hints);
      const erased = hinted(store);
      await store.erase({ workspaceId: "workspace", seqs: [1] }, newEntry(ERASED, "", { seqs: [1] }));
      await erased;
      assert.equal(left, 0);
    },
  },
  {
    name: "closes twice without complaint",
    async run({ store }) {
      await store.close();
      await store.close();
    },
  },
  {
    name: "acknowledges nothing once it is closed",
    async run({ store }) {
      await store.close();
      await assert.rejects(commitOne(store, { puts: [put("a", 0)] }), { code: "closed" });
      await assert.rejects(store.get("approval", "a"));
    },
  },
  {
    name: "finds everything again after it was closed",
    reopens: true,
    async run({ store, clock, reopen }) {
      const now = clock.now();
      const kept = change({
        puts: [put("a", 0, "value", { indexes: ["key"], due: now })],
        entries: [entry({ n: 1 }, "a.b", "a"), entry({ n: 2 })],
        paused: true,
        unique: [{ key: "k", id: "holder", until: now + 60_000 }],
        counts: [{ key: "c", add: 3, max: 3 }],
      });
      await store.commit([kept]);
      await store.checkpoint("workspace", "signed");
      const before = [await store.checkpoint("workspace"), await allEntries(store)];
      await store.close();
      const again = await reopen();
      assert.deepEqual([await again.checkpoint("workspace"), await allEntries(again)], before);
      assert.equal((await again.get("approval", "a"))?.value, "value");
      assert.deepEqual(idsOf(await again.list("key", "", 10)), ["a"]);
      assert.deepEqual(idsOf(await again.due("approval", 10)), ["a"]);
      assert.equal((await again.changed([kept])).size, 1);
      await refused(again, "taken", { unique: [{ key: "k", id: "other", until: now + 1 }] });
      await refused(again, "limit", { counts: [{ key: "c", add: 1, max: 3 }] });
      await refused(again, "epoch", { epoch: 0 });
      await accepted(again, { puts: [put("a", 1)], entries: [entry()] });
      await assertVerified(again);
    },
  },
  {
    name: "serves two instances on the same data as one",
    reopens: true,
    async run({ store, clock, reopen }) {
      const other = await reopen();
      await accepted(store, { puts: [put("a", 0, "v", { indexes: ["key"], due: clock.now() })], entries: [entry()] });
      assert.equal((await other.get("approval", "a"))?.version, 1);
      assert.equal((await other.list("key", "", 10)).length, 1);
      await accepted(other, { puts: [put("a", 1)], entries: [entry()] });
      assert.equal((await store.get("approval", "a"))?.version, 2);
      await accepted(other, { tighten: true });
      await refused(store, "epoch", { epoch: 0 });
      await assertVerified(store);
    },
  },
  {
    name: "lets exactly one of two instances replace a version, round after round",
    reopens: true,
    async run({ store, reopen }) {
      const stores = [store, await reopen()];
      for (let round = 0; round < 25; round++) {
        const group = () => [
          change({ puts: [put("a", round)], entries: [entry({ round })] }),
          change({ entries: [entry()] }),
        ];
        const applied = await Promise.all(stores.map(async (each) => (await each.commit(group())).slice(0, 1)));
        assert.equal(applied.flat().filter(({ ok }) => ok).length, 1);
        assert.equal(applied.flat().filter(isRefused("version")).length, 1);
      }
      assert.equal((await store.checkpoint("workspace")).seq, 75);
      await assertVerified(store);
    },
  },
  {
    name: "hints at what another instance committed",
    reopens: true,
    async run({ store, reopen }) {
      const other = await reopen();
      const hint = hinted(other);
      await accepted(store, { entries: [entry()] });
      await hint;
    },
  },
];
