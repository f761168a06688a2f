import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_JSON_BYTES, MAX_JSON_DEPTH } from "./json.js";
import { JsonError } from "./json-error.js";
import { parseStrictJson } from "./strict-json.js";

const SUITE = "../shared/data/json-parsing.json";

function refusalOf(text: string | Uint8Array): JsonError {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error("the text was accepted");
}

describe("parseStrictJson", () => {
  it.each([
    "null",
    " true ",
    "false",
    "0",
    "-1.5e+3",
    "1E2",
    '""',
    "[]",
    "{}",
    "\t[1 ,\r\n2]",
    '{"a" : {"b":[null]}}',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"',
    '"\u2028\u007f😀\ufffd"',
    '{"constructor":1,"toString":2,"":3}',
    '{"a":1,"A":2}',
  ])("reads %s as the native parser does", (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    expect(parseStrictJson(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  it.each([
    "",
    " ",
    "nul",
    "nulll",
    "True",
    "undefined",
    "NaN",
    "Infinity",
    "+1",
    "01",
    "-",
    "-01",
    "1.",
    ".5",
    "1e",
    "1e+",
    "0x10",
    "1_0",
    "'a'",
    '"',
    '"a',
    '"\t"',
    '"\\x41"',
    '"\\u12"',
    '"\\',
    "[",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "]",
    "{",
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    "{a:1}",
    "{1:1}",
    '{"a" 1}',
    '{"a"::1}',
    "1 2",
    "[]]",
    "// c\n1",
    "1/**/",
    "\u00a01",
    "\f1",
    "1\u0000",
  ])("refuses %j", (text) => {
    expect(refusalOf(text).code).toBe("invalid_json");
    expect(refusalOf(Buffer.from(text)).line).toBeGreaterThan(0);
  });

  it.skipIf(!existsSync(SUITE))("accepts and rejects what a public suite of JSON texts expects", () => {
    const cases = JSON.parse(readFileSync(SUITE, "utf8")) as { name: string; expect: string; base64: string }[];
    expect(cases.length).toBeGreaterThan(0);
    // valid grammar, refused on purpose
    const strict = /duplicated_key/;
    for (const { name, expect: wanted, base64 } of cases) {
      const bytes = Buffer.from(base64, "base64");
      // compared as texts: it reads -0 as 0
      if (wanted === "accept" && !strict.test(name))
        expect(JSON.stringify(parseStrictJson(bytes)), name).toBe(JSON.stringify(JSON.parse(bytes.toString())));
      else if (wanted === "either") {
        // whatever it does, it must not be silently different from the native reading
        try {
          expect(parseStrictJson(bytes), name).toEqual(JSON.parse(bytes.toString()));
        } catch (error) {
          expect(error, name).toBeInstanceOf(JsonError);
        }
      } else expect(() => parseStrictJson(bytes), name).toThrow(JsonError);
    }
  });

  it("reads every text that the native serializer writes, indented or not", () => {
    const values = fc
      .jsonValue({ noUnicodeString: false })
      .filter((value) => !/"__proto__"|(?<![.\d])\d{16,21}(?![\d.e])/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(values, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        // -0 is written as 0 by the native serializer too
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("never throws anything but JsonError and never accepts what the native parser rejects", () => {
    const broken = fc.string({ unit: fc.constantFrom(...'[]{}:,"\\u0019eE+-. tfn\n\ud800'), maxLength: 24 });
    fc.assert(
      fc.property(broken, (text) => {
        try {
          parseStrictJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonError);
          return;
        }
        JSON.parse(text);
      }),
      { numRuns: 20_000 },
    );
  });

  it("attack G1: refuses duplicate keys at every depth and spelt with escapes, and names the place", () => {
    const text = '{"items":[1,2,\n\n  {"id":7,   "id":8}]}';
    const error = refusalOf(text);
    expect(error.message).toBe('Line 3, column 14 (at /items/2/id): the key "id" stands twice.');
    expect(error).toMatchObject({ line: 3, column: 14, path: "/items/2/id" });
    for (const twin of [
      '{"a":1,"\\u0061":2}',
      '{"\\/":1,"/":2}',
      '[[{"":0,"":0}]]',
      '{"😀":1,"\\ud83d\\ude00":1}',
      '{"constructor":1,"constructor":2}',
    ]) {
      expect(refusalOf(twin).message).toContain("stands twice");
    }
  });

  it("attack G1: keeps keys that differ in case or normal form apart", () => {
    expect(Object.keys(parseStrictJson('{"a":1,"A":2,"\u00e9":3,"e\u0301":4}') as object)).toHaveLength(4);
  });

  it.each([
    "9007199254740993",
    "9007199254740992",
    "-9007199254740992",
    "12345678901234567890",
    "1234567890123456789012345",
    "1e400",
    "-1e400",
    "1e-400",
    "1e17",
    "9007199254740993.0",
    "100000000000000000000e0",
  ])("attack G2: refuses the number %s", (literal) => {
    expect(refusalOf(`{"id":${literal}}`)).toMatchObject({ path: "/id", line: 1, column: 7 });
    expect(refusalOf(`{"id":${literal}}`).message).toContain("send it as a string");
  });

  it("attack G2: reads numbers that keep their identity, and -0 in any spelling as 0", () => {
    const text = "[9007199254740991,-9007199254740991,1.0,1e30,333333333.33333329,5e-324,0e999,0.0e-999]";
    expect(parseStrictJson(text)).toEqual([
      9007199254740991, -9007199254740991, 1, 1e30, 333333333.3333333, 5e-324, 0, 0,
    ]);
    for (const zero of ["-0", "-0.0", "-0e5"]) expect(Object.is(parseStrictJson(zero), 0)).toBe(true);
  });

  it("attack G3: reads to the limit of depth and refuses deeper text without overflowing the stack", () => {
    const arrays = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(JSON.stringify(parseStrictJson(arrays(MAX_JSON_DEPTH)))).toBe(arrays(MAX_JSON_DEPTH));
    expect(refusalOf(arrays(MAX_JSON_DEPTH + 1)).message).toContain("64 levels");
    expect(refusalOf("[".repeat(500_000)).message).toContain("64 levels");
    expect(refusalOf('{"a":'.repeat(100_000)).message).toContain("64 levels");
  });

  it("attack G3: reads to the limit of size in UTF-8 bytes and refuses larger text", () => {
    const padded = (bytes: number) => `${" ".repeat(bytes - 1)}1`;
    expect(parseStrictJson(padded(MAX_JSON_BYTES))).toBe(1);
    expect(parseStrictJson(Buffer.from(padded(MAX_JSON_BYTES)))).toBe(1);
    expect(refusalOf(padded(MAX_JSON_BYTES + 1)).message).toContain("larger than");
    expect(refusalOf(Buffer.from(padded(MAX_JSON_BYTES + 1))).message).toContain("larger than");
    expect(refusalOf(`"${"€".repeat(400_000)}"`).message).toContain("larger than");
  });

  it("attack G4: refuses the key __proto__ at every depth and spelling, and harms no prototype", () => {
    for (const text of [
      '{"__proto__":{"admin":true}}',
      '[{"a":{"__proto__":1}}]',
      '{"\\u005f_proto__":{"admin":true}}',
    ]) {
      expect(refusalOf(text).message).toContain('the key "__proto__" is refused');
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each([
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud800\\ud800"',
    '"\\ud800x"',
    '"\\ud83d\\u0041"',
    '"\ud800"',
    '"\ud83d\\ude00"',
    '"\\ud83d\ude00"',
    '{"\\udfaa":0}',
    '["\udc00"]',
  ])("attack G5: refuses half a surrogate pair in %j", (text) => {
    expect(refusalOf(text).message).toContain("half of a surrogate pair");
  });

  it("attack G5: refuses a byte order mark in text and bytes", () => {
    expect(refusalOf("\ufeff{}").message).toBe("Line 1, column 1: a byte order mark is not JSON.");
    expect(refusalOf(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)).message).toContain("byte order mark");
    expect(refusalOf(Buffer.from("{}", "utf16le")).code).toBe("invalid_json");
  });

  it.each([
    ["a stray continuation", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["a point beyond Unicode", [0xf4, 0xbf, 0xbf, 0xbf]],
    ["a cut sequence", [0xe2, 0x82]],
  ])("attack G5: refuses %s and says where", (_title, bad) => {
    const bytes = Buffer.concat([Buffer.from('["€",\n "\ufffd😀'), Uint8Array.from(bad), Buffer.from('"]')]);
    expect(refusalOf(bytes)).toMatchObject({
      message: "Line 2, column 6: the bytes are not UTF-8.",
      line: 2,
      column: 6,
    });
  });

  it("speaks of the object around a key that cannot be read", () => {
    expect(refusalOf('{"a":{"b":1,"c\n":2}}').message).toBe(
      "Line 1, column 15 (at /a): a control character needs an escape.",
    );
    expect(refusalOf('{"a":{x}}').message).toBe("Line 1, column 7 (at /a): a key in double quotes was expected.");
  });

  it("shows keys escaped and cut, and no values", () => {
    const key = "k".repeat(500);
    expect(refusalOf(`{"${key}":1,"${key}":2}`).message.length).toBeLessThan(220);
    const forged = refusalOf('{"\\n\\u202e\\"x":"hunter2","\\n\\u202e\\"x":"hunter2"}').message;
    expect(forged).toContain('the key "\\u{a}\\u{202e}\\"x" stands twice');
    expect(forged).not.toContain("hunter2");
  });
});
