import { existsSync, readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import oracle from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalize, freezeJson, type Json, jsonEqual, MAX_JSON_BYTES, MAX_JSON_DEPTH, toPlainJson } from "./json.js";
import { JsonError } from "./json-error.js";
import { parseStrictJson } from "./strict-json.js";

const VECTORS = "../shared/data/rfc8785.json";

function refusalOf(value: unknown): JsonError {
  try {
    canonicalize(value);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error("the value was accepted");
}

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level++) value = [value];
  return value;
}

/** Every double by its bits, without those that JSON or the limits refuse. */
const anyDouble = fc
  .tuple(fc.integer({ min: 0, max: 0xffffffff }), fc.integer({ min: 0, max: 0xffffffff }))
  .map(([high, low]) => new DataView(Uint32Array.of(high, low).buffer))
  .map((bits) => bits.getFloat64(0))
  .filter((value) => Number.isFinite(value) && !(Math.abs(value) >= 2 ** 53 && Math.abs(value) < 1e21));

const anyJson = fc
  .jsonValue({ maxDepth: 5, noUnicodeString: false })
  .filter((value) => !JSON.stringify(value).includes('"__proto__"'))
  .filter((value) => !/(?<![.\d])\d{16,21}(?![\d.e])/.test(JSON.stringify(value)));

