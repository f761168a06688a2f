import type { Json, JsonObject } from "./json.js";
import { type AnyTool, type Locale, textIn } from "./tool.js";

const KNOWN = new WeakMap<AnyTool, Map<Locale, JsonObject>>();

/** The tool's input schema with its labels as titles, as people read it in one language. Models get it as it was written. */
export function schemaIn(tool: AnyTool, locale: Locale): JsonObject | undefined {
  const { jsonSchema, labels } = tool;
  if (jsonSchema === undefined || labels === undefined) return jsonSchema;
  const byLocale = KNOWN.get(tool) ?? new Map<Locale, JsonObject>();
  KNOWN.set(tool, byLocale);
  const known = byLocale.get(locale) ?? labelled(jsonSchema, labels, locale);
  byLocale.set(locale, known);
  return known;
}

/** Whether the schema has such a place. */
export function hasPlace(schema: JsonObject, path: string): boolean {
  return placed(schema, path.split("."), (found) => found) !== undefined;
}

function labelled(schema: JsonObject, labels: NonNullable<AnyTool["labels"]>, locale: Locale): JsonObject {
  return Object.entries(labels).reduce((whole, [path, text]) => {
    const title = textIn(text, locale);
    return title === undefined ? whole : (placed(whole, path.split("."), (found) => ({ ...found, title })) ?? whole);
  }, schema);
}

/** A copy in which the place has become what is made of it; undefined where there is no such place. */
function placed(
  schema: Json | undefined,
  path: readonly string[],
  make: (found: JsonObject) => JsonObject,
): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  const [step, ...rest] = path;
  if (step === undefined) return make(schema);
  if (step === "*") {
    const items = placed(schema["items"], rest, make);
    return items && { ...schema, items };
  }
  const { properties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, step)) return undefined;
  const made = placed(properties[step], rest, make);
  return made && { ...schema, properties: { ...properties, [step]: made } };
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
