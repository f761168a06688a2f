import { beforeEach, describe, expect, it } from "vitest";
import { memoryStore } from "../stores/memory.js";
import { type FakeClock, type FaultyStore, fakeClock, faultyStore } from "../testing/index.js";
import { Grouper } from "./grouper.js";
import { Lease } from "./lease.js";
import type { Host, StoredRecord } from "./ports.js";

const TTL = 15_000;

let clock: FakeClock;
let store: FaultyStore;
let grouper: Grouper;
/** Processes of this machine that have ended. */
let ended: Set<number>;

beforeEach(() => {
  clock = fakeClock();
  store = faultyStore(memoryStore({ clock }));
  grouper = new Grouper(store);
  ended = new Set();
});

function leaseOf(pid: number): Lease {
  const host: Host = { self: { host: "here", pid, started: "0" }, isGone: (other) => ended.has(other.pid) };
  return new Lease(store, grouper, clock, host);
}

const record = (lease: Lease): Promise<StoredRecord | undefined> => store.get("lease", lease.instance);
const goneFor = async (lease: Lease) => (await lease.gone()).map(({ id }) => id);

/** Something that runs until it is told to end. */
function work(lease: Lease) {
  let end = () => {};
  const ran = lease.during(() => new Promise<void>((resolve) => (end = resolve)));
  return { ran, end: () => end() };
}

describe("holding a lease", () => {
  it("is written before anything may be claimed, and once for all who ask at the same time", async () => {
    const lease = leaseOf(1);
    await Promise.all([lease.held(), lease.held(), lease.held()]);
    expect((await record(lease))?.version).toBe(1);
    await lease.held();
    expect((await record(lease))?.version).toBe(1);
  });

  it("is renewed when it is asked for and a third of it is over", async () => {
    const lease = leaseOf(1);
    await lease.held();
    clock.set(clock.now() + 5_000);
    await lease.held();
    expect((await record(lease))?.version).toBe(2);
  });

  it("lasts for what starts late under it as for what started first: a process that stalls for a while is not taken for dead (I6)", async () => {
    const [lease, other] = [leaseOf(1), leaseOf(2)];
    await lease.held();
    clock.set(clock.now() + TTL - 5_100);
    await lease.held();
    const { ran, end } = work(lease);
    clock.set(clock.now() + 5_200);
    expect(await goneFor(other)).toEqual([]);
    end();
    await ran;
  });

  it("is refused when it cannot be written: nothing is claimed without it", async () => {
    const lease = leaseOf(1);
    store.failNext("before-commit", 6);
    await expect(lease.held()).rejects.toMatchObject({ code: "store_failed" });
    await lease.held();
    expect((await record(lease))?.version).toBe(1);
  });

  it("goes on from what stands there when a reply was lost", async () => {
    const lease = leaseOf(1);
    store.failNext("after-commit");
    await lease.held();
    clock.set(clock.now() + TTL);
    await lease.held();
    expect(await goneFor(leaseOf(2))).toEqual([]);
  });
});

describe("renewing while something runs", () => {
  it("keeps the lease for as long as it takes, and no longer", async () => {
    const [lease, other] = [leaseOf(1), leaseOf(2)];
    await lease.held();
    const { ran, end } = work(lease);
    await clock.advance(10 * TTL);
    expect(await goneFor(other)).toEqual([]);
    end();
    await ran;
    await clock.advance(2 * TTL);
    expect(await goneFor(other)).toEqual([lease.instance]);
  });

  it("tries again when the store did not answer", async () => {
    const [lease, other] = [leaseOf(1), leaseOf(2)];
    await lease.held();
    const { ran, end } = work(lease);
    store.failNext("before-commit", 6);
    await clock.advance(TTL - 1);
    expect(await goneFor(other)).toEqual([]);
    expect((await record(lease))?.version).toBeGreaterThan(1);
    end();
    await ran;
  });

  it("is idle once nothing runs any more", async () => {
    const lease = leaseOf(1);
    const works = [work(lease), work(lease)];
    let idle = false;
    const waiting = lease.idle().then(() => (idle = true));
    works[0]?.end();
    await works[0]?.ran;
    await clock.advance(0);
    expect(idle).toBe(false);
    works[1]?.end();
    await waiting;
    await lease.idle();
  });

  it("passes on what the work came to", async () => {
    const lease = leaseOf(1);
    expect(await lease.during(async () => 7)).toBe(7);
    await expect(lease.during(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await lease.idle();
  });
});

describe("what others see", () => {
  it("an instance is gone at the millisecond its lease has run out, and not before", async () => {
    const [lease, other] = [leaseOf(1), leaseOf(2)];
    await lease.held();
    clock.set(clock.now() + TTL - 1);
    expect(await goneFor(other)).toEqual([]);
    clock.set(clock.now() + 1);
    expect(await goneFor(other)).toEqual([lease.instance]);
  });

  it("an instance whose process has ended on this machine is gone at once", async () => {
    const [lease, other] = [leaseOf(1), leaseOf(2)];
    await lease.held();
    await other.held();
    ended.add(1);
    expect(await goneFor(other)).toEqual([lease.instance]);
  });

  it("nobody takes itself for gone", async () => {
    const lease = leaseOf(1);
    await lease.held();
    ended.add(1);
    clock.set(clock.now() + 2 * TTL);
    expect(await goneFor(lease)).toEqual([]);
  });

  it("an instance that others took for dead can hold a lease again", async () => {
    const [lease, other] = [leaseOf(1), leaseOf(2)];
    await lease.held();
    clock.set(clock.now() + TTL);
    for (const gone of await other.gone()) await other.forget(gone);
    expect(await record(lease)).toBeUndefined();
    await lease.held();
    expect((await record(lease))?.version).toBe(1);
    expect(await goneFor(other)).toEqual([]);
  });

  it("a lease is over a while after it has run out: what was claimed in its time may be seen late (I6)", async () => {
    const [lease, other] = [leaseOf(1), leaseOf(2)];
    await lease.held();
    const held = (await record(lease)) as StoredRecord;
    clock.set(clock.now() + 2 * TTL - 1);
    expect(other.isOver(held)).toBe(false);
    clock.set(clock.now() + 1);
    expect(other.isOver(held)).toBe(true);
    // One of an earlier release does not say when it ends.
    expect(other.isOver({ ...held, value: JSON.stringify({ host: "here", pid: 1, started: "0" }) })).toBe(true);
  });

  it("an instance that renewed meanwhile is not forgotten", async () => {
    const [lease, other] = [leaseOf(1), leaseOf(2)];
    await lease.held();
    clock.set(clock.now() + TTL);
    const gone = await other.gone();
    await lease.held();
    for (const each of gone) await other.forget(each);
    expect((await record(lease))?.version).toBe(2);
  });
});

describe("releasing", () => {
  it("leaves nothing for others to find out", async () => {
    const lease = leaseOf(1);
    await lease.release();
    await lease.held();
    await lease.release();
    expect(await record(lease)).toBeUndefined();
  });

  it("does not happen while something runs here", async () => {
    const lease = leaseOf(1);
    await lease.held();
    const { ran, end } = work(lease);
    const before = await record(lease);
    await lease.release();
    expect(before?.version).toBe(1);
    expect(await record(lease)).toEqual(before);
    end();
    await ran;
  });
});
