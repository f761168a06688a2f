import fc from "fast-check";

/** The parts of JSON Schema that our own document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** What programs choke on: names of prototypes, half characters, other scripts, numbers at the edges, traversal, markup. */
const HOSTILE = [
  "__proto__",
  "constructor",
  "\u0000",
  "\ud800",
  "\u202e",
  "../../etc/passwd",
  "' OR 1=1 --",
  "<script>",
  "%00",
  "%2f..%2f",
  "𝕏".repeat(50),
  "a".repeat(5_000),
];

export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...HOSTILE, null, true, -1, 0, 1e308, -0.5, [], {}, [[]], { toString: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ maxLength: 30 }),
);

/** Mostly what the schema describes; now and then, at any depth, something else. */
export function arbitraryOf(schema: Schema, parts: Readonly<Record<string, Schema>>, depth = 0): fc.Arbitrary<unknown> {
  const right = described(schema, parts, depth);
  return fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: hostile });
}

function described(schema: Schema, parts: Readonly<Record<string, Schema>>, depth: number): fc.Arbitrary<unknown> {
  if (depth > 5) return fc.constant(null);
  const inner = (each: Schema) => arbitraryOf(each, parts, depth + 1);
  if (schema.$ref !== undefined) return described(parts[schema.$ref.split("/").at(-1) ?? ""] ?? {}, parts, depth + 1);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return fc.oneof(...either.map(inner));
  switch (schema.type) {
    case "object":
      return objectOf(schema, inner);
    case "array":
      return fc.array(inner(schema.items ?? {}), { maxLength: 4 });
    case "string":
      return stringOf(schema);
    case "integer":
      return fc.integer({ min: bounded(schema.minimum, 0), max: bounded(schema.maximum, 1_000_000) });
    case "number":
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  inner: (each: Schema) => fc.Arbitrary<unknown>,
) {
  const known = fc.record(Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)])), {
    requiredKeys: [...required],
  });
  if (typeof additionalProperties !== "object") return known;
  const names = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("to", "body", "title", "all"));
  const more = fc.dictionary(names, inner(additionalProperties), { maxKeys: 3 });
  return fc.tuple(known, more).map(([own, others]) => ({ ...others, ...own }));
}

function stringOf({ pattern, format, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (pattern?.includes("{64}"))
    return fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 });
  if (pattern?.startsWith("^agent:")) return fc.string({ maxLength: 10 }).map((text) => `agent:${text}`);
  return fc.string({ minLength, maxLength: Math.min(maxLength, Math.max(minLength, 40)) });
}

function bounded(limit: number | undefined, usual: number): number {
  return limit === undefined ? usual : Math.max(-1_000_000, Math.min(limit, 1_000_000));
}
