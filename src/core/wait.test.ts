import { beforeEach, describe, expect, it } from "vitest";
import { type FakeClock, fakeClock } from "../testing/index.js";
import type { Approval } from "./approval.js";
import { Waiters, type WaitOptions, waitFor } from "./wait.js";

let clock: FakeClock;
let waiters: Waiters;
/** What each look was asked for. */
let looks: (readonly string[])[];
let look: (approvalIds: readonly string[]) => Promise<void>;

beforeEach(() => {
  clock = fakeClock();
  looks = [];
  look = async () => {};
  waiters = new Waiters(clock, (approvalIds) => {
    looks.push(approvalIds);
    return look(approvalIds);
  });
});

/** Waiting reads only these two. */
function approval(approvalId: string, state: Approval["state"]): Approval {
  return { approvalId, state } as Approval;
}

function wait(approvalId = "a", options: WaitOptions = {}) {
  const isDone = ({ state }: Approval) => state === "succeeded";
  return waitFor({ waiters, clock }, approval(approvalId, "pending"), isDone, options);
}

async function isOpen(waiting: Promise<unknown>): Promise<boolean> {
  await clock.advance(0);
  return (await Promise.race([waiting, Promise.resolve("open")])) === "open";
}

describe("waiting", () => {
  it("ends at once for what is there already", async () => {
    const known = approval("a", "succeeded");
    expect(await waitFor({ waiters, clock }, known, () => true)).toEqual({ type: "reached", approval: known });
  });

  it("ends for everybody who waits for it, when it is where they want it", async () => {
    const both = [wait("a"), wait("a")];
    const other = wait("b");
    waiters.changed(approval("a", "approved"));
    expect(await isOpen(both[0] as Promise<unknown>)).toBe(true);
    waiters.changed(approval("a", "succeeded"));
    for (const each of both) expect(await each).toMatchObject({ type: "reached", approval: { state: "succeeded" } });
    expect(await isOpen(other)).toBe(true);
  });

  it("ends as lost when the outcome can no longer be learned here", async () => {
    const waiting = wait();
    waiters.lost("b");
    expect(await isOpen(waiting)).toBe(true);
    waiters.lost("a");
    expect(await waiting).toEqual({ type: "lost" });
  });
});

describe("a deadline", () => {
  it("ends the wait at its millisecond (invariant I9)", async () => {
    const waiting = wait("a", { deadline: 5_000 });
    await clock.advance(4_999);
    expect(await isOpen(waiting)).toBe(true);
    await clock.advance(1);
    expect(await waiting).toEqual({ type: "deadline" });
  });

  it("may be a moment, and one that has passed ends the wait at once", async () => {
    const waiting = wait("a", { deadline: new Date(clock.now() + 100) });
    await clock.advance(100);
    expect(await waiting).toEqual({ type: "deadline" });
    expect(await wait("a", { deadline: 0 })).toEqual({ type: "deadline" });
    expect(await wait("a", { deadline: new Date(clock.now() - 1) })).toEqual({ type: "deadline" });
  });

  it("holds also when the store never answers a look", async () => {
    look = () => new Promise(() => {});
    const waiting = wait("a", { deadline: 5_000 });
    await clock.advance(5_000);
    expect(await waiting).toEqual({ type: "deadline" });
  });
});

describe("aborting", () => {
  it("ends the wait, before it or during it", async () => {
    const controller = new AbortController();
    const waiting = wait("a", { signal: controller.signal });
    expect(await isOpen(waiting)).toBe(true);
    controller.abort();
    expect(await waiting).toEqual({ type: "aborted" });
    expect(await wait("a", { signal: controller.signal })).toEqual({ type: "aborted" });
  });

  it("changes nothing after the end", async () => {
    const controller = new AbortController();
    const waiting = wait("a", { signal: controller.signal, deadline: 1_000 });
    waiters.changed(approval("a", "succeeded"));
    controller.abort();
    await clock.advance(2_000);
    expect(await waiting).toMatchObject({ type: "reached" });
  });
});

