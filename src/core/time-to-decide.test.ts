import { describe, expect, it } from "vitest";
import { type TimeSources, timeToDecide } from "./time-to-decide.js";

const NOBODY: TimeSources = {
  person: {},
  tool: {},
  rule: undefined,
  call: undefined,
  usual: { ttl: 300, offlineTtl: 1_800 },
};
const both = (time: number) => ({ ttl: time, offlineTtl: time });

describe("timeToDecide", () => {
  it.each<[string, Partial<TimeSources>, online: number, offline: number]>([
    ["nobody says anything", {}, 300, 1_800],
    ["a rule alone may give more than usual", { rule: 2_000 }, 2_000, 2_000],
    ["a rule alone may give less than usual", { rule: 60 }, 60, 60],
    ["the tool's own time holds before the usual one", { tool: both(900) }, 900, 900],
    ["a longer rule does not lengthen the tool's time", { tool: both(90), rule: 600 }, 90, 90],
    ["a shorter rule shortens the tool's time", { tool: both(900), rule: 60 }, 60, 60],
    ["the person's setting holds before the tool's", { person: both(500), tool: both(90) }, 500, 500],
    ["a shorter rule shortens the person's time", { person: both(500), rule: 60 }, 60, 60],
    ["the tool's time while connected says nothing about the other", { tool: { ttl: 90 } }, 90, 1_800],
    ["the tool's offline time says nothing about the other", { tool: { offlineTtl: 90 } }, 300, 90],
    ["the call can only have less", { tool: both(90), call: 600 }, 90, 90],
    ["the call can have less", { rule: 90, call: 10 }, 10, 10],
    ["it is whole milliseconds", { tool: both(60_000 / 7) }, 8_571, 8_571],
    ["it is some time", { tool: both(0.1) }, 1, 1],
  ])("%s", (_title, said, online, offline) => {
    expect(timeToDecide(true, { ...NOBODY, ...said })).toBe(online);
    expect(timeToDecide(false, { ...NOBODY, ...said })).toBe(offline);
  });
});
