import { beforeEach, describe, expect, it } from "vitest";
import { type FakeClock, fakeClock } from "../testing/index.js";
import { Rounds } from "./rounds.js";

let clock: FakeClock;
/** Ends the round that is under way, each in turn. */
let ends: ((error?: Error) => void)[];
let failures: string[];
let rounds: Rounds;

beforeEach(() => {
  clock = fakeClock();
  ends = [];
  failures = [];
  rounds = new Rounds({
    clock,
    every: 1_000,
    round: () =>
      new Promise((resolve, reject) => ends.push((error) => (error === undefined ? resolve() : reject(error)))),
    failed: ({ message }) => failures.push(message),
  });
});

const end = async (error?: Error) => {
  ends.at(-1)?.(error);
  await clock.advance(0);
};

describe("rounds", () => {
  it("come one at a time: any number of wishes during one is one more after it", async () => {
    for (let wishes = 0; wishes < 3; wishes++) rounds.hurry();
    expect(ends).toHaveLength(1);
    await end();
    expect(ends).toHaveLength(2);
    await end();
    expect(ends).toHaveLength(2);
  });

  it("come by themselves after a while, also after one that failed", async () => {
    rounds.hurry();
    await end(new Error("the book is shut"));
    expect(failures).toEqual(["the book is shut"]);
    await clock.advance(999);
    expect(ends).toHaveLength(1);
    await clock.advance(1);
    expect(ends).toHaveLength(2);
  });

  it("come sooner when one says so, once, also when another is asked for before", async () => {
    rounds.hurry();
    rounds.againIn(250);
    rounds.againIn(400);
    rounds.hurry();
    await end();
    await end();
    await clock.advance(249);
    expect(ends).toHaveLength(2);
    await clock.advance(1);
    expect(ends).toHaveLength(3);
    await end();
    await clock.advance(999);
    expect(ends).toHaveLength(3);
    await clock.advance(1);
    expect(ends).toHaveLength(4);
  });

  it("come no more once it is closed, which waits for the one under way", async () => {
    rounds.hurry();
    rounds.hurry();
    let closed = false;
    const closing = rounds.close().then(() => (closed = true));
    await clock.advance(0);
    expect(closed).toBe(false);
    await end();
    await closing;
    rounds.hurry();
    await clock.advance(5_000);
    expect(ends).toHaveLength(1);
  });
});