describe("canonicalize", () => {
  it.each([
    [
      "sorts keys by UTF-16 units",
      { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 },
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    ],
    ["sorts at every level, arrays stay in order", { b: [3, { z: 1, a: 2 }], a: {} }, '{"a":{},"b":[3,{"a":2,"z":1}]}'],
    ["sorts number-like keys as text", { 10: 1, 9: 2, "": 3 }, '{"":3,"10":1,"9":2}'],
    ["escapes only what must be", '\u0000\b\t\n\f\r"\\/\u007f\u2028é', '"\\u0000\\b\\t\\n\\f\\r\\"\\\\/\u007f\u2028é"'],
    ["keeps NFC and NFD apart", ["\u00c5", "A\u030a"], '["\u00c5","A\u030a"]'],
    ["writes scalars", [null, true, false, ""], '[null,true,false,""]'],
    [
      "writes numbers in the shortest form",
      [1e30, 4.5, 0.002, 1e-27, 1e21, 1e-7, 5e-324, 1.7976931348623157e308],
      "[1e+30,4.5,0.002,1e-27,1e+21,1e-7,5e-324,1.7976931348623157e+308]",
    ],
    ["accepts the safe integers to the last", [2 ** 53 - 1, -(2 ** 53 - 1)], "[9007199254740991,-9007199254740991]"],
    [
      "keeps constructor and prototype as data",
      { prototype: 1, constructor: 2, toJSON: "text" },
      '{"constructor":2,"prototype":1,"toJSON":"text"}',
    ],
    ["accepts an object without prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ])("%s (RFC 8785)", (_title, value, text) => {
    expect(canonicalize(value)).toBe(text);
  });

  it.skipIf(!existsSync(VECTORS))("attack G5: gives the published RFC 8785 texts", () => {
    const vectors = JSON.parse(readFileSync(VECTORS, "utf8")) as { name: string; input: string; canonical: string }[];
    expect(vectors.length).toBeGreaterThan(0);
    for (const { name, input, canonical } of vectors)
      expect(canonicalize(parseStrictJson(input)), name).toBe(canonical);
  });

  it("attack G5: agrees with an independent implementation on any JSON value", () => {
    fc.assert(
      fc.property(anyJson, (value) => canonicalize(value) === oracle(value)),
      { numRuns: 2000 },
    );
  });

  it("attack G5: agrees with an independent implementation on any double", () => {
    fc.assert(
      fc.property(anyDouble, (value) => canonicalize(value) === oracle(value)),
      { numRuns: 10_000 },
    );
    fc.assert(
      fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (value) => canonicalize(value) === oracle(value)),
    );
  });

  it("attack G5: agrees with an independent implementation on any Unicode key", () => {
    const keys = fc.string({ unit: "binary", maxLength: 4 }).filter((key) => key !== "__proto__");
    const objects = fc.dictionary(keys, fc.integer(), { maxKeys: 12 });
    fc.assert(
      fc.property(objects, (value) => canonicalize(value) === oracle(value)),
      { numRuns: 2000 },
    );
  });

  it("gives one text whatever the order of keys", () => {
    const entries = fc.uniqueArray(fc.tuple(fc.string(), fc.integer()), { selector: ([key]) => key });
    const both = entries.filter((pairs) => pairs.every(([key]) => key !== "__proto__"));
    fc.assert(
      fc.property(both, (pairs) => {
        expect(canonicalize(Object.fromEntries(pairs.toReversed()))).toBe(canonicalize(Object.fromEntries(pairs)));
      }),
    );
  });

  it("gives a text that the strict parser reads back as the same value", () => {
    fc.assert(
      fc.property(fc.oneof(anyJson, anyDouble), (value) => {
        const back = parseStrictJson(canonicalize(value));
        expect(jsonEqual(back, value)).toBe(true);
        // the canonical text has no -0: compare with the value it stands for
        expect(back).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 2000 },
    );
  });

  it("attack G2: writes -0 as 0", () => {
    expect(canonicalize([-0])).toBe("[0]");
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53), 1e17, 999999999999999900000, 10n])(
    "attack G2: refuses the number %s",
    (value) => {
      expect(refusalOf({ id: value }).path).toBe("/id");
    },
  );

  it.each([
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a Date", new Date(0)],
    ["a Map", new Map()],
    ["a Set", new Set()],
    ["a RegExp", /x/],
    ["bytes", new Uint8Array(2)],
    ["a boxed string", new String("s")],
    ["an Error", new Error("x")],
    [
      "a class instance",
      new (class Point {
        x = 1;
      })(),
    ],
    ["an instance of an array class", new (class List extends Array<number> {})()],
    ["an object with another object as prototype", Object.create({ a: 1 })],
    ["an object with its own toJSON", { toJSON: () => "other" }],
    ["a symbol key", { [Symbol("s")]: 1 }],
    [
      "a getter",
      {
        get a() {
          return 1;
        },
      },
    ],
    ["a setter", { set a(_value: number) {} }],
    ["a getter in an array", Object.defineProperty([0], 0, { get: () => 1, enumerable: true })],
    ["a hidden property", Object.defineProperty({}, "a", { value: 1 })],
    ["a hidden item", Object.defineProperty([0], 0, { value: 1, enumerable: false })],
    ["a hole", withHole()],
    ["an array of holes", ofLength(1000)],
    ["holes made up for by extra properties", Object.assign(withHole(), { extra: 1 })],
    ["an extra property on an array", Object.assign([1], { extra: 1 })],
    ["a symbol on an array", Object.assign([1], { [Symbol("s")]: 1 })],
    [
      "the arguments object",
      (function () {
        return arguments;
      })(),
    ],
    ["a revoked proxy", revokedProxy()],
  ])("attack G3: refuses %s, at the top and inside", (_title, value) => {
    expect(refusalOf(value).code).toBe("invalid_json");
    expect(refusalOf({ list: [value] }).path).toMatch(/^\/list\/0/);
  });

  it("attack G3: accepts the limit of depth and refuses one more level, and cycles", () => {
    expect(canonicalize(nested(MAX_JSON_DEPTH))).toBe("[".repeat(64) + "]".repeat(64));
    expect(refusalOf(nested(MAX_JSON_DEPTH + 1)).message).toContain("64 levels");
    expect(refusalOf(nested(20_000)).message).toContain("64 levels");
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(refusalOf(cycle).message).toContain("64 levels");
  });

  it("attack G3: accepts the limit of size in UTF-8 bytes and refuses one more", () => {
    expect(canonicalize("x".repeat(MAX_JSON_BYTES - 2))).toHaveLength(MAX_JSON_BYTES);
    expect(refusalOf("x".repeat(MAX_JSON_BYTES - 1)).message).toContain("larger than");
    const threeBytes = Math.floor((MAX_JSON_BYTES - 2) / 3);
    expect(canonicalize("€".repeat(threeBytes))).toHaveLength(threeBytes + 2);
    expect(refusalOf("€".repeat(threeBytes + 1)).message).toContain("larger than");
    expect(refusalOf(ofLength(5_000_000).fill(0)).message).toContain("larger than");
    expect(refusalOf(ofLength(1_000_000_000)).message).toContain("larger than");
  });

  it("attack G3: stops at a small value that unfolds to 2^60 parts", () => {
    for (const leaf of [[], {}, 0]) {
      let value: unknown = leaf;
      for (let level = 0; level < 60; level++) value = [value, value];
      expect(refusalOf(value).message).toContain("larger than");
    }
  });

  it("attack G3: reads each property of a proxy once and shows nothing of an error it throws", () => {
    const reads: PropertyKey[] = [];
    const target = { b: 1, a: [2] };
    const proxy = new Proxy(target, {
      getOwnPropertyDescriptor(object, key) {
        reads.push(key);
        return Reflect.getOwnPropertyDescriptor(object, key);
      },
      get: () => expect.unreachable("read besides the descriptor"),
    });
    expect(canonicalize(proxy)).toBe('{"a":[2],"b":1}');
    expect(reads).toEqual(["a", "b"]);
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("hunter2");
        },
      },
    );
    expect(refusalOf({ deep: hostile }).message).toBe("At /deep: the value cannot be read.");
  });

  it("attack G4: refuses the key __proto__ at every depth", () => {
    for (const text of ['{"__proto__":{"admin":true}}', '{"a":[{"__proto__":1}]}', '{"a":{"b":{"__proto__":null}}}']) {
      expect(refusalOf(JSON.parse(text)).path).toMatch(/\/__proto__$/);
    }
  });

  it("takes each item of a list for itself, whatever its place", () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ index }));
    expect(items.map(canonicalize)).toEqual(items.map((item) => JSON.stringify(item)));
  });

  it("attack G5: refuses half a surrogate pair in strings and keys", () => {
    for (const half of ["\ud800", "a\udc00", "\udc00\ud800", "\ud83d\ude00\ud83d"]) {
      expect(refusalOf([half]).message).toContain("the string holds half");
      expect(refusalOf({ [half]: 1 }).message).toContain("the key holds half");
    }
  });

  it("accepts plain objects and arrays of another realm, but not its classes", () => {
    expect(canonicalize(runInNewContext("({ b: [1, { c: 2 }], a: null })"))).toBe('{"a":null,"b":[1,{"c":2}]}');
    expect(() => canonicalize(runInNewContext("new Date(0)"))).toThrow(JsonError);
    expect(() => canonicalize(runInNewContext("new (class L extends Array {})()"))).toThrow(JsonError);
  });

  it("names the place, and neither values nor forged text", () => {
    const error = refusalOf({ items: [{ id: 1 }, { secret: "hunter2", id: Number.NaN }] });
    expect(error.message).toBe("At /items/1/id: the number is not finite.");
    expect(error).toMatchObject({ name: "JsonError", code: "invalid_json", path: "/items/1/id" });
    const forged = refusalOf({ 'a/b~"\n\u202e': undefined });
    expect(forged.path).toBe('/a~1b~0\\"\\u{a}\\u{202e}');
    expect(refusalOf({ ["k".repeat(100_000)]: undefined }).path.length).toBeLessThanOrEqual(60);
  });
});

