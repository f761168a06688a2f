import { useSyncExternalStore } from "react";
import { serverNow } from "../api/http.js";
import type { Locale, Words } from "../words/words.js";
import { usePreferences } from "./preferences.js";

const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** Calls back every second, from one timer for the whole page, until the returned function is called. */
export function everySecond(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** What the server's time makes of something, looked at every second: only what reads differently then is drawn again. */
export function useTime<T extends string | boolean>(read: (now: number) => T): T {
  return useSyncExternalStore(everySecond, () => read(serverNow()));
}

/** Whether that moment has passed. What has no end never has. */
export function useIsOver(until: string | undefined): boolean {
  return useTime((now) => until !== undefined && Date.parse(until) <= now);
}

/** Minutes, and seconds only in the last one. */
export function timeLeft(milliseconds: number, words: Words["card"]): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  if (seconds < 60) return words.seconds(seconds);
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? words.minutes(minutes) : words.hours(Math.floor(minutes / 60), minutes % 60);
}

export interface Formats {
  /** The time of day, with the date where that is another one. */
  readonly moment: (time: string) => string;
  readonly clock: (time: string) => string;
  readonly date: (time: string) => string;
  readonly number: (value: number) => string;
  /** A part of one as a percentage. */
  readonly share: (value: number) => string;
}

const made = new Map<Locale, Formats>();

export function useFormats(): Formats {
  const { locale } = usePreferences();
  const formats = made.get(locale) ?? formatsIn(locale);
  made.set(locale, formats);
  return formats;
}

/** Dear to make: once for each language, not for each row. */
function formatsIn(locale: Locale): Formats {
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
}
