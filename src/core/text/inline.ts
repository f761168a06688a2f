import type { Json } from "../json.js";
import { escapeText } from "./escape.js";

/** Where a value stands: keys and indexes from the root down. */
export type JsonPath = readonly (string | number)[];

/** Read as a name without quotes. */
const NAME = /^[\p{L}_$][\p{L}\p{M}\p{N}_$-]*$/u;
/** A bare text must not pass for a number, a list, an arrow of ours, or something already quoted. */
const NEEDS_QUOTES = /^$|["→]|^[[{]|^(?:null|true|false|-?\d[\d.eE+-]*)$/;

/** `to[0].name`; keys that are not plain names stand in quotes, so that two paths never read alike. */
export function showPath(path: JsonPath): string {
  let shown = "";
  for (const step of path) {
    if (typeof step === "number") shown += `[${step}]`;
    else if (!NAME.test(step) || escapeText(step) !== step) shown += `[${quote(step)}]`;
    else shown += shown === "" ? step : `.${step}`;
  }
  return shown;
}

/** A whole value on one line, nothing left out. Texts stand bare where no other value reads the same. */
export function showInline(value: Json): string {
  if (typeof value !== "string") return showJson(value);
  return NEEDS_QUOTES.test(value) ? quote(value) : escapeText(value);
}

function showJson(value: Json): string {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(showJson).join(", ")}]`;
  const members = keysOf(value).map((key) => `${quote(key)}: ${showJson(value[key] ?? null)}`);
  return `{${members.join(", ")}}`;
}

/** Quotes inside are escaped; each piece between them on its own, so that no backslash can swallow one of ours. */
function quote(text: string): string {
  return `"${text.split('"').map(escapeText).join("\\u{22}")}"`;
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** In canonical order: by UTF-16 units, which is how strings are sorted by default. */
export function keysOf(value: { readonly [key: string]: Json }): string[] {
  return Object.keys(value).sort();
}
