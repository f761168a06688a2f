import { expect, it } from "vitest";
import { localTime } from "./local-time.js";

it.each([
  ["UTC", "2026-11-16 23:30 UTC"],
  ["Europe/Paris", "2026-11-17 00:30 CET"],
  ["Asia/Shanghai", "2026-11-17 07:30 GMT+8"],
])("tells a moment by the clock of %s, with its zone", (timeZone, said) => {
  expect(localTime("2026-11-16T23:30:59.000Z", timeZone)).toBe(said);
});

it("tells it by this machine's clock when nobody says otherwise", () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  expect(localTime("2026-11-16T23:30:00.000Z")).toBe(localTime("2026-11-16T23:30:00.000Z", timeZone));
});
