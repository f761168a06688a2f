import { beforeEach, describe, expect, it } from "vitest";
import { memoryStore } from "../stores/memory.js";
import { type FaultyStore, faultyStore } from "../testing/index.js";
import { newEntry } from "./audit.js";
import { Grouper } from "./grouper.js";
import { newId } from "./ids.js";
import type { Change } from "./ports.js";

let store: FaultyStore;
let grouper: Grouper;

beforeEach(() => {
  store = faultyStore(memoryStore());
  grouper = new Grouper(store);
});

function change(id: string, version = 0): Change {
  const puts = [{ kind: "approval" as const, id, version, value: id }];
  return { changeId: newId(), workspaceId: "workspace", puts, entries: [newEntry("a.b", id, {})] };
}

const sizes = () => store.groups.map((group) => group.length);
const refs = async () => (await store.entries("workspace", 0, 100_000)).map(({ ref }) => ref);
/** Everything that is ready has its turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("grouping", () => {
  it("writes everything that comes at once in one group, in order", async () => {
    const applied = await Promise.all(["a", "b", "c"].map((id) => grouper.commit(change(id))));
    expect(applied.map((each) => each.ok && each.seq)).toEqual([1, 2, 3]);
    expect(sizes()).toEqual([3]);
  });

  it("gathers the next group while one is being written", async () => {
    const release = store.holdCommits();
    const first = grouper.commit(change("a"));
    await turn();
    const rest = ["b", "c", "d"].map((id) => grouper.commit(change(id)));
    await turn();
    expect(sizes()).toEqual([1]);
    release();
    await Promise.all([first, ...rest]);
    expect(sizes()).toEqual([1, 3]);
    expect(await refs()).toEqual(["a", "b", "c", "d"]);
  });

  it("sends what waits before it tells those of the group before, who are told before it is written", async () => {
    const release = store.holdCommits();
    const first = grouper.commit(change("a")).then(() => sizes());
    await turn();
    const second = grouper.commit(change("b"));
    release();
    const hold = store.holdCommits();
    expect(await first).toEqual([1, 1]);
    hold();
    expect((await second).ok).toBe(true);
  });

  it("answers each change for itself", async () => {
    const applied = await Promise.all([change("a"), change("a"), change("b")].map((each) => grouper.commit(each)));
    expect(applied.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  it("writes again after a pause", async () => {
    await grouper.commit(change("a"));
    await turn();
    await grouper.commit(change("b"));
    expect(sizes()).toEqual([1, 1]);
  });
});

describe("a store that takes two groups at once", () => {
  beforeEach(() => {
    store = faultyStore(Object.assign(memoryStore(), { groupsAtOnce: 2 }));
    grouper = new Grouper(store);
  });

  it("is given a second one that is large, never a third, and answers each change for itself", async () => {
    const release = store.holdCommits();
    const commits = [grouper.commit(change("first"))];
    const add = async (count: number) => {
      for (let i = 0; i < count; i++) commits.push(grouper.commit(change(`${commits.length}`)));
      await turn();
      return sizes();
    };
    expect(await add(0)).toEqual([1]);
    expect(await add(63)).toEqual([1]);
    expect(await add(1)).toEqual([1, 64]);
    expect(await add(200)).toEqual([1, 64]);
    release();
    expect((await Promise.all(commits)).map(({ ok }) => ok)).toEqual(commits.map(() => true));
    expect(sizes()).toEqual([1, 64, 128, 72]);
    expect((await refs()).length).toBe(265);
  });

  it("is waited for when closing, with both groups and what waits behind them", async () => {
    const release = store.holdCommits();
    const commits = Array.from({ length: 300 }, (_, i) => grouper.commit(change(`${i}`)));
    await turn();
    const closed = grouper.close();
    release();
    await closed;
    expect((await refs()).length).toBe(300);
    expect((await Promise.all(commits)).every(({ ok }) => ok)).toBe(true);
  });
});

describe("a full queue", () => {
  it("refuses at once, says that it may be tried again, and loses nothing it had taken (invariant I8)", async () => {
    const release = store.holdCommits();
    const inFlight = grouper.commit(change("first"));
    await turn();
    const waiting = Array.from({ length: 20_000 }, (_, i) => grouper.commit(change(`w${i}`)));
    await expect(grouper.commit(change("late"))).rejects.toMatchObject({ code: "queue_full", retryable: true });
    release();
    const applied = await Promise.all([inFlight, ...waiting]);
    expect(applied.every(({ ok }) => ok)).toBe(true);
    expect((await store.checkpoint("workspace")).seq).toBe(20_001);
    expect(await store.get("approval", "late")).toBeUndefined();
    expect((await grouper.commit(change("late"))).ok).toBe(true);
  });
});

describe("a lost reply", () => {
  it("is settled by asking: what was applied is told so and not written twice (invariant I1)", async () => {
    store.failNext("after-commit");
    const applied = await Promise.all([grouper.commit(change("a")), grouper.commit(change("b"))]);
    expect(applied.map((each) => each.ok && each.seq)).toEqual([1, 2]);
    expect(sizes()).toEqual([2]);
    expect(await refs()).toEqual(["a", "b"]);
  });

  it("writes once more what left no trace", async () => {
    store.failNext("before-commit");
    const applied = await Promise.all([grouper.commit(change("a")), grouper.commit(change("b"))]);
    expect(applied.map((each) => each.ok && each.seq)).toEqual([1, 2]);
    expect(await refs()).toEqual(["a", "b"]);
  });

  it("judges what was refused once more, and tells it as it is", async () => {
    await grouper.commit(change("a"));
    store.failNext("after-commit");
    const [again, fresh] = await Promise.all([grouper.commit(change("a")), grouper.commit(change("b"))]);
    expect(again).toMatchObject({ ok: false, refused: "version", current: { version: 1 } });
    expect(fresh).toMatchObject({ ok: true });
    expect(await refs()).toEqual(["a", "b"]);
  });

  it("is settled too when the second reply and the question are lost as well", async () => {
    store.failNext("before-commit");
    store.failNext("after-commit");
    store.failNext("changed", 2);
    expect((await grouper.commit(change("a"))).ok).toBe(true);
    expect(await refs()).toEqual(["a"]);
  });
});

describe("a store that does not answer", () => {
  it("leaves no doubt about what is known to be applied (invariant I8)", async () => {
    store.failNext("after-commit", 6);
    // Without an entry a change leaves nothing to find it again by.
    const silent = { ...change("b"), entries: [] };
    const [known, unknown] = [grouper.commit(change("a")), grouper.commit(silent)];
    await expect(unknown).rejects.toMatchObject({ code: "store_failed", retryable: true });
    expect((await known).ok).toBe(true);
  });

  it("is told to everybody who waits, as something to try again (invariant I8)", async () => {
    store.failNext("before-commit", 6);
    store.failNext("changed", 6);
    const waiting = ["a", "b"].map((id) => grouper.commit(change(id)));
    for (const each of waiting) await expect(each).rejects.toMatchObject({ code: "store_failed", retryable: true });
    expect(await refs()).toEqual([]);
  });

  it("holds up nobody once it answers again", async () => {
    store.failNext("before-commit", 1);
    store.failNext("changed", 5);
    await expect(grouper.commit(change("a"))).rejects.toMatchObject({ code: "store_failed" });
    expect((await grouper.commit(change("b"))).ok).toBe(true);
  });
});

describe("closing", () => {
  it("finishes what was taken and refuses what comes", async () => {
    const release = store.holdCommits();
    const taken = grouper.commit(change("a"));
    const closed = grouper.close();
    await expect(grouper.commit(change("b"))).rejects.toMatchObject({ code: "closed" });
    release();
    await closed;
    expect((await taken).ok).toBe(true);
    expect(await refs()).toEqual(["a"]);
  });
});
