import assert from "node:assert/strict";
import { newId } from "../../core/ids.js";
import type { Store } from "../../core/ports.js";
import { accepted, allEntries, assertVerified, change, entry, idsOf, put, refused, type StoreTest } from "./bench.js";

/** Texts that stores have been known to spoil. */
const TEXTS = [
  "",
  " ",
  "null",
  "0",
  "it's \"quoted\" -- '); DROP TABLE record;",
  "line\nline\r\n\ttab",
  "\u0001\u001f\u007f",
  "审批 ✅ 👩‍👩‍👧 ẞ é é \ufeff\u202e\u2028",
  "\u{10ffff}\uffff\ue000",
  "%_\\%s${x}{{y}}",
  '{"__proto__":{"polluted":true}}',
];

/** Ids come from callers: those that look like paths, members or commands are ids like any other. */
const IDS = [
  ...TEXTS.filter((text) => text !== ""),
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "../../etc/passwd",
  "/",
  "a/b",
  "a:b",
  "A",
  "a",
  "0190163d-8694-739b-aea5-966c26f8ad91",
  "0190163D-8694-739B-AEA5-966C26F8AD91",
  "0190163d8694739baea5966c26f8ad91",
  "x".repeat(1_000),
];

async function idsByPage(store: Store, index: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let page = idsOf(await store.list(index, "", limit)); page.length > 0; ) {
    assert.ok(page.length <= limit);
    ids.push(...page);
    page = idsOf(await store.list(index, page.at(-1) as string, limit));
  }
  return ids;
}

