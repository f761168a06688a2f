import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newEntry, verifyChain } from "../../src/core/audit.js";
import { newId } from "../../src/core/ids.js";
import type { Change, Store } from "../../src/core/ports.js";
import { memoryStore } from "../../src/stores/memory.js";
import { redisStore } from "../../src/stores/redis.js";
import { fakeClock } from "../../src/testing/index.js";
import { mark } from "../support/marks.js";
import { RedisServer, redisMissing, skipped } from "../support/redis.js";
import { newServer, newStore, operator } from "./support.js";

const RUNS = 60;
const GROUPS = 20;
const WORKSPACES = ["w1", "w2"];
const LISTS = ["one", "two"];
const IDS = ["a", "b", "c"];
const COUNTERS = ["x", "y"];

type Parts = Omit<Change, "changeId" | "entries"> & { readonly marks: number };

/** Few names and small numbers, so that changes meet each other; times around the clock of the run, which goes on by at most 40. */
function parts(start: number): fc.Arbitrary<Parts> {
  const id = fc.constantFrom(...IDS);
  const time = fc.integer({ min: start, max: start + 200 });
  const rarely = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 });
  const put = fc.record({
    kind: fc.constantFrom("approval" as const, "grant" as const),
    id,
    version: fc.integer({ min: 0, max: 2 }),
    value: fc.option(
      fc.string().map((text) => text.replaceAll("\0", "\n")),
      { freq: 4 },
    ),
    indexes: fc.subarray(LISTS),
    due: rarely(time),
  });
  return fc.record({
    workspaceId: fc.constantFrom(...WORKSPACES),
    puts: fc.uniqueArray(put, { maxLength: 2, selector: (each) => each.kind + each.id }),
    marks: fc.integer({ min: 0, max: 2 }),
    before: rarely(time),
    after: rarely(time),
    epoch: rarely(fc.integer({ min: 0, max: 1 })),
    tighten: rarely(fc.boolean()),
    paused: rarely(fc.boolean()),
    unique: fc.array(fc.record({ key: id, id, until: fc.oneof(fc.constant(0), time) }), { maxLength: 1 }),
    counts: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom(...COUNTERS),
        add: fc.integer({ min: -1, max: 2 }),
        max: fc.constant(3),
        until: time,
      }),
      { maxLength: 2, selector: ({ key }) => key },
    ),
  });
}

function changeOf({ marks, ...rest }: Parts): Change {
  const entries = Array.from({ length: marks }, (_, n) => newEntry("mark.made", `ref ${n}`, { n }));
  return { changeId: newId(), entries, ...rest };
}

/** Everything that can be read, but for salts and hashes. */
async function contentsOf(store: Store): Promise<unknown> {
  const chains = await Promise.all(WORKSPACES.map((workspaceId) => store.entries(workspaceId, 0, 1_000)));
  return {
    records: await Promise.all(IDS.flatMap((id) => [store.get("approval", id), store.get("grant", id)])),
    lists: await Promise.all(LISTS.map((list) => store.list(list, "", 10))),
    due: await Promise.all([store.due("approval", 10), store.due("grant", 10)]),
    counts: await Promise.all(COUNTERS.map((key) => store.count(key))),
    chains: chains.map((entries) =>
      entries.map(({ seq, time, type, ref, content }) => [seq, time, type, ref, content]),
    ),
  };
}

let server: RedisServer;
let prefixes = 0;

