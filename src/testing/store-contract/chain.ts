import assert from "node:assert/strict";
import { newId } from "../../core/ids.js";
import { accepted, allEntries, assertVerified, change, entry, put, type StoreTest } from "./bench.js";

export const CHAIN_TESTS: readonly StoreTest[] = [
  {
    name: "starts every chain empty",
    async run({ store }) {
      const head = await store.checkpoint("workspace");
      assert.deepEqual([head.workspaceId, head.seq, head.time, head.epoch], ["workspace", 0, 0, 0]);
      assert.equal("signed" in head, false);
      assert.deepEqual(await store.entries("workspace", 0, 10), []);
      await accepted(store, { puts: [put("a", 0)] });
      assert.equal((await store.checkpoint("workspace")).seq, 0);
    },
  },
  {
    name: "links entries in order, without a gap, up to the head",
    async run({ store, clock }) {
      const first = await accepted(store, { entries: [entry({ n: 1 }, "a.b", newId()), entry({ n: 2 })] });
      clock.set(clock.now() + 5);
      const [second, third] = await store.commit([
        change({ entries: [entry({ n: 3 })] }),
        change({ entries: [entry({ n: 4 }), entry({ n: 5 })] }),
      ]);
      assert.deepEqual([first.seq, second?.ok && second.seq, third?.ok && third.seq], [2, 3, 5]);
      const entries = await allEntries(store);
      assert.deepEqual(
        entries.map(({ seq, content }) => [seq, JSON.parse(content ?? "").n]),
        [1, 2, 3, 4, 5].map((n) => [n, n]),
      );
      await assertVerified(store);
    },
  },
  {
    name: "gives entries as they were handed over",
    async run({ store, clock }) {
      const given = entry({ some: ["content", 1, null] }, "approval.created", newId());
      await accepted(store, { entries: [given] });
      const [kept] = await allEntries(store);
      const { workspaceId, seq, time, type, ref, content } = kept ?? assert.fail("the entry is missing");
      assert.deepEqual(
        { workspaceId, seq, time, type, ref, content },
        {
          workspaceId: "workspace",
          seq: 1,
          time: clock.now(),
          type: given.type,
          ref: given.ref,
          content: given.content,
        },
      );
      assert.equal(kept?.salt?.length, 32);
    },
  },
  {
    name: "reads a chain page by page",
    async run({ store }) {
      await accepted(store, { entries: Array.from({ length: 10 }, (_, n) => entry({ n })) });
      const pages = [await store.entries("workspace", 0, 4), await store.entries("workspace", 4, 4)];
      assert.deepEqual(
        pages.map((page) => page.map(({ seq }) => seq)),
        [
          [1, 2, 3, 4],
          [5, 6, 7, 8],
        ],
      );
      assert.equal((await store.entries("workspace", 8, 4)).length, 2);
      assert.deepEqual(await store.entries("workspace", 10, 4), []);
    },
  },
  {
    name: "keeps a chain of its own for each workspace",
    async run({ store }) {
      const names = ["workspace", "other", "__proto__"];
      await store.commit(
        Array.from({ length: 9 }, (_, n) =>
          change({ workspaceId: names[n % 3] as string, entries: [entry({ n }), entry({ n })] }),
        ),
      );
      for (const name of names) {
        assert.deepEqual(
          (await allEntries(store, name)).map(({ seq }) => seq),
          [1, 2, 3, 4, 5, 6],
        );
        await assertVerified(store, name);
      }
      const hashes = await Promise.all(names.map(async (name) => (await store.checkpoint(name)).hash));
      assert.equal(new Set(hashes.map((hash) => Buffer.from(hash).toString("hex"))).size, 3);
    },
  },
  {
    name: "links every entry of commits that come at once",
    async run({ store }) {
      const commits = Array.from({ length: 30 }, (_, n) => accepted(store, { entries: [entry({ n })] }));
      const seqs = (await Promise.all(commits)).map(({ seq }) => seq);
      assert.deepEqual(
        seqs.toSorted((a, b) => a - b),
        Array.from({ length: 30 }, (_, n) => n + 1),
      );
      await assertVerified(store);
    },
  },
  {
    name: "links groups that come at once behind changes that are refused",
    async run({ store }) {
      await accepted(store, { puts: [put("taken", 0)] });
      const names = ["workspace", "other"];
      const groups = Array.from({ length: 10 }, (_, n) =>
        names.flatMap((workspaceId) => [
          change({ workspaceId, entries: [entry({ n })] }),
          change({ workspaceId, puts: [put("taken", 0)], entries: [entry({ n })] }),
          change({ workspaceId, puts: [put(`${workspaceId} ${n}`, 0)], entries: [entry({ n }), entry({ n })] }),
        ]),
      );
      const applied = await Promise.all(groups.map((group) => store.commit(group)));
      for (const answers of applied)
        assert.deepEqual(
          answers.map(({ ok }) => ok),
          [true, false, true, true, false, true],
        );
      for (const name of names) {
        assert.equal((await allEntries(store, name)).length, 30);
        await assertVerified(store, name);
      }
    },
  },
  {
    name: "tells which changes were applied, for replies that were lost",
    async run({ store }) {
      const ref = (changeId: string) => ({ changeId, workspaceId: "workspace" });
      const applied = change({ puts: [put("a", 0)], entries: [entry(), entry()], tighten: true });
      const late = change({ puts: [put("a", 0)], entries: [entry()] });
      await store.commit([applied, late]);
      const changed = await store.changed([ref(newId()), applied, late, ref("__proto__")]);
      assert.deepEqual([...changed.keys()], [applied.changeId]);
      const { ok, seq, epoch } = changed.get(applied.changeId) ?? assert.fail("the change is missing");
      assert.deepEqual({ ok, seq, epoch }, { ok: true, seq: 2, epoch: 1 });
      assert.equal((await store.changed([])).size, 0);
    },
  },
  {
    name: "keeps a signed checkpoint beside the chain",
    async run({ store }) {
      await accepted(store, { entries: [entry()] });
      const head = await store.checkpoint("workspace");
      const kept = await store.checkpoint("workspace", "signed 1");
      assert.deepEqual({ ...kept, signed: undefined }, { ...head, signed: undefined });
      assert.equal(kept.signed, "signed 1");
      await accepted(store, { entries: [entry()] });
      const later = await store.checkpoint("workspace");
      assert.deepEqual([later.seq, later.signed], [2, "signed 1"]);
      assert.equal((await store.checkpoint("workspace", "signed 2")).signed, "signed 2");
      assert.equal((await store.checkpoint("other", "before any entry")).signed, "before any entry");
      await accepted(store, { workspaceId: "other", entries: [entry()] });
      await assertVerified(store);
      await assertVerified(store, "other");
    },
  },
];