export const READING_TESTS: readonly StoreTest[] = [
  {
    name: "lists from the end by pages, the last id first, as exactly as from the start",
    async run({ store }) {
      const ids = ["a", "b", "b/", "c", newId(), newId(), newId(), "审批", "z"];
      await store.commit(ids.map((id) => change({ puts: [{ ...put(id, 0, "{}"), indexes: ["shelf"] }] })));
      const forward = await idsByPage(store, "shelf", 4);
      for (const limit of [1, 4, 100]) {
        const backward: string[] = [];
        for (let page = idsOf(await store.latest("shelf", "", limit)); page.length > 0; ) {
          assert.ok(page.length <= limit);
          backward.push(...page);
          page = idsOf(await store.latest("shelf", page.at(-1) as string, limit));
        }
        assert.deepEqual(backward, [...forward].reverse());
      }
      assert.deepEqual(
        idsOf(await store.latest("shelf", "b0", 1)),
        ["b/"],
        "an id that is not there is a place as well",
      );
      assert.deepEqual(await store.latest("nothing", "", 5), []);
    },
  },
  {
    name: "gives back every kind of text as it was",
    async run({ store }) {
      // The largest value a call may have, and content for the chain that stays below it.
      const texts = [...TEXTS, "é".repeat(524_288)];
      const content = (text: string) => ({ text: text.slice(0, 1_000) });
      await store.commit(
        texts.map((text, i) => change({ puts: [put(`t${i}`, 0, text)], entries: [entry(content(text))] })),
      );
      const entries = await allEntries(store);
      for (const [i, text] of texts.entries()) {
        assert.equal((await store.get("approval", `t${i}`))?.value, text);
        assert.deepEqual(JSON.parse(entries[i]?.content ?? ""), content(text));
      }
      await assertVerified(store);
    },
  },
  {
    name: "keeps records apart whatever their ids look like",
    async run({ store, clock }) {
      assert.equal(await store.get("approval", "__proto__"), undefined);
      for (const id of IDS) {
        const ids = { puts: [put(id, 0, id, { indexes: ["all"] })], entries: [entry({}, "id.used", id)] };
        await accepted(store, {
          ...ids,
          unique: [{ key: id, id, until: clock.now() + 1 }],
          counts: [{ key: id, add: 1, max: 1 }],
        });
      }
      for (const id of IDS) {
        assert.deepEqual(await store.get("approval", id), { kind: "approval", id, version: 1, value: id });
      }
      assert.deepEqual(
        (await allEntries(store)).map(({ ref }) => ref),
        IDS,
      );
      assert.deepEqual((await idsByPage(store, "all", 3)).toSorted(), IDS.toSorted());
      await assertVerified(store);
    },
  },
  {
    // Databases cut texts at NUL and spoil half surrogate pairs: `home\0` must not read or write what is `home`'s.
    name: "takes no id, key or workspace for another one that is cut or spoilt on the way",
    async run({ store, clock }) {
      const until = clock.now() + 1;
      await accepted(store, { workspaceId: "a", puts: [put("a", 0, "v", { indexes: ["a"] })], entries: [entry()] });
      for (const twin of ["a\0", "a\0b", "\ud800", "a\udfff"]) {
        assert.equal(await store.get("approval", twin), undefined);
        assert.deepEqual(await store.list(twin, "", 10), []);
        assert.deepEqual(await store.entries(twin, 0, 10), []);
        assert.equal((await store.checkpoint(twin)).seq, 0);
        assert.equal((await store.changed([{ changeId: twin, workspaceId: "a" }])).size, 0);
        await refused(store, "broken", { changeId: twin });
        await refused(store, "broken", { workspaceId: twin, entries: [entry()] });
        await refused(store, "broken", { puts: [put(twin, 0)] });
        await refused(store, "broken", { puts: [put("b", 0, "v", { indexes: [twin] })] });
        await refused(store, "broken", { entries: [entry({}, "a.b", twin)] });
        await refused(store, "broken", { entries: [entry({}, twin)] });
        await refused(store, "broken", { unique: [{ key: twin, id: "me", until }] });
        await refused(store, "broken", { unique: [{ key: "k", id: twin, until }] });
        await refused(store, "broken", { counts: [{ key: twin, add: 1 }] });
      }
      await refused(store, "broken", { puts: [put("b", 0, "v\0")] });
    },
  },
  {
    name: "keeps lists apart whatever their keys look like",
    async run({ store }) {
      const keys = [...IDS, "a\nb", "b"];
      await accepted(store, { puts: [put("r", 0, "v", { indexes: keys })] });
      for (const key of keys) assert.deepEqual(idsOf(await store.list(key, "", 10)), ["r"], JSON.stringify(key));
      await accepted(store, { puts: [put("r", 1, "v", { indexes: ["a\nb"] })] });
      for (const key of keys) {
        assert.deepEqual(idsOf(await store.list(key, "", 10)), key === "a\nb" ? ["r"] : [], JSON.stringify(key));
      }
    },
  },
  {
    name: "lists a record once under a key that was named twice",
    async run({ store }) {
      await accepted(store, { puts: [put("r", 0, "v", { indexes: ["k", "k"] })] });
      assert.deepEqual(idsOf(await store.list("k", "", 10)), ["r"]);
      await accepted(store, { puts: [put("r", 1, "v")] });
      assert.deepEqual(await store.list("k", "", 10), []);
    },
  },
  {
    name: "lists by id and page by page, in whatever order records came",
    async run({ store }) {
      const made = Array.from({ length: 25 }, () => newId());
      const mixed = made.toSorted((a, b) => a.slice(-12).localeCompare(b.slice(-12)));
      for (const [i, id] of mixed.entries()) {
        await accepted(store, { puts: [put(id, 0, "v", { indexes: i % 2 === 0 ? ["k", "even"] : ["k"] })] });
      }
      assert.deepEqual(idsOf(await store.list("k", "", 100)), made);
      for (const limit of [1, 7, 25]) assert.deepEqual(await idsByPage(store, "k", limit), made);
      assert.equal((await store.list("even", "", 100)).length, 13);
      // Paging goes on after a record that has gone meanwhile.
      const tenth = made[9] as string;
      await accepted(store, { puts: [put(tenth, 1, null)] });
      assert.deepEqual(idsOf(await store.list("k", tenth, 3)), made.slice(10, 13));
      assert.deepEqual(await store.list("unknown", "", 10), []);
    },
  },
  {
    name: "moves a record between lists with each put",
    async run({ store }) {
      await accepted(store, { puts: [put("r", 0, "v", { indexes: ["one", "two"] })] });
      await accepted(store, { puts: [put("r", 1, "w", { indexes: ["two", "three"] })] });
      assert.deepEqual(await store.list("one", "", 10), []);
      assert.equal((await store.list("two", "", 10))[0]?.value, "w");
      assert.equal((await store.list("three", "", 10))[0]?.version, 2);
      await accepted(store, { puts: [put("r", 2)] });
      assert.deepEqual(await store.list("two", "", 10), []);
    },
  },
  {
    name: "gives what is due from its millisecond on, the longest due first",
    async run({ store, clock }) {
      const now = clock.now();
      const puts = [
        put("last", 0, "v", { due: now + 100 }),
        put("first", 0, "v", { due: now + 20 }),
        put("second", 0, "v", { due: now + 30 }),
        put("never", 0, "v"),
        put("other kind", 0, "v", { kind: "lease", due: now }),
      ];
      await accepted(store, { puts });
      assert.deepEqual(await store.due("approval", 10), []);
      clock.set(now + 19);
      assert.deepEqual(await store.due("approval", 10), []);
      clock.set(now + 20);
      assert.deepEqual(idsOf(await store.due("approval", 10)), ["first"]);
      clock.set(now + 1_000);
      assert.deepEqual(idsOf(await store.due("approval", 10)), ["first", "second", "last"]);
      assert.deepEqual(idsOf(await store.due("approval", 2)), ["first", "second"]);
      assert.deepEqual(idsOf(await store.due("lease", 10)), ["other kind"]);
      // A later put without a time takes the record off, another time moves it.
      await accepted(store, { puts: [put("first", 1), put("last", 1, "v", { due: now })] });
      assert.deepEqual(idsOf(await store.due("approval", 10)), ["last", "second"]);
    },
  },
];