describe("looking", () => {
  it("happens every second without any hint, for everything that is waited for", async () => {
    look = async (ids) => {
      if (looks.length === 3) for (const id of ids) waiters.changed(approval(id, "succeeded"));
    };
    const waiting = [wait("a"), wait("b"), wait("a")];
    await clock.advance(3_000);
    expect(looks).toEqual([
      ["a", "b"],
      ["a", "b"],
      ["a", "b"],
    ]);
    for (const each of waiting) expect(await each).toMatchObject({ type: "reached" });
    await clock.advance(60_000);
    expect(looks.length).toBe(3);
  });

  it("goes on after a look that failed", async () => {
    look = async (ids) => {
      if (looks.length === 1) throw new Error("the store is away");
      for (const id of ids) waiters.changed(approval(id, "succeeded"));
    };
    const waiting = wait();
    await clock.advance(2_000);
    expect(await waiting).toMatchObject({ type: "reached" });
  });

  it("comes sooner by a hint, and a storm of hints brings one look", async () => {
    const waiting = wait();
    for (let i = 0; i < 1_000; i++) waiters.hint();
    expect(looks.length).toBe(0);
    await clock.advance(20);
    expect(looks.length).toBe(1);
    waiters.hint();
    // How soon depends on how long the first look took; before the next look by itself in any case.
    await clock.advance(900);
    expect(looks.length).toBe(2);
    waiters.changed(approval("a", "succeeded"));
    await waiting;
  });

  it("happens at once for what changed between being read and being waited for", async () => {
    waiters.changed({ ...approval("a", "succeeded"), version: 3 });
    look = async (ids) => {
      for (const id of ids) waiters.changed({ ...approval(id, "succeeded"), version: 3 });
    };
    const known = { ...approval("a", "executing"), version: 2 };
    const waiting = waitFor({ waiters, clock }, known, ({ state }) => state === "succeeded");
    expect(await waiting).toMatchObject({ type: "reached", approval: { version: 3 } });
    expect(looks).toEqual([["a"]]);
  });

  it("comes soon for who begins to wait just after a hint, for that may have been meant for them", async () => {
    waiters.hint();
    const waiting = wait();
    await clock.advance(20);
    expect(looks).toEqual([["a"]]);
    waiters.changed(approval("a", "succeeded"));
    await waiting;
  });

  it("does not follow hints for what ends in this process, which tells it, and looks at all of it in time", async () => {
    waiters = new Waiters(
      clock,
      async (approvalIds) => void looks.push(approvalIds),
      (approvalId) => approvalId === "here",
    );
    const waiting = [wait("here"), wait("elsewhere")];
    waiters.hint();
    await clock.advance(20);
    expect(looks).toEqual([["elsewhere"]]);
    await clock.advance(1_000);
    expect(looks.at(-1)).toEqual(["here", "elsewhere"]);
    for (const id of ["here", "elsewhere"]) waiters.changed(approval(id, "succeeded"));
    await Promise.all(waiting);
  });

  it("does not happen by hints when nobody waits", async () => {
    waiters.hint();
    await clock.advance(5_000);
    expect(looks).toEqual([]);
  });
});

describe("what is at hand", () => {
  it("is the open approval as it was last told, for a minute", async () => {
    waiters.changed(approval("a", "pending"));
    waiters.changed(approval("a", "executing"));
    expect(waiters.atHand.approval("a")).toMatchObject({ state: "executing" });
    await clock.advance(60_000);
    expect(waiters.atHand.approval("a")).toBeUndefined();
  });

  it("is nothing that has ended, and of the others at least the last five hundred and at most the last thousand", () => {
    waiters.changed(approval("a", "pending"));
    waiters.changed(approval("a", "succeeded"));
    expect(waiters.atHand.approval("a")).toBeUndefined();
    for (let i = 0; i <= 1_000; i++) waiters.changed(approval(`b${i}`, "pending"));
    expect(waiters.atHand.approval("b0")).toBeUndefined();
    for (const id of ["b501", "b1000"]) expect(waiters.atHand.approval(id)).toEqual(approval(id, "pending"));
  });

  const asked = {
    canonical: "{}",
    reasons: [],
    verdict: { type: "confirm", step: "tier_default", rules: [] },
  } as const;
  const revision = (n: number, state: Approval["state"] = "pending"): Approval =>
    ({ approvalId: "a", state, revision: n, toolCallHash: `hash ${n}` }) as Approval;

  it("is the call that was asked here, for its own revision and until it is started (invariant I3)", () => {
    waiters.changed(revision(1), asked);
    expect(waiters.atHand.call(revision(1))).toBe(asked);
    expect(waiters.atHand.call(revision(2))).toBeUndefined();
    expect(waiters.atHand.call({ ...revision(1), toolCallHash: "another" })).toBeUndefined();
    waiters.changed(revision(1, "approved"));
    expect(waiters.atHand.call(revision(1))).toBe(asked);
    waiters.changed(revision(1, "executing"));
    expect(waiters.atHand.call(revision(1))).toBeUndefined();
  });

  it("is no call of an earlier revision, and none that is long", () => {
    waiters.changed(revision(1), asked);
    waiters.changed(revision(2));
    expect(waiters.atHand.call(revision(2))).toBeUndefined();
    waiters.changed(revision(3), { ...asked, canonical: "x".repeat(4_097) });
    expect(waiters.atHand.call(revision(3))).toBeUndefined();
  });
});
