import type { Json } from "../core/json.js";
import type { Notice } from "../core/ports.js";
import { escapeText } from "../core/text/escape.js";

/** Events that somebody has to look at. */
const TROUBLE = /failed|lost|unknown|refused|gone/;

export interface LogOptions {
  readonly format: "text" | "json";
  readonly level: "silent" | "error" | "info" | "debug";
  readonly write: (line: string) => void;
  readonly now?: () => number;
}

/** Log lines from what the parts tell: ids, names and counts. No part ever tells a token, a secret or an argument. */
export function logger({ format, level, write, now = Date.now }: LogOptions): Notice {
  return (event, fields) => {
    const trouble = TROUBLE.test(event);
    if (level === "silent" || (level === "error" && !trouble)) return;
    const time = new Date(now()).toISOString();
    if (format === "json") {
      write(JSON.stringify({ time, level: trouble ? "error" : "info", event, ...fields }));
      return;
    }
    // Names come from agents: what could redraw a terminal is shown instead of done.
    const told = Object.entries(fields).map(([key, value]) => `${key}=${escapeText(textOf(value))}`);
    write([time, trouble ? "!" : "·", event, ...told].join(" "));
  };
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
