import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/json.js";
import { type ContentFormat, isContentFormat, valuesIn } from "./values.js";

const SQL = { type: "string", format: "sql" } as const;
const found = (schema: unknown, args: unknown, named?: Record<string, ContentFormat>) =>
  valuesIn(schema as JsonObject | undefined, args as JsonObject, named).map(
    ({ format, path, value }) => `${format} ${path} ${JSON.stringify(value)}`,
  );
const object = (properties: object) => ({ type: "object", properties });

describe("the formats that are read", () => {
  it("are these and no others", () => {
    for (const format of "sql postgres mysql sqlite shell path uri url hostname email".split(" "))
      expect(isContentFormat(format), format).toBe(true);
    for (const format of ["", "date", "SQL", undefined, 5]) expect(isContentFormat(format), String(format)).toBe(false);
  });
});

describe("values that a schema says can be read", () => {
  it("are texts with such a format, with where they stand", () => {
    const schema = object({ a: SQL, b: { format: "date" }, c: {} });
    expect(found(schema, { a: "x", b: "y", c: "z", d: "w" })).toEqual(['sql args.a "x"']);
    expect(found(schema, { a: 5 })).toEqual([]);
    expect(found(schema, { a: null })).toEqual([]);
    expect(found(undefined, { a: "x" })).toEqual([]);
  });

  it("are found in lists, first items, records and objects", () => {
    expect(found(object({ a: { items: SQL } }), { a: ["x", 5, "y"] })).toEqual([
      'sql args.a.0 "x"',
      'sql args.a.2 "y"',
    ]);
    const tuple = object({ a: { prefixItems: [{}, SQL], items: { format: "path" } } });
    expect(found(tuple, { a: ["x", "y", "z"] })).toEqual(['sql args.a.1 "y"', 'path args.a.2 "z"']);
    expect(found(object({ a: { additionalProperties: SQL } }), { a: { k: "x" } })).toEqual(['sql args.a.k "x"']);
    const both = object({ a: { properties: { k: {} }, additionalProperties: SQL } });
    expect(found(both, { a: { k: "x", l: "y" } })).toEqual(['sql args.a.l "y"']);
    expect(found(object({ a: object({ b: SQL }) }), { a: { b: "x" } })).toEqual(['sql args.a.b "x"']);
  });

  it.each(["anyOf", "oneOf", "allOf"])("count in each alternative of %s", (key) => {
    const schema = object({ a: { [key]: [{ type: "number" }, SQL, { format: "shell" }] } });
    expect(found(schema, { a: "x" })).toEqual(['sql args.a "x"', 'shell args.a "x"']);
    expect(found(object({ a: { [key]: "none", ...SQL } }), { a: "x" })).toEqual(['sql args.a "x"']);
  });

  it.each<[keyword: string, schema: object, args: unknown]>([
    ["patternProperties", { patternProperties: { "^x": SQL } }, { x1: "q" }],
    ["unevaluatedProperties", { unevaluatedProperties: SQL }, { x1: "q" }],
    ["propertyNames", { propertyNames: SQL }, { q: 1 }],
    ["dependentSchemas", { dependentSchemas: { y: object({ x: SQL }) } }, { x: "q", y: 1 }],
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    ["then", { if: {}, then: object({ x: SQL }) }, { x: "q" }],
    ["else", { if: {}, else: object({ x: SQL }) }, { x: "q" }],
    ["if", { if: object({ x: SQL }) }, { x: "q" }],
    ["items of older schemas", { items: [SQL] }, ["q"]],
    ["additionalItems", { items: [{}], additionalItems: SQL }, ["a", "q"]],
    ["unevaluatedItems", { prefixItems: [{}], unevaluatedItems: SQL }, ["a", "q"]],
    ["contains", { contains: SQL }, ["q"]],
  ])("attack C3: are not silently missed under %s", (_keyword, schema, args) => {
    expect(found(object({ a: schema }), { a: args }).join()).toContain('"q"');
  });

  it("count once, however often the schema says so", () => {
    expect(found(object({ a: { ...SQL, anyOf: [SQL, SQL] } }), { a: "x" })).toEqual(['sql args.a "x"']);
  });

  it("follow references, also through odd names", () => {
    const schema = { ...object({ a: { $ref: "#/$defs/x~1y~0z%20w" } }), $defs: { "x/y~z w": SQL } };
    expect(found(schema, { a: "x" })).toEqual(['sql args.a "x"']);
    const own = { ...object({ child: { $ref: "#" }, a: SQL }) };
    expect(found(own, { child: { child: { a: "x" } } })).toEqual(['sql args.child.child.a "x"']);
  });

  it.each([
    ["another document", { $ref: "https://x.test/s.json" }],
    ["not there", { $ref: "#/$defs/missing" }],
    ["not there", { $ref: "#/toString" }],
    ["in a circle", { $ref: "#/properties/a" }],
  ])("attack C3: are not silently missed where a reference leads to %s", (words, a) => {
    expect(() => found(object({ a }), { a: "x" })).toThrow(words);
  });

  it("attack C3: are not silently missed where there are too many alternatives", () => {
    const many = { anyOf: Array.from({ length: 400 }, () => ({ anyOf: Array.from({ length: 400 }, () => ({})) })) };
    expect(() => found(object({ a: many }), { a: "x" })).toThrow("too many alternatives");
  });

  it("are own properties of the schema alone", () => {
    expect(found(object({}), { constructor: "x", toString: "y" })).toEqual([]);
  });
});

describe("values at given paths", () => {
  const args = { a: { b: "x" }, list: ["y", "z"], rows: [{ q: "1" }, { q: "2" }, {}], n: 5, none: null };

  it("are found with or without the word args before them", () => {
    expect(found(undefined, args, { "a.b": "sql" })).toEqual(['sql args.a.b "x"']);
    expect(found(undefined, args, { "args.a.b": "sql" })).toEqual(['sql args.a.b "x"']);
    expect(found(undefined, { x: { "args.b": 1, args: { b: "v" } } }, { "x.args.b": "sql" })).toEqual([
      'sql args.x.args.b "v"',
    ]);
  });

  it("are lists item by item, and every item for a star", () => {
    expect(found(undefined, args, { list: "sql" })).toEqual(['sql args.list.0 "y"', 'sql args.list.1 "z"']);
    expect(found(undefined, args, { "rows.*.q": "sql" })).toEqual(['sql args.rows.0.q "1"', 'sql args.rows.1.q "2"']);
    expect(found(undefined, args, { "a.*": "shell" })).toEqual(['shell args.a.b "x"']);
  });

  it("are also those that are no text, so that they can be doubted", () => {
    expect(found(undefined, args, { n: "sql", none: "path" })).toEqual(["sql args.n 5", "path args.none null"]);
  });

  it("are nothing where nothing is", () => {
    for (const path of ["missing", "n.x", "none.x", "a.toString", "a.b.c"])
      expect(found(undefined, args, { [path]: "sql" }), path).toEqual([]);
  });

  it("are added to those of the schema", () => {
    expect(found(object({ n: {}, a: object({ b: SQL }) }), args, { "a.b": "sql", list: "path" })).toEqual([
      'sql args.a.b "x"',
      'path args.list.0 "y"',
      'path args.list.1 "z"',
    ]);
  });
});
