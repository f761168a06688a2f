/** Turns a JSON value into what a person sees: every part, escaped, measured and in canonical order. */
import type { Json } from "../json.js";
import { escapeLines, escapeText } from "./escape.js";
import { isList, type JsonPath, keysOf, type ShowOptions, showPath } from "./inline.js";
import { inspectText, type TextNotice } from "./inspect.js";
import { type Preview, previewOf } from "./preview.js";
import { type Shown, shown } from "./shown.js";

interface ShownNode {
  /** The whole path, escaped: `to[0].name`. Empty at the root. No two places of a value have the same. */
  readonly label: Shown;
  /** The last step of it: a key, or an index in brackets. */
  readonly key: Shown;
  /** What the schema calls it. */
  readonly title?: Shown | undefined;
  /** In UTF-8: of a text its content, of anything else its canonical JSON. */
  readonly bytes: number;
  /** About the value itself and about the key it stands under. */
  readonly notices: readonly TextNotice[];
}

export interface ShownLeaf extends ShownNode {
  /** A hidden value is known by its length and fingerprint alone. */
  readonly kind: "string" | "number" | "boolean" | "null" | "hidden";
  /** The whole value on one line, escaped, nothing cut. */
  readonly text: Shown;
  /** Present when the value has line breaks: the whole of it line by line, each to be marked by whoever draws it. */
  readonly lines?: readonly Shown[] | undefined;
  /** The beginning, for lists; a surface that draws only an incomplete one must not offer to approve. */
  readonly preview: Preview;
}

export interface ShownBranch extends ShownNode {
  readonly kind: "array" | "object";
  /** Items or keys directly inside. */
  readonly count: number;
  readonly children: readonly ShownValue[];
}

export type ShownValue = ShownLeaf | ShownBranch;

export interface ShowValueOptions extends Pick<ShowOptions, "hidden"> {
  /** Length of previews; 400 characters unless told. */
  readonly previewLength?: number;
  readonly titleOf?: (path: JsonPath) => Shown | undefined;
}

const PREVIEW_LENGTH = 400;
const ENCODER = new TextEncoder();
const ASCII = /^[\0-\x7f]*$/;

export function showValue(value: Json, options: ShowValueOptions = {}, path: JsonPath = []): ShownValue {
  return show(value, path, options).shown;
}

interface Sized<T> {
  readonly shown: T;
  /** Bytes of the canonical JSON; of a text that is more than its content. */
  readonly size: number;
}

function show(value: Json, path: JsonPath, options: ShowValueOptions): Sized<ShownValue> {
  if (value === null || typeof value !== "object") return showLeaf(value, path, options);
  const isArray = isList(value);
  const steps = isArray ? [...value.keys()] : keysOf(value);
  const items = isArray ? value : steps.map((key) => value[key] ?? null);
  const parts = items.map((item, index) => show(item, [...path, steps[index] ?? index], options));
  const names = isArray ? 0 : steps.reduce<number>((sum, key) => sum + jsonBytes(String(key)) + 1, 0);
  const size = parts.reduce((sum, part) => sum + part.size, names) + Math.max(parts.length - 1, 0) + 2;
  const kind = isArray ? "array" : "object";
  const children = parts.map((part) => part.shown);
  const { label, key, title } = common(path, options);
  const notices = keyNotices(path);
  return { shown: { label, key, title, kind, bytes: size, notices, count: children.length, children }, size };
}

function showLeaf(
  value: string | number | boolean | null,
  path: JsonPath,
  options: ShowValueOptions,
): Sized<ShownLeaf> {
  const size = jsonBytes(value);
  const { label, key, title } = common(path, options);
  const isHidden = typeof value === "string" && options.hidden?.(path) === true;
  const read = typeof value === "string" && !isHidden ? value : undefined;
  const text = read === undefined ? (isHidden ? (value as Shown) : (JSON.stringify(value) as Shown)) : showText(read);
  return {
    shown: {
      label,
      key,
      title,
      notices: [...keyNotices(path), ...(read === undefined ? [] : inspectText(read))],
      kind: isHidden ? "hidden" : kindOf(value),
      text,
      lines: read?.includes("\n") ? escapeLines(read) : undefined,
      preview: read === undefined ? { text, complete: true } : previewOf(text, options.previewLength ?? PREVIEW_LENGTH),
      bytes: typeof value === "string" ? utf8Bytes(value) : size,
    },
    size,
  };
}

/** An empty text would look like a missing one. */
function showText(text: string): Shown {
  return text === "" ? shown`⟨empty⟩` : escapeText(text);
}

function kindOf(value: string | number | boolean | null): "string" | "number" | "boolean" | "null" {
  if (value === null) return "null";
  return typeof value === "string" ? "string" : typeof value === "number" ? "number" : "boolean";
}

function common(path: JsonPath, { titleOf }: ShowValueOptions): Pick<ShownNode, "label" | "key" | "title"> {
  const title = titleOf?.(path);
  const step = path.at(-1) ?? "";
  const key = typeof step === "number" ? shown`[${step}]` : escapeText(step);
  return { label: showPath(path), key, title };
}

function keyNotices(path: JsonPath): readonly TextNotice[] {
  const key = path.at(-1);
  if (typeof key !== "string") return [];
  return inspectText(key).map((notice) => ({ ...notice, text: shown`In the name: ${notice.text}`, about: "name" }));
}

function jsonBytes(value: string | number | boolean | null): number {
  return utf8Bytes(JSON.stringify(value));
}

function utf8Bytes(text: string): number {
  return ASCII.test(text) ? text.length : ENCODER.encode(text).length;
}
