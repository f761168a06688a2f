import type { Json, JsonObject } from "../json.js";
import { schemaIn } from "../labels.js";
import { escapeText } from "../text/escape.js";
import type { JsonPath } from "../text/inline.js";
import type { Shown } from "../text/shown.js";
import { type ShownValue, type ShowValueOptions, showValue } from "../text/value.js";
import type { AnyTool, Locale } from "../tool.js";
import { translateMarkers, wordsIn } from "../words/words.js";
import type { Card } from "./card.js";

/** Arguments as a person sees them: in the schema's order, under their labels or its titles, in their language. */
export function showArgs(
  args: JsonObject,
  tool: AnyTool | undefined,
  hidden: NonNullable<ShowValueOptions["hidden"]>,
  locale: Locale,
): ShownValue {
  const value = ordered(showValue(args, { hidden, titleOf: titlesOf(tool, locale) }), tool && schemaIn(tool, locale));
  return locale === "en" ? value : localise(value, locale);
}

/** What people call the value at a place, by the tool's labels or its schema's titles. */
export function titlesOf(tool: AnyTool | undefined, locale: Locale): (path: JsonPath) => Shown | undefined {
  const schema = tool && schemaIn(tool, locale);
  return (path) => (schema === undefined ? undefined : titleAt(schema, path));
}

/** A form is written in the order in which it is read: recipient, subject, text. What the schema does not name comes last. */
function ordered(node: ShownValue, schema: Json | undefined): ShownValue {
  if (!("children" in node) || schema === undefined) return node;
  if (node.kind === "array") {
    const items = member(schema, "items");
    return items === undefined ? node : { ...node, children: node.children.map((child) => ordered(child, items)) };
  }
  const properties = member(schema, "properties");
  if (properties === undefined || properties === null || typeof properties !== "object") return node;
  const places = new Map(Object.keys(properties).map((key, place) => [key, place]));
  const placeOf = ({ key }: ShownValue) => places.get(key) ?? places.size;
  const children = node.children.map((child) => ordered(child, member(properties, child.key)));
  return { ...node, children: children.sort((a, b) => placeOf(a) - placeOf(b)) };
}

function titleAt(schema: JsonObject, path: JsonPath): Shown | undefined {
  const found = path.reduce<Json | undefined>(
    (at, step) => (typeof step === "number" ? member(at, "items") : member(member(at, "properties"), step)),
    schema,
  );
  const title = path.length === 0 ? undefined : member(found, "title");
  return typeof title === "string" ? escapeText(title) : undefined;
}

function member(value: Json | undefined, key: string): Json | undefined {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}

function localise(node: ShownValue, locale: Locale): ShownValue {
  const local = (text: Shown): Shown => translateMarkers(text, locale);
  const { notice } = wordsIn(locale);
  const notices = node.notices.map((said) => ({ ...said, text: notice(said) }));
  const named = { label: local(node.label), notices };
  if ("children" in node) {
    return { ...node, ...named, children: node.children.map((child) => localise(child, locale)) };
  }
  return {
    ...node,
    ...named,
    text: local(node.text),
    ...(node.lines === undefined ? {} : { lines: node.lines.map(local) }),
    preview: { ...node.preview, text: local(node.preview.text) },
  };
}

/** Every single value; an empty list or object counts as one. */
export function leavesOf(node: ShownValue): readonly ShownValue[] {
  return "children" in node && node.children.length > 0 ? node.children.flatMap(leavesOf) : [node];
}

/** The arguments as an object again, every text safe to draw and every sensitive value masked. */
export function inputPreview(card: Pick<Card, "arguments">): JsonObject {
  return Object.fromEntries(card.arguments.map(({ key, value }) => [key, previewValue(value)]));
}

function previewValue(node: ShownValue): Json {
  switch (node.kind) {
    case "array":
      return node.children.map(previewValue);
    case "object":
      return Object.fromEntries(node.children.map((child) => [child.key, previewValue(child)]));
    case "number":
    case "boolean":
    case "null":
      return JSON.parse(node.text) as Json;
    case "string":
    case "hidden":
      return node.text;
    default:
      return node satisfies never;
  }
}
