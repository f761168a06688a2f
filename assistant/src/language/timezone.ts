/** The time a clock on the wall shows. Months count from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export function wallTimeAt(instant: number, timezone: string): WallTime {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  };
}

/** The instant at which a wall in that zone shows this time. A time that summer time skips is the one an hour later. */
export function instantOf(wall: WallTime, timezone: string): number {
  const asUtc = utcOf(wall);
  const offsetAt = (instant: number): number => utcOf(wallTimeAt(instant, timezone)) - instant;
  // The offset at the guess may be that of the other side of a change; the second look settles it.
  const guess = asUtc - offsetAt(asUtc);
  return asUtc - offsetAt(guess);
}

function utcOf({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
