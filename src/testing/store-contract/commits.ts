import assert from "node:assert/strict";
import { accepted, change, commitOne, isRefused, put, refused, type StoreTest } from "./bench.js";

const RIVALS = 40;

export const COMMIT_TESTS: readonly StoreTest[] = [
  {
    name: "applies changes in order, later ones seeing earlier ones",
    async run({ store }) {
      const applied = await store.commit([
        change({ puts: [put("a", 0, "first")] }),
        change({ puts: [put("a", 1, "second")] }),
        change({ puts: [put("a", 2, null)] }),
        change({ puts: [put("a", 0, "again")] }),
      ]);
      assert.deepEqual(
        applied.map(({ ok }) => ok),
        [true, true, true, true],
      );
      assert.deepEqual(await store.get("approval", "a"), { kind: "approval", id: "a", version: 1, value: "again" });
    },
  },
  {
    name: "answers each change of a group in its place",
    async run({ store }) {
      assert.deepEqual(await store.commit([]), []);
      const applied = await store.commit([
        change({ puts: [put("a", 0)] }),
        change({ puts: [put("missing", 3)] }),
        change({ puts: [put("b", 0)] }),
      ]);
      assert.deepEqual(
        applied.map(({ ok }) => ok),
        [true, false, true],
      );
    },
  },
  {
    name: "lets the first of two changes to one record in one group win",
    async run({ store }) {
      await accepted(store, { puts: [put("a", 0)] });
      const [first, second] = await store.commit([
        change({ puts: [put("a", 1, "mine")] }),
        change({ puts: [put("a", 1, "yours")] }),
      ]);
      assert.equal(first?.ok, true);
      assert.ok(second !== undefined && !second.ok && second.refused === "version");
      assert.deepEqual(second.current, { kind: "approval", id: "a", version: 2, value: "mine" });
    },
  },
  {
    name: "applies exactly one of many that replace the same version",
    async run({ store }) {
      await accepted(store, { puts: [put("a", 0)] });
      const rivals = Array.from({ length: RIVALS }, (_, i) => commitOne(store, { puts: [put("a", 1, `rival ${i}`)] }));
      const applied = await Promise.all(rivals);
      const winner = applied.findIndex(({ ok }) => ok);
      assert.equal(applied.filter(({ ok }) => ok).length, 1);
      assert.equal(applied.filter(isRefused("version")).length, RIVALS - 1);
      const current = { kind: "approval", id: "a", version: 2, value: `rival ${winner}` };
      assert.deepEqual(await store.get("approval", "a"), current);
      for (const lost of applied) if (!lost.ok) assert.deepEqual(lost.current, current);
    },
  },
  {
    name: "creates only what does not exist, and replaces only what does",
    async run({ store }) {
      const missing = await refused(store, "version", { puts: [put("a", 1)] });
      assert.equal(missing.current, undefined);
      await accepted(store, { puts: [put("a", 0)] });
      const existing = await refused(store, "version", { puts: [put("a", 0)] });
      assert.equal(existing.current?.version, 1);
      await refused(store, "version", { puts: [put("a", 2)] });
    },
  },
  {
    name: "removes a record only at its version, and wholly",
    async run({ store, clock }) {
      await accepted(store, { puts: [put("a", 0, "v", { indexes: ["key"], due: clock.now() })] });
      await refused(store, "version", { puts: [put("a", 2, null)] });
      await accepted(store, { puts: [put("a", 1, null)] });
      assert.equal(await store.get("approval", "a"), undefined);
      assert.deepEqual(await store.list("key", "", 10), []);
      assert.deepEqual(await store.due("approval", 10), []);
      await refused(store, "version", { puts: [put("a", 1)] });
    },
  },
  {
    name: "applies all puts of a change or none",
    async run({ store }) {
      await accepted(store, { puts: [put("b", 0)] });
      const answer = await refused(store, "version", { puts: [put("a", 0), put("b", 0), put("c", 0)] });
      assert.equal(answer.current?.id, "b");
      assert.equal(await store.get("approval", "a"), undefined);
      assert.equal(await store.get("approval", "c"), undefined);
    },
  },
  {
    name: "keeps records of different kinds apart under the same id and key",
    async run({ store }) {
      const both = { indexes: ["key"] };
      await accepted(store, {
        puts: [put("a", 0, "approval", both), put("a", 0, "grant", { ...both, kind: "grant" })],
      });
      assert.equal((await store.list("key", "", 10)).length, 2);
      await accepted(store, { puts: [put("a", 1, null)] });
      assert.deepEqual(await store.list("key", "", 10), [{ kind: "grant", id: "a", version: 1, value: "grant" }]);
    },
  },
];
