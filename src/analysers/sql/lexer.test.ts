import { describe, expect, it } from "vitest";
import { type LexRules, lex, nesting, split } from "./lexer.js";

const MYSQL: LexRules = { dialect: "mysql", backslashEscapes: true };
const SQLITE: LexRules = { dialect: "sqlite", backslashEscapes: false };

/** Each token as its type's first letter and its text. */
function tokens(sql: string, rules: LexRules): string[] {
  return lex(sql, rules).tokens.map(({ type, start, end }) => `${type[0]} ${sql.slice(start, end)}`);
}

describe("lex", () => {
  it.each<[string, LexRules, string[]]>([
    ["SELECT a1.b_$@ + é", MYSQL, ["w SELECT", "w a1", "s .", "w b_$@", "s +", "w é"]],
    [" \t\r\n\u00a0\ufeffa ", MYSQL, ["w a"]],
    ["'a;' \"b;\" `c;` d", MYSQL, ["q 'a;'", 'q "b;"', "q `c;`", "w d"]],
    ["'a''b'c", MYSQL, ["q 'a'", "q 'b'", "w c"]],
    ["'a\\'b'c", MYSQL, ["q 'a\\'b'", "w c"]],
    ['"a\\"b"c', MYSQL, ['q "a\\"b"', "w c"]],
    ["`a\\`b", MYSQL, ["q `a\\`", "w b"]],
    ["'a\\'b", SQLITE, ["q 'a\\'", "w b"]],
    ["[a;]b", SQLITE, ["q [a;]", "w b"]],
    ["[a]", MYSQL, ["s [", "w a", "s ]"]],
    ["a/*/ b */c", MYSQL, ["w a", "w c"]],
    ["a /* b */ c", SQLITE, ["w a", "w c"]],
    ["a--b\nc", SQLITE, ["w a", "w c"]],
    ["a--b", MYSQL, ["w a", "s -", "s -", "w b"]],
    ["a -- b\nc", MYSQL, ["w a", "w c"]],
    ["a --\u0001b\nc", MYSQL, ["w a", "w c"]],
    ["a --", MYSQL, ["w a"]],
    ["a # b\nc", MYSQL, ["w a", "w c"]],
    ["a # b", SQLITE, ["w a", "s #", "w b"]],
  ])("cuts %j", (sql, rules, expected) => {
    expect(tokens(sql, rules)).toEqual(expected);
    expect(lex(sql, rules).unterminated).toBeUndefined();
  });

  it.each<[string, LexRules, number]>([
    ["a 'b", MYSQL, 2],
    ["a 'b\\'", MYSQL, 2],
    ['a "b', SQLITE, 2],
    ["a `b", MYSQL, 2],
    ["a [b", SQLITE, 2],
    ["a /* b", MYSQL, 2],
    ["a /*/", MYSQL, 2],
  ])("says where %j is never closed", (sql, rules, place) => {
    expect(lex(sql, rules).unterminated).toBe(place);
  });
});

describe("split", () => {
  it("gives each statement its text and tokens, without semicolons, comments at the ends and empty ones", () => {
    const sql = "; a b;; /* c */ 'd;' /* e */ + f; -- g";
    const statements = split(sql, lex(sql, SQLITE).tokens);
    expect(statements.map(({ text, tokens: own }) => [text, own.length])).toEqual([
      ["a b", 2],
      ["'d;' /* e */ + f", 3],
    ]);
  });
});

describe("nesting", () => {
  it.each<[string, number]>([
    ["a", 0],
    ["a.b.c", 0],
    ["a + b", 1],
    ["a + b + c", 2],
    ["a AND b or c", 2],
    ["NOT NOT a", 2],
    ["android", 0],
    ["'+' + '('", 1],
    ["(a)", 1],
    ["((a))", 2],
    ["(a + b) + (c)", 3],
    ["(c) + (a + b)", 3],
    ["a + b, c", 1],
    ["a, b + c + d", 2],
    ["a + b + c, d", 2],
    ["a + b, c + d", 1],
    ["(a, b + c)", 2],
    ["f(a + b), (c)", 2],
    ["(c), f(a + b)", 2],
    ["a + (b + c", 2],
    ["((a", 0],
    [")", Number.POSITIVE_INFINITY],
    ["(a)) + (b", Number.POSITIVE_INFINITY],
  ])("of %j is at most %d", (sql, expected) => {
    expect(nesting(sql, lex(sql, SQLITE).tokens)).toBe(expected);
  });
});
