/** Turns a JSON value into what a person sees: every part, escaped, measured and in canonical order. */
import type { Json } from "../json.js";
import { escapeLines, escapeText } from "./escape.js";
import { isList, type JsonPath, keysOf, showPath } from "./inline.js";
import { inspectText, type TextNotice } from "./inspect.js";
import { type Preview, previewOf } from "./preview.js";

interface Shown {
  readonly path: JsonPath;
  /** The whole path, escaped: `to[0].name`. Empty at the root. */
  readonly label: string;
  /** In UTF-8: of a text its content, of anything else its canonical JSON. */
  readonly bytes: number;
  /** About the value itself and about the key it stands under. */
  readonly notices: readonly TextNotice[];
}

export interface ShownLeaf extends Shown {
  readonly kind: "string" | "number" | "boolean" | "null";
  /** The whole value on one line, escaped, nothing cut. */
  readonly text: string;
  /** Present when the value has line breaks: the whole of it line by line, each to be marked by whoever draws it. */
  readonly lines?: readonly string[];
  /** The beginning, for lists; a surface that draws only an incomplete one must not offer to approve. */
  readonly preview: Preview;
}

export interface ShownBranch extends Shown {
  readonly kind: "array" | "object";
  /** Items or keys directly inside. */
  readonly count: number;
  readonly children: readonly ShownValue[];
}

export type ShownValue = ShownLeaf | ShownBranch;

export interface ShowOptions {
  /** Length of previews; 400 characters unless told. */
  readonly previewLength?: number;
}

const PREVIEW_LENGTH = 400;
const ENCODER = new TextEncoder();

export function showValue(value: Json, options: ShowOptions = {}): ShownValue {
  return show(value, [], options.previewLength ?? PREVIEW_LENGTH).shown;
}

interface Sized<T> {
  readonly shown: T;
  /** Bytes of the canonical JSON; of a text that is more than its content. */
  readonly size: number;
}

function show(value: Json, path: JsonPath, previewLength: number): Sized<ShownValue> {
  if (value === null || typeof value !== "object") return showLeaf(value, path, previewLength);
  const isArray = isList(value);
  const steps = isArray ? [...value.keys()] : keysOf(value);
  const items = isArray ? value : steps.map((key) => (value as { readonly [key: string]: Json })[key] ?? null);
  const parts = items.map((item, index) => show(item, [...path, steps[index] ?? index], previewLength));
  const names = isArray ? 0 : steps.reduce<number>((sum, key) => sum + jsonBytes(String(key)) + 1, 0);
  const size = parts.reduce((sum, part) => sum + part.size, names) + Math.max(parts.length - 1, 0) + 2;
  const kind = isArray ? "array" : "object";
  const children = parts.map((part) => part.shown);
  return {
    shown: { ...common(path), kind, bytes: size, notices: keyNotices(path), count: children.length, children },
    size,
  };
}

function showLeaf(value: string | number | boolean | null, path: JsonPath, previewLength: number): Sized<ShownLeaf> {
  const size = jsonBytes(value);
  if (typeof value !== "string") {
    const kind = value === null ? "null" : typeof value === "number" ? "number" : "boolean";
    const text = JSON.stringify(value);
    const preview = { text, complete: true };
    return { shown: { ...common(path), kind, text, preview, bytes: size, notices: keyNotices(path) }, size };
  }
  // an empty text would look like a missing one
  const text = value === "" ? "⟨empty⟩" : escapeText(value);
  const shown: ShownLeaf = {
    ...common(path),
    kind: "string",
    text,
    ...(value.includes("\n") && { lines: escapeLines(value) }),
    preview: previewOf(text, previewLength),
    bytes: utf8Bytes(value),
    notices: [...keyNotices(path), ...inspectText(value)],
  };
  return { shown, size };
}

function common(path: JsonPath): { readonly path: JsonPath; readonly label: string } {
  return { path, label: showPath(path) };
}

function keyNotices(path: JsonPath): readonly TextNotice[] {
  const key = path.at(-1);
  if (typeof key !== "string") return [];
  return inspectText(key).map((notice) => ({ ...notice, text: `In the name: ${notice.text}` }));
}

function jsonBytes(value: string | number | boolean | null): number {
  return utf8Bytes(JSON.stringify(value));
}

function utf8Bytes(text: string): number {
  return ENCODER.encode(text).length;
}
