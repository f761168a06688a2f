import type { Json } from "../json.js";
import { escapeText } from "./escape.js";
import type { Shown } from "./shown.js";

/** Where a value stands: keys and indexes from the root down. */
export type JsonPath = readonly (string | number)[];

export interface ShowOptions {
  /** How texts are made safe; `escapeText` unless whoever asks has more to hide. */
  readonly text?: (text: string) => Shown;
  /** Places whose value was replaced by a mask of ours, which stands there as it is. */
  readonly hidden?: (path: JsonPath) => boolean;
}

/** Read as a name without quotes. */
const NAME = /^[\p{L}_$][\p{L}\p{M}\p{N}_$-]*$/u;
/** A bare text must not pass for a number, a list, an arrow of ours, or something already quoted. */
const NEEDS_QUOTES = /^$|["→]|^[[{]|^(?:null|true|false|-?\d[\d.eE+-]*)$/;

/** `to[0].name`; keys that are not plain names stand in quotes, so that two paths never read alike. */
export function showPath(path: JsonPath): Shown {
  let shown = "";
  for (const step of path) {
    if (typeof step === "number") shown += `[${step}]`;
    else if (!NAME.test(step) || escapeText(step) !== step) shown += `[${quote(step)}]`;
    else shown += shown === "" ? step : `.${step}`;
  }
  return shown as Shown;
}

/** A whole value on one line, nothing left out. Texts stand bare where no other value reads the same. */
export function showInline(value: Json, options: ShowOptions = {}, path: JsonPath = []): Shown {
  if (options.hidden?.(path)) return value as Shown;
  if (typeof value !== "string") return showJson(value, options, path);
  return NEEDS_QUOTES.test(value) ? quote(value, options.text) : (options.text ?? escapeText)(value);
}

/** A text in quotes, however plain it is: inside a sentence its ends must be seen. */
export function showQuoted(text: string): Shown {
  return quote(text);
}

/** Letters, digits and what joins them: such a name cannot end early and go on as words of the sentence around it. */
const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@'-]*$/u;

/** What somebody is called, to stand in a sentence: a name that could pass for a part of the sentence stands in quotes. */
export function showName(name: string): Shown {
  return PLAIN_NAME.test(name) ? escapeText(name) : quote(name);
}

function showJson(value: Json, options: ShowOptions, path: JsonPath): Shown {
  if (options.hidden?.(path)) return value as Shown;
  if (typeof value === "string") return quote(value, options.text);
  if (value === null || typeof value !== "object") return JSON.stringify(value) as Shown;
  if (isList(value)) {
    return `[${value.map((item, index) => showJson(item, options, [...path, index])).join(", ")}]` as Shown;
  }
  const members = keysOf(value).map((key) => `${quote(key)}: ${showJson(value[key] ?? null, options, [...path, key])}`);
  return `{${members.join(", ")}}` as Shown;
}

/** Quotes inside are escaped; each piece between them on its own, so that no backslash can swallow one of ours. */
function quote(text: string, show: (text: string) => Shown = escapeText): Shown {
  return `"${text.split('"').map(show).join("\\u{22}")}"` as Shown;
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** In canonical order: by UTF-16 units, which is how strings are sorted by default. */
export function keysOf(value: { readonly [key: string]: Json }): string[] {
  return Object.keys(value).sort();
}
