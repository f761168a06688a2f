import type { Locale } from "countersign";

const SPOKEN: Readonly<Record<Locale, string>> = { en: "en-GB", zh: "zh-CN" };

/** A day, or an instant as a clock where its reader is shows it. What is no time is said as it stands. */
export function spokenTime(time: string, locale: Locale, timezone: string): string {
  const instant = Date.parse(time);
  if (Number.isNaN(instant)) return time;
  const isDay = time.length === "2026-02-06".length;
  const format = new Intl.DateTimeFormat(SPOKEN[locale], {
    dateStyle: locale === "zh" ? "long" : "medium",
    ...(isDay ? { timeZone: "UTC" } : { timeStyle: "short", timeZone: timezone }),
  });
  return format.format(instant);
}
