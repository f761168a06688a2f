import assert from "node:assert/strict";
import {
  accepted,
  allEntries,
  assertVerified,
  change,
  entry,
  isRefused,
  put,
  refused,
  type StoreTest,
} from "./bench.js";

export const CONDITION_TESTS: readonly StoreTest[] = [
  {
    name: "refuses what comes at or after `before`, to the millisecond",
    async run({ store, clock }) {
      const before = clock.now() + 1_000;
      clock.set(before - 1);
      await accepted(store, { before });
      clock.set(before);
      const late = await refused(store, "late", { before });
      assert.equal(late.time, before);
      clock.set(before + 1);
      await refused(store, "late", { before });
    },
  },
  {
    name: "refuses what comes before `after`, to the millisecond",
    async run({ store, clock }) {
      const after = clock.now() + 1_000;
      clock.set(after - 1);
      await refused(store, "early", { after });
      clock.set(after);
      await accepted(store, { after });
    },
  },
  {
    name: "leaves no moment at which both of two complementary changes are applied, or neither",
    async run({ store, clock }) {
      const due = clock.now() + 10;
      for (let i = 0; i < 20; i++) {
        clock.set(due - 10 + i);
        const [inTime, expired] = await store.commit([change({ before: due }), change({ after: due })]);
        assert.notEqual(inTime?.ok, expired?.ok);
      }
    },
  },
  {
    name: "judges the epoch, which only tightening and pausing raise",
    async run({ store }) {
      assert.equal((await accepted(store, { epoch: 0 })).epoch, 0);
      assert.equal((await accepted(store, { tighten: true })).epoch, 1);
      assert.equal((await refused(store, "epoch", { epoch: 0 })).epoch, 1);
      assert.equal((await accepted(store, { paused: true, epoch: 1 })).epoch, 2);
      assert.equal((await accepted(store, { paused: false, epoch: 2 })).epoch, 2);
      assert.equal((await accepted(store, { puts: [put("a", 0)], entries: [entry()] })).epoch, 2);
      assert.equal((await store.checkpoint("workspace")).epoch, 2);
    },
  },
  {
    name: "keeps the pause until somebody resumes",
    async run({ store }) {
      assert.equal((await store.checkpoint("workspace")).paused, false);
      await accepted(store, { paused: true });
      await accepted(store, { entries: [entry()] });
      await accepted(store, { tighten: true });
      assert.equal((await store.checkpoint("workspace")).paused, true);
      await accepted(store, { paused: false });
      assert.equal((await store.checkpoint("workspace")).paused, false);
    },
  },
  {
    name: "keeps epochs and pauses of workspaces apart",
    async run({ store }) {
      await accepted(store, { paused: true });
      const other = await store.checkpoint("other");
      assert.deepEqual([other.epoch, other.paused], [0, false]);
      await accepted(store, { workspaceId: "other", epoch: 0 });
    },
  },
  {
    name: "lets a tightening refuse what was judged before it, in the same group too",
    async run({ store }) {
      const applied = await store.commit([
        change({ epoch: 0, puts: [put("a", 0)] }),
        change({ tighten: true }),
        change({ epoch: 0, puts: [put("b", 0)] }),
      ]);
      assert.deepEqual(applied.map(isRefused("epoch")), [false, false, true]);
      assert.equal(await store.get("approval", "b"), undefined);
    },
  },
  {
    name: "never runs time backwards in a workspace, whatever the clock does",
    async run({ store, clock }) {
      const start = clock.now();
      assert.equal((await accepted(store, { entries: [entry()] })).time, start);
      clock.set(start - 3_600_000);
      assert.equal((await accepted(store, { entries: [entry()] })).time, start);
      // The deadline has passed: setting the clock back must not bring it back.
      await refused(store, "late", { before: start });
      await accepted(store, { after: start });
      clock.set(start + 5);
      assert.equal((await accepted(store, { entries: [entry()] })).time, start + 5);
      assert.deepEqual(
        (await allEntries(store)).map(({ time }) => time),
        [start, start, start + 5],
      );
      await assertVerified(store);
    },
  },
];
