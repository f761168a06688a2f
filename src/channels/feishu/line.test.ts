import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/gate/support.js";
import { type AttemptEvents, Line } from "./line.js";

/** A line whose connections are made and broken by the test. */
function world() {
  const clock = new ManualClock();
  const attempts: AttemptEvents[] = [];
  const states: string[] = [];
  let open = 0;
  const line = new Line({
    clock,
    line: (state) => states.push(state),
    connect: (events) => {
      attempts.push(events);
      open += 1;
      return {
        close: () => {
          open -= 1;
        },
      };
    },
  });
  return { clock, attempts, states, line, open: () => open, last: () => attempts.at(-1) as AttemptEvents };
}

describe("the long connection", () => {
  it("stands once the first try is ready", async () => {
    const { line, last, states, open } = world();
    const opened = line.open();
    last().ready();
    await opened;
    expect([states, open()]).toEqual([["up"], 1]);
  });

  it.each([
    [true, { name: "CountersignError", code: "invalid_request" }],
    [false, { name: "ChannelError", reason: "down" }],
  ])("is given up when the first try fails (refused: %s)", async (refused, error) => {
    const { line, last, clock, attempts, open } = world();
    const opened = line.open();
    last().failed("why", refused);
    await expect(opened).rejects.toMatchObject(error);
    await clock.advance(600_000);
    expect([attempts.length, open(), clock.timers]).toEqual([1, 0, 0]);
  });

  it("is given up when the first try takes too long, or is closed meanwhile", async () => {
    const slow = world();
    const failure = slow.line.open().catch((error: unknown) => error);
    await slow.clock.advance(15_000);
    expect(await failure).toMatchObject({ reason: "down" });
    expect(slow.open()).toBe(0);
    const closed = world();
    const closing = closed.line.open();
    closed.line.close();
    await expect(closing).rejects.toMatchObject({ code: "closed" });
    expect([closed.open(), closed.clock.timers]).toEqual([0, 0]);
  });

  it("comes back after it was lost, with growing pauses that end at half a minute", async () => {
    const { line, last, clock, attempts, states, open } = world();
    const opened = line.open();
    last().ready();
    await opened;
    last().lost();
    const pauses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const before = clock.now();
      const tried = attempts.length;
      while (attempts.length === tried) await clock.advance(50);
      pauses.push(clock.now() - before);
      last().failed("why", n % 2 === 0);
    }
    expect(pauses[0]).toBeLessThanOrEqual(500);
    expect(pauses[4]).toBeGreaterThanOrEqual(4_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(15_000);
    const tried = attempts.length;
    while (attempts.length === tried) await clock.advance(1000);
    last().ready();
    expect(states.filter((state) => state === "up")).toHaveLength(2);
    expect(open()).toBe(1);
  });

  it("begins with short pauses again after it stood", async () => {
    const { line, last, clock, attempts } = world();
    const opened = line.open();
    last().ready();
    await opened;
    for (let n = 0; n < 8; n++) {
      last().lost();
      await clock.advance(500);
      expect(attempts).toHaveLength(n + 2);
      last().ready();
    }
  });

  it("is not disturbed by what an earlier try still has to say", async () => {
    const { line, last, clock, attempts, states, open } = world();
    const opened = line.open();
    const first = last();
    first.ready();
    await opened;
    first.lost();
    await clock.advance(500);
    last().ready();
    first.failed("late", true);
    first.lost();
    first.ready();
    expect([attempts.length, open(), states]).toEqual([2, 1, ["up", "down", "up"]]);
  });

  it("stays down after it was closed", async () => {
    const { line, last, clock, attempts, open } = world();
    const opened = line.open();
    last().ready();
    await opened;
    last().lost();
    line.close();
    await clock.advance(600_000);
    expect([attempts.length, open(), clock.timers]).toEqual([1, 0, 0]);
  });
});
