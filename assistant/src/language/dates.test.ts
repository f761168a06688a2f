import { describe, expect, it } from "vitest";
import { findDate } from "./dates.js";
import { instantOf, isTimezone, wallTimeAt } from "./timezone.js";

/** One in the night of Friday in Shanghai, Thursday afternoon in London. */
const NOW = Date.parse("2026-02-05T17:00:00Z");
const SHANGHAI = { now: NOW, timezone: "Asia/Shanghai" };
const NEW_YORK = { now: NOW, timezone: "America/New_York" };

describe("dates in what people say", () => {
  it.each([
    ["call mom tomorrow", "2026-02-07", true],
    ["call mom tomorrow at 3pm", "2026-02-07T07:00:00.000Z", true],
    ["pay by Monday", "2026-02-09", true],
    ["do it next week", "2026-02-13", false],
    ["do it sometime in March", "2026-03-01", false],
    ["do it soon", "", false],
    ["明天交房租", "2026-02-07", true],
    ["后天下午三点", "2026-02-08T07:00:00.000Z", true],
    ["两个半小时后", "2026-02-05T19:30:00.000Z", true],
    ["十五分钟后", "2026-02-05T17:15:00.000Z", true],
    ["改天再说", "", false],
    ["过几天", "", false],
  ])("%s, said in Shanghai", (text, value, certain) => {
    expect(findDate(text, SHANGHAI)).toMatchObject({ value, certain });
  });

  it("depend on where they are said", () => {
    expect(findDate("call mom tomorrow", NEW_YORK)).toMatchObject({ value: "2026-02-06" });
  });

  it.each(["I sat down", "march on", "buy two apples", "the second task", "买两个苹果"])(
    "are not seen in %s",
    (text) => {
      expect(findDate(text, SHANGHAI)).toBeUndefined();
    },
  );

  it("keep the hour on the wall across a change to summer time", () => {
    const march = { now: Date.parse("2026-03-07T12:00:00Z"), timezone: "America/New_York" };
    expect(findDate("call tomorrow at 9am", march)).toMatchObject({ value: "2026-03-08T13:00:00.000Z" });
  });
});

describe("time zones", () => {
  it("turn wall time into instants and back", () => {
    const wall = { year: 2026, month: 7, day: 1, hour: 9, minute: 30, second: 0 };
    for (const timezone of ["UTC", "Asia/Kolkata", "America/New_York", "Pacific/Auckland"]) {
      expect(wallTimeAt(instantOf(wall, timezone), timezone)).toEqual(wall);
    }
  });

  it("are known by name alone", () => {
    expect(["Europe/Berlin", "UTC", "Mars/Olympus", ""].map(isTimezone)).toEqual([true, true, false, false]);
  });
});