describe.skipIf(redisMissing)(`what a Redis store believes${skipped}`, () => {
  beforeAll(async () => {
    server = await RedisServer.start({}, { inMemory: true });
  });
  afterAll(() => server.stop());

  it("never shows: stores that write in turns answer as one in memory does (I1, I7)", async () => {
    const start = fakeClock().now();
    const group = fc.record({
      by: fc.nat({ max: 1 }),
      wait: fc.nat({ max: 40 }),
      changes: fc.array(parts(start), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 10 }), async (groups) => {
        const clock = fakeClock(start);
        const open = () => redisStore({ url: server.url, prefix: `turns-${prefixes}`, clock });
        prefixes++;
        const stores = await Promise.all([open(), open()]);
        const memory = memoryStore({ clock });
        try {
          for (const { by, wait, changes } of groups) {
            clock.set(clock.now() + wait);
            const made = changes.map(changeOf);
            expect(await (stores[by] as Store).commit(made)).toEqual(await memory.commit(made));
          }
          const expected = await contentsOf(memory);
          for (const store of stores) {
            expect(await contentsOf(store)).toEqual(expected);
            for (const workspaceId of WORKSPACES) {
              const head = await store.checkpoint(workspaceId);
              expect(verifyChain(workspaceId, await store.entries(workspaceId, 0, 1_000), [head]).ok).toBe(true);
            }
          }
        } finally {
          await Promise.all([...stores, memory].map((store) => store.close()));
        }
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it("is put right while groups are under way, and none is lost, doubled or let past a limit (I1, I7)", async () => {
    const { url } = await newServer();
    const stores = await Promise.all([1, 2].map(() => newStore({ url })));
    const until = Date.now() + 600_000;
    const counts = [{ key: "calls", add: 1, max: GROUPS * 3, until }];
    const each = async (store: Store) => {
      const groups = Array.from({ length: GROUPS }, (_, n) => {
        const rivals = { unique: [{ key: `key-${n}`, id: newId(), until }] };
        return store.commit([mark(newId(), rivals), mark(newId(), { counts }), mark(newId(), { counts })]);
      });
      return (await Promise.all(groups)).flat();
    };
    const applied = (await Promise.all(stores.map(each))).flat();
    const refused = applied.flatMap((one) => (one.ok ? [] : [one.refused]));
    expect(refused.filter((word) => word === "taken")).toHaveLength(GROUPS);
    expect(refused.filter((word) => word === "limit")).toHaveLength(GROUPS);
    const [store] = stores as [Store];
    expect(await store.count("calls")).toBe(GROUPS * 3);
    const head = await store.checkpoint("w1");
    expect(head.seq).toBe(applied.length - refused.length);
    expect(verifyChain("w1", await store.entries("w1", 0, 1_000), [head]).ok).toBe(true);
  });

  it("is compared before anything is done: what changed behind its back is judged as it stands (I1, I4)", async () => {
    const { url } = await newServer();
    const store = await newStore({ url, mirror: false });
    const until = store.time() + 60_000;
    const spent = { unique: [{ key: "token", id: "first", until }], counts: [{ key: "calls", add: 1, max: 3, until }] };
    expect(await store.commit([mark("a", spent)])).toMatchObject([{ ok: true }]);
    const send = await operator(url);
    await send("SET", "{countersign}:approval:a", "7 [null,[]]\nelsewhere");
    await send("SET", "{countersign}:unique:token", `${until} "second"\n`);
    await send("SET", "{countersign}:count:calls", `${until} 3\n`);
    const put = { kind: "approval" as const, id: "a", version: 1, value: "mine" };
    const refused = await store.commit([
      mark("b", { unique: [{ key: "token", id: "first", until }] }),
      mark("c", { puts: [put] }),
      mark("d", { counts: [{ key: "calls", add: 1, max: 3, until }] }),
      mark("e", { puts: [{ ...put, version: 7 }] }),
    ]);
    expect(refused).toMatchObject([
      { ok: false, refused: "taken", holder: "second" },
      { ok: false, refused: "version", current: { version: 7, value: "elsewhere" } },
      { ok: false, refused: "limit", key: "calls" },
      { ok: true, seq: 2 },
    ]);
    for (const id of ["b", "d"]) expect(await store.get("approval", id)).toBeUndefined();
  });

  it("is not needed: who has seen nothing of what it changes is told by the first try", async () => {
    const { url } = await newServer();
    const first = await newStore({ url });
    const put = { kind: "approval" as const, id: "a", version: 0, value: "v", indexes: ["one"], due: 5 };
    await first.commit([mark("a", { puts: [put] })]);
    const second = await newStore({ url });
    const [applied] = await second.commit([
      mark("a", { puts: [{ ...put, version: 1, indexes: ["two"], due: undefined }] }),
    ]);
    expect(applied).toMatchObject({ ok: true, seq: 2 });
    expect(await first.list("one", "", 10)).toEqual([]);
    expect(await first.list("two", "", 10)).toMatchObject([{ id: "a", version: 2 }]);
    expect(await first.due("approval", 10)).toEqual([]);
  });
});
