import type { Json, JsonObject } from "../core/json.js";

const CONTENT_FORMATS = [
  "sql",
  "postgres",
  "mysql",
  "sqlite",
  "shell",
  "path",
  "uri",
  "url",
  "hostname",
  "email",
] as const;
export type ContentFormat = (typeof CONTENT_FORMATS)[number];

/** An argument that an analyser can read. */
export interface Found {
  readonly value: Json;
  readonly format: ContentFormat;
  readonly path: string;
}

export function isContentFormat(format: unknown): format is ContentFormat {
  return CONTENT_FORMATS.includes(format as ContentFormat);
}

/** Schemas refer to themselves; arguments do not, but alternatives multiply. */
const MAX_STEPS = 100_000;

/**
 * Every value that the schema, or the given paths, says to hold something readable. Where a schema leaves a choice, each
 * alternative counts: a text that may be a command is read as one.
 */
export function valuesIn(
  schema: JsonObject | undefined,
  args: JsonObject,
  named: Readonly<Record<string, ContentFormat>> = {},
): Found[] {
  const found = new Map<string, Found>();
  const add = (item: Found) => found.set(`${item.format}\0${item.path}`, item);
  for (const [path, format] of Object.entries(named)) {
    for (const item of at(args, path.replace(/^args\./, "").split("."), "args")) add({ ...item, format });
  }
  if (schema !== undefined) new SchemaWalk(schema, add).visit(schema, args, "args", 0);
  return [...found.values()];
}

/** Values at a path; `*` stands for every item of a list or object. Lists of texts count item by item. */
function at(value: Json, keys: readonly string[], path: string): Omit<Found, "format">[] {
  const [key, ...rest] = keys;
  if (key === undefined) {
    return Array.isArray(value)
      ? value.map((item: Json, index) => ({ value: item, path: `${path}.${index}` }))
      : [{ value, path }];
  }
  if (value === null || typeof value !== "object") return [];
  const names = key === "*" ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : [];
  return names.flatMap((name) => at((value as JsonObject)[name] as Json, rest, `${path}.${name}`));
}

/** Keywords under which more is said of the same value, always or in some cases. */
const ALTERNATIVES = ["anyOf", "oneOf", "allOf", "dependentSchemas"] as const;
const CASES = ["if", "then", "else"] as const;

/** Schemas in a list, or in a map by name. */
function schemasIn(held: Json | undefined): readonly Json[] {
  if (Array.isArray(held)) return held as readonly Json[];
  return isObject(held) ? Object.values(held) : [];
}

class SchemaWalk {
  readonly #root: JsonObject;
  readonly #add: (found: Found) => void;
  #steps = 0;

  constructor(root: JsonObject, add: (found: Found) => void) {
    this.#root = root;
    this.#add = add;
  }

  visit(schema: Json | undefined, value: Json, path: string, references: number): void {
    if (++this.#steps > MAX_STEPS) throw new Error("The schema has too many alternatives to look into.");
    if (!isObject(schema)) return;
    if (typeof schema.$ref === "string") {
      // A reference that only leads to references never ends.
      if (references > 100) throw new Error("The schema's references lead in a circle.");
      this.visit(this.#resolve(schema.$ref), value, path, references + 1);
    }
    const alternatives = ALTERNATIVES.flatMap((key) => schemasIn(schema[key]));
    for (const alternative of [...alternatives, ...CASES.map((key) => schema[key])])
      this.visit(alternative, value, path, references + 1);
    if (typeof value === "string") {
      if (isContentFormat(schema.format)) this.#add({ value, format: schema.format, path });
    } else if (Array.isArray(value)) this.#items(schema, value, path);
    else if (isObject(value)) this.#properties(schema, value, path);
  }

  #items(schema: JsonObject, values: readonly Json[], path: string): void {
    // Before 2020 the first items stood in `items`, and the others in `additionalItems`.
    const old = Array.isArray(schema.items);
    const first = schemasIn(old ? schema.items : schema.prefixItems);
    const others = [old ? schema.additionalItems : schema.items, schema.unevaluatedItems];
    values.forEach((value, index) => {
      const own = index < first.length ? [first[index]] : others;
      for (const one of [...own, schema.contains]) this.visit(one, value, `${path}.${index}`, 0);
    });
  }

  #properties(schema: JsonObject, value: JsonObject, path: string): void {
    const properties = isObject(schema.properties) ? schema.properties : {};
    // Whatever the pattern: trying one that came with the schema could take for ever.
    const others = [...schemasIn(schema.patternProperties), schema.additionalProperties, schema.unevaluatedProperties];
    for (const [key, item] of Object.entries(value)) {
      const own = Object.hasOwn(properties, key) ? [properties[key]] : others;
      for (const one of own) this.visit(one, item, `${path}.${key}`, 0);
      this.visit(schema.propertyNames, key, `${path}.${key}`, 0);
    }
  }

  #resolve(reference: string): Json | undefined {
    if (!reference.startsWith("#")) throw new Error("The schema refers to another document.");
    let target: Json | undefined = this.#root;
    for (const part of reference.split("/").slice(1)) {
      const key = decodeURIComponent(part).replace(/~1/g, "/").replace(/~0/g, "~");
      target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    }
    if (target === undefined) throw new Error("The schema refers to something that is not there.");
    return target;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
