import assert from "node:assert/strict";
import type { Change, Store } from "../../core/ports.js";
import {
  accepted,
  allEntries,
  assertVerified,
  type Bench,
  change,
  entry,
  put,
  refused,
  type StoreTest,
} from "./bench.js";

/** Writes everything a change can write. */
function everything(now: number, parts: Partial<Change> = {}): Change {
  return change({
    puts: [
      put("record", 1, "changed", { indexes: ["new key"], due: now }),
      put("new", 0, "new", { indexes: ["new key"], due: now }),
    ],
    entries: [entry({ by: "the refused change" })],
    tighten: true,
    paused: true,
    unique: [{ key: "free", id: "me", until: now + 60_000 }],
    counts: [{ key: "counter", add: 1, max: 10 }],
    ...parts,
  });
}

/** Ways to make `everything` fail, by the word it is refused with. */
function refusals(now: number): readonly [Parameters<typeof refused>[1], Partial<Change>][] {
  const wrong = (value: unknown) => value as never;
  return [
    ["late", { before: now }],
    ["early", { after: now + 1 }],
    ["epoch", { epoch: 7 }],
    ["version", { puts: [put("new", 0), put("record", 5)] }],
    [
      "taken",
      {
        unique: [
          { key: "free", id: "me", until: now + 1 },
          { key: "held", id: "me", until: now + 1 },
        ],
      },
    ],
    [
      "limit",
      {
        counts: [
          { key: "counter", add: 1, max: 10 },
          { key: "full", add: 1, max: 1 },
        ],
      },
    ],
    ["broken", { changeId: "" }],
    ["broken", { workspaceId: "" }],
    ["broken", { puts: [put("new", 0), put("new", 0)] }],
    ["broken", { puts: [put("new", 0), put("", 0)] }],
    ["broken", { puts: [put("new", 0), put("nul\0", 0)] }],
    ["broken", { puts: [put("new", 0), put("other", -1)] }],
    ["broken", { puts: [put("new", 0), put("other", 0.5)] }],
    ["broken", { puts: [put("new", 0), put("other", 0, wrong(7))] }],
    ["broken", { puts: [put("new", 0), put("other", 0, "v", { due: Number.NaN })] }],
    ["broken", { puts: [put("new", 0), put("other", 0, "v", { due: -1 })] }],
    ["broken", { puts: [put("new", 0), put("other", 0, "v", { indexes: wrong([7]) })] }],
    ["broken", { entries: [entry(), { ...entry(), type: "" }] }],
    ["broken", { entries: [entry(), { ...entry(), content: wrong(null) }] }],
    ["broken", { entries: [entry(), { ...entry(), ref: wrong(undefined) }] }],
    // A counter that is not a number would never pass its maximum again.
    ["broken", { counts: [{ key: "counter", add: Number.NaN, max: 10 }] }],
    ["broken", { counts: [{ key: "counter", add: 1, max: Number.NaN }] }],
    ["broken", { counts: [{ key: "counter", add: 1, until: Number.POSITIVE_INFINITY }] }],
    [
      "broken",
      {
        counts: [
          { key: "counter", add: 1, max: 1 },
          { key: "counter", add: 1, max: 1 },
        ],
      },
    ],
    ["broken", { unique: [{ key: "free", id: "me", until: Number.NaN }] }],
    [
      "broken",
      {
        unique: [
          { key: "free", id: "me", until: now + 1 },
          { key: "free", id: "you", until: now + 1 },
        ],
      },
    ],
    ["broken", { before: Number.NaN }],
    ["broken", { after: Number.NaN }],
    ["broken", { puts: wrong(undefined) }],
    ["broken", { entries: wrong(undefined) }],
  ];
}

/** A record, a held key, a full counter and a chain that nothing refused may touch. */
async function prepare({ store, clock }: Bench): Promise<void> {
  await accepted(store, {
    puts: [put("record", 0, "before", { indexes: ["old key"], due: clock.now() + 1 })],
    entries: [entry({ at: "start" })],
    unique: [{ key: "held", id: "somebody", until: clock.now() + 60_000 }],
    counts: [
      { key: "full", add: 1, max: 1 },
      { key: "counter", add: 9, max: 10 },
    ],
  });
}

/** All that can be read of the store. */
async function view(store: Store, changeId: string) {
  return {
    records: [await store.get("approval", "record"), await store.get("approval", "new")],
    lists: [await store.list("old key", "", 10), await store.list("new key", "", 10)],
    due: await store.due("approval", 10),
    entries: await allEntries(store),
    head: await store.checkpoint("workspace"),
    changed: [...(await store.changed([{ changeId, workspaceId: "workspace" }]))],
  };
}

/** What cannot be read is tried: the key is still free, and the counter still has room for exactly one. */
async function assertKeysUntouched({ store, clock }: Bench): Promise<void> {
  await accepted(store, { unique: [{ key: "free", id: "other", until: clock.now() + 60_000 }] });
  await accepted(store, { counts: [{ key: "counter", add: 1, max: 10 }] });
  await refused(store, "limit", { counts: [{ key: "counter", add: 1, max: 10 }] });
}

export const TRACE_TESTS: readonly StoreTest[] = [
  {
    name: "leaves no trace of a refused or broken change",
    async run(bench) {
      const { store, clock } = bench;
      await prepare(bench);
      for (const [reason, parts] of refusals(clock.now())) {
        const attempt = everything(clock.now(), parts);
        const before = await view(store, attempt.changeId);
        await refused(store, reason, attempt);
        assert.deepEqual(await view(store, attempt.changeId), before, `${reason} ${Object.keys(parts).join()}`);
      }
      await assertKeysUntouched(bench);
      await assertVerified(store);
    },
  },
  {
    name: "harms no other change of the group by a refused or broken one",
    async run(bench) {
      const { store, clock } = bench;
      await prepare(bench);
      const bad = refusals(clock.now()).map(([, parts]) => everything(clock.now(), parts));
      const good = bad.map((_, i) => change({ puts: [put(`good ${i}`, 0)], entries: [entry({ good: i })] }));
      const applied = await store.commit(bad.flatMap((each, i) => [each, good[i] as Change]));
      assert.deepEqual(
        applied.map(({ ok }) => ok),
        bad.flatMap(() => [false, true]),
      );
      for (let i = 0; i < good.length; i++) assert.equal((await store.get("approval", `good ${i}`))?.version, 1);
      assert.equal((await store.checkpoint("workspace")).seq, 1 + good.length);
      await assertKeysUntouched(bench);
      await assertVerified(store);
    },
  },
  {
    name: "applies the whole change once nothing stands in its way",
    async run(bench) {
      const { store, clock } = bench;
      await prepare(bench);
      const { time, epoch, seq } = await accepted(store, everything(clock.now(), { epoch: 0 }));
      assert.deepEqual({ time, epoch, seq }, { time: clock.now(), epoch: 1, seq: 2 });
      assert.deepEqual(await store.list("old key", "", 10), []);
      assert.equal((await store.list("new key", "", 10)).length, 2);
      assert.equal((await store.due("approval", 10)).length, 2);
      assert.equal((await store.checkpoint("workspace")).paused, true);
      await refused(store, "taken", { unique: [{ key: "free", id: "other", until: clock.now() + 1 }] });
      await refused(store, "limit", { counts: [{ key: "counter", add: 1, max: 10 }] });
    },
  },
];
