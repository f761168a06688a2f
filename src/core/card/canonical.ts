import type { Json } from "../json.js";
import { CLASSES } from "../text/characters.js";
import { escapeText } from "../text/escape.js";
import { isList, type JsonPath, keysOf, type ShowOptions } from "../text/inline.js";
import type { Shown } from "../text/shown.js";

const PLAIN = new RegExp(`^(?!.* {8})[${CLASSES.everyday}]*$`);
const TRICKS = new RegExp(`[${CLASSES.escaped}]| {8,}`, "gu");
const FOREIGN = /[A-Za-z0-9]?[^ -~]+/gu;

/**
 * Canonical JSON that is safe to draw and still JSON: what could play tricks is written `\uXXXX`, so parsing gives the same
 * value. For most calls these are the very bytes that were hashed.
 */
export function showCanonical(canonical: string): Shown {
  return (PLAIN.test(canonical) ? canonical : tame(canonical)) as Shown;
}

/** The same for a value in which masks stand at the hidden places. */
export function showCanonicalValue(
  value: Json,
  hidden: NonNullable<ShowOptions["hidden"]>,
  path: JsonPath = [],
): Shown {
  return write(value, hidden, path) as Shown;
}

function write(value: Json, hidden: (path: JsonPath) => boolean, path: JsonPath): string {
  if (typeof value === "string" && hidden(path)) return `"${value}"`;
  if (value === null || typeof value !== "object") return tame(JSON.stringify(value));
  if (isList(value)) return `[${value.map((item, index) => write(item, hidden, [...path, index])).join(",")}]`;
  const members = keysOf(value).map(
    (key) => `${tame(JSON.stringify(key))}:${write(value[key] ?? null, hidden, [...path, key])}`,
  );
  return `{${members.join(",")}}`;
}

/** Only what stands inside strings can be anything but plain ASCII, so escapes of JSON are allowed wherever this finds work. */
function tame(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(TRICKS, unitEscapes).replace(FOREIGN, (word) => {
    if (escapeText(word) === word) return word;
    return word.replace(/[^ -~]+/g, unitEscapes);
  });
}

function unitEscapes(text: string): string {
  let escaped = "";
  for (let index = 0; index < text.length; index++) {
    escaped += `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
