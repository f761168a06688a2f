import { describe, expect, it } from "vitest";
import { ManualClock, turns } from "../../../test/gate/support.js";
import { Pace } from "./pace.js";

describe("the pace of messages to one Feishu chat", () => {
  it("is at most four in any second, in the order of asking, and each chat has its own", async () => {
    const clock = new ManualClock();
    const pace = new Pace(clock);
    const begin = clock.now();
    const sent: [number, number][] = [];
    const ask = async (n: number) => {
      await pace.turn("oc_1");
      sent.push([n, clock.now() - begin]);
    };
    const asked = Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(ask));
    await turns();
    expect(sent.map(([n]) => n)).toEqual([1, 2, 3, 4]);
    await pace.turn("oc_2");
    await clock.advance(3_000);
    await asked;
    expect(sent.map(([n]) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sent.map(([, at]) => at)).toEqual([0, 0, 0, 0, 1000, 1000, 1000, 1000, 2000]);
    await pace.turn("oc_1");
    expect(clock.timers).toBe(0);
  });
});
