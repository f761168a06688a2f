import type { Shown } from "../core/text/shown.js";

/** A moment as the clock on the reader's wall shows it, with the name of its zone: `2026-11-16 18:53 CET`. */
export function localTime(moment: string, timeZone?: string): Shown {
  // Swedish writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv-SE", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    timeZone,
  });
  return format.format(new Date(moment)) as Shown;
}