describe("toPlainJson", () => {
  it("copies, so that later changes of the input do not reach the copy, and freezes all of it", () => {
    const input = { to: ["a"], amount: { value: -0 } };
    const plain = toPlainJson(input) as { to: string[]; amount: { value: number } };
    input.to.push("b");
    input.amount.value = 5;
    expect(plain).toEqual({ to: ["a"], amount: { value: 0 } });
    expect(() => plain.to.push("c")).toThrow(TypeError);
    expect(() => Object.assign(plain.amount, { value: 1 })).toThrow(TypeError);
  });

  it("attack G3: takes one reading of a value that changes with each", () => {
    let reads = 0;
    const shifty = new Proxy(
      { amount: 0 },
      { getOwnPropertyDescriptor: () => ({ value: ++reads, enumerable: true, configurable: true }) },
    );
    const plain = toPlainJson(shifty);
    expect(plain).toEqual({ amount: 1 });
    expect(canonicalize(plain)).toBe('{"amount":1}');
  });

  it("keeps the canonical text", () => {
    fc.assert(fc.property(anyJson, (value) => canonicalize(toPlainJson(value)) === canonicalize(value)));
  });
});

describe("freezeJson", () => {
  it("freezes what stands inside an already frozen value", () => {
    const value = Object.freeze({ list: [{ a: 1 }] });
    expect(freezeJson(value)).toBe(value);
    expect(Object.isFrozen(value.list) && Object.isFrozen(value.list[0])).toBe(true);
  });

  it("refuses a cycle instead of overflowing the stack", () => {
    const cycle: Json[] = [];
    cycle.push(cycle);
    expect(() => freezeJson(cycle)).toThrow(JsonError);
  });
});

describe("jsonEqual", () => {
  it("compares values, not order of keys, and never takes one type for another", () => {
    expect(jsonEqual({ a: 1, b: [0] }, { b: [-0], a: 1 })).toBe(true);
    for (const [a, b] of [
      [1, "1"],
      [null, "null"],
      [[], {}],
      [
        [1, 2],
        [2, 1],
      ],
      [{ a: null }, {}],
    ])
      expect(jsonEqual(a, b)).toBe(false);
  });
});

function ofLength(length: number): unknown[] {
  return Object.assign([], { length });
}

function withHole(): unknown[] {
  return Object.assign([], { 0: 1, 2: 2 });
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
