import { createHmac } from "node:crypto";
import { CountersignError } from "./errors.js";
import { canonicalize, type Json, type JsonObject } from "./json.js";
import { isList, type JsonPath, showPath } from "./text/inline.js";
import { type Shown, shown } from "./text/shown.js";
import { LOCALES, translateMarkers } from "./words/words.js";

/** What stands in place of a value that nobody should read over a shoulder. */
export type Mask = (value: Json) => Shown;

/**
 * `⟨hidden: 12 characters, ab12 cd34 ef56 7890⟩`: the length, and 64 bits that only this key can make. The same value always
 * looks the same, so an edit shows; two different ones never do; without the key nobody can try guesses against it.
 */
export function keyedMask(key: Uint8Array): Mask {
  if (key.length < 32) throw new CountersignError("invalid_call", "The mask key needs at least 32 bytes.");
  return (value) => {
    const digest = createHmac("sha256", key)
      .update(`countersign/mask/v1\n${canonicalize(value)}`)
      .digest("hex");
    const groups = digest.slice(0, 16).replace(/(?<=^(?:.{4})+)(?=.)/g, " ") as Shown;
    return shown`⟨hidden: ${sizeOf(value)}, ${groups}⟩`;
  };
}

/** Without a fingerprint, for hashes that have to outlive the key. */
export const bareMask: Mask = (value) => shown`⟨hidden: ${sizeOf(value)}⟩`;

function sizeOf(value: Json): Shown {
  const isText = typeof value === "string";
  const size = isText ? [...value].length : Buffer.byteLength(canonicalize(value));
  const unit = isText ? shown`character` : shown`byte`;
  return shown`${size} ${unit}${size === 1 ? shown`` : shown`s`}`;
}

/**
 * Whether a place is covered by one of the patterns (`password`, `card.number`, `items.*.secret`). `*` is any key or index;
 * an index may also be left out, because forgetting it must not uncover anything. A key that holds dots itself is covered too.
 */
export function isSensitive(patterns: readonly string[], path: JsonPath): boolean {
  if (path.length === 0) return false;
  const dotted = path.some((step) => typeof step === "string" && step.includes("."));
  const parted = dotted
    ? path.flatMap((step): JsonPath => (typeof step === "string" ? step.split(".") : [step]))
    : path;
  return patterns.some((pattern) => {
    const steps = pattern.split(".");
    return covers(steps, path) || (dotted && covers(steps, parted));
  });
}

function covers(pattern: readonly string[], path: JsonPath): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return pattern.length === 0;
  if (typeof step === "number" && covers(pattern, rest)) return true;
  const [head, ...tail] = pattern;
  return (head === "*" || head === String(step)) && covers(tail, rest);
}

/** A copy in which every sensitive value, whatever its type, is the text of its mask. */
export function maskArgs(args: JsonObject, patterns: readonly string[], mask: Mask): JsonObject {
  return patterns.length === 0
    ? args
    : (mapAt(args, [], (value, path) => (isSensitive(patterns, path) ? mask(value) : undefined)) as JsonObject);
}

/** The sensitive values themselves, by the label that cards give their place. */
export function sensitiveValues(args: JsonObject, patterns: readonly string[]): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  mapAt(args, [], (value, path) => {
    if (!isSensitive(patterns, path)) return undefined;
    found.set(showPath(path), value);
    return null;
  });
  return found;
}

/** Shorter secrets occur in other words by chance; they are hidden at their own places all the same. */
export const SHORTEST_SECRET = 4;
/** Each is looked for in everything that is said of a call, so that more of them would keep everybody waiting. */
const MOST_SECRETS = 2_000;

/** The texts that must not stand in words about a call. A quoted text is shown piece by piece, so that its pieces count as well. */
export function secretTexts(args: JsonObject, patterns: readonly string[]): ReadonlySet<string> {
  const texts = [...sensitiveValues(args, patterns).values()].flatMap((value) => textsOf(value));
  const pieces = texts.flatMap((text) => [text, ...text.split('"')]);
  return new Set(pieces.filter((text) => text.length >= SHORTEST_SECRET));
}

/** Every text and number in a value. */
export function textsOf(value: Json): readonly string[] {
  if (value === null || typeof value === "boolean") return [];
  return typeof value === "object" ? Object.values(value).flatMap((item) => textsOf(item)) : [String(value)];
}

/** Throws where more has to be hidden than can be kept out of words. */
export function checkSecrets(args: JsonObject, patterns: readonly string[]): void {
  if (patterns.length === 0 || secretTexts(args, patterns).size <= MOST_SECRETS) return;
  throw new CountersignError(
    "invalid_args",
    `More than ${MOST_SECRETS} texts of one call have to be hidden. Send fewer at once.`,
  );
}

/**
 * Arguments that a person edited on a surface that showed masks: where a mask was left standing the original value is put
 * back. A mask that belongs to no value at its place is refused, for it would be taken for the secret.
 */
export function restoreMasked(edited: Json, original: JsonObject, patterns: readonly string[], mask: Mask): Json {
  if (patterns.length === 0) return edited;
  const values = sensitiveValues(original, patterns);
  return mapAt(edited, [], (value, path) => {
    if (typeof value !== "string" || !isSensitive(patterns, path)) return undefined;
    const before = values.get(showPath(path));
    if (before !== undefined && LOCALES.some((locale) => translateMarkers(mask(before), locale) === value))
      return before;
    if (!/^⟨[^⟨⟩]+⟩$/.test(value)) return undefined;
    const place = showPath(path);
    throw new CountersignError(
      "invalid_args",
      `${place} is a mask and not a value. Leave it as shown, or replace it.`,
      {
        path: place,
      },
    );
  });
}

/** Replaces what the visitor gives a value for, from the outside in; everything else is kept. */
function mapAt(value: Json, path: JsonPath, visit: (value: Json, path: JsonPath) => Json | undefined): Json {
  const replaced = visit(value, path);
  if (replaced !== undefined) return replaced;
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item, index) => mapAt(item, [...path, index], visit));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapAt(item, [...path, key], visit)]));
}
