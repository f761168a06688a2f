import { useEffect, useMemo, useState } from "react";
import { serverNow } from "../api/http.js";
import type { Words } from "../words/words.js";
import { usePreferences } from "./preferences.js";

/** The server's time, told again every second. */
export function useNow(): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Minutes, and seconds only in the last one. */
export function timeLeft(milliseconds: number, words: Words["card"]): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  if (seconds < 60) return words.seconds(seconds);
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? words.minutes(minutes) : words.hours(Math.floor(minutes / 60), minutes % 60);
}

interface Formats {
  /** The time of day, with the date where that is another one. */
  readonly moment: (time: string) => string;
  readonly clock: (time: string) => string;
  readonly date: (time: string) => string;
  readonly number: (value: number) => string;
  /** A part of one as a percentage. */
  readonly share: (value: number) => string;
}

export function useFormats(): Formats {
  const { locale } = usePreferences();
  return useMemo(() => {
    const tag = locale === "zh" ? "zh-CN" : "en-GB";
    const clock = new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit" });
    const both = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" });
    const day = new Intl.DateTimeFormat(tag, { dateStyle: "medium" });
    const numbers = new Intl.NumberFormat(tag);
    const shares = new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 0 });
    return {
      moment: (time) => {
        const at = new Date(time);
        return at.toDateString() === new Date().toDateString() ? clock.format(at) : both.format(at);
      },
      clock: (time) => clock.format(new Date(time)),
      date: (time) => day.format(new Date(time)),
      number: (value) => numbers.format(value),
      share: (value) => shares.format(value),
    };
  }, [locale]);
}
