import { describe, expect, it } from "vitest";
import { type Comparison, type Condition, type Constant, isSelective } from "./condition.js";

const value = (constant: Constant): Condition => ({ type: "constant", value: constant });
const column = (name: string): Condition => ({ type: "column", name });
const not = (operand: Condition): Condition => ({ type: "not", operand });
const and = (...operands: Condition[]): Condition => ({ type: "and", operands });
const or = (...operands: Condition[]): Condition => ({ type: "or", operands });
const isNull = (operand: Condition): Condition => ({ type: "isNull", operand });
const opaque = (key: string, columns: boolean): Condition => ({ type: "opaque", key, columns });

/** `is("a", "<", 5)`: text on the left is a column, on the right a constant. */
function is(left: string | Condition, operator: Comparison, right: Constant | Condition): Condition {
  return {
    type: "compare",
    operator,
    left: typeof left === "string" ? column(left) : left,
    right: typeof right === "object" && right !== null ? right : value(right),
  };
}

const a = column("a");
const b = column("b");

describe("a condition that can leave a row out", () => {
  it.each<[string, Condition]>([
    ["a", a],
    ["NOT a", not(a)],
    ["a >= 1, by what is below", is("a", ">=", 1)],
    ["a <= 1, by what is above", is("a", "<=", 1)],
    ["a <= 1 OR a >= 2, by what is between", or(is("a", "<=", 1), is("a", ">=", 2))],
    ["the gap between the nearest two", or(is("a", "<=", 5), is("a", "=", 10), is("a", ">=", 7))],
    ["a <> 1", is("a", "<>", 1)],
    ["a < 1 OR a > 1", or(is("a", "<", 1), is("a", ">", 1))],
    ["a >= 'B', by the empty text", is("a", ">=", "B")],
    ["a <= 'b', by the text just behind", is("a", "<=", "b")],
    ["a <> 'b'", is("a", "<>", "b")],
    ["5 < a", is(value(5), "<", a)],
    ["5 >= a", is(value(5), ">=", a)],
    ["a = TRUE", is("a", "=", true)],
    ["a = NULL", is("a", "=", null)],
    ["a = b", is(a, "=", b)],
    ["a = b OR c <> d", or(is(a, "=", b), is(column("c"), "<>", column("d")))],
    ["a = b OR a > b", or(is(a, "=", b), is(a, ">", b))],
    ["ta = a", is(column("ta"), "=", a)],
    ["a <> a", is(a, "<>", a)],
    ["a IS NULL", isNull(a)],
    ["a IS NULL OR b IS NOT NULL", or(isNull(a), not(isNull(b)))],
    ["(a = 1) IS NULL", isNull(is("a", "=", 1))],
    ["(1 = a) IS NULL", isNull(is(value(1), "=", a))],
    ["(NOT a) IS NULL", isNull(not(a))],
    ["(a IS NULL) IS NULL", isNull(isNull(a))],
    ["(f() AND a) IS NULL", isNull(and(opaque("f()", false), a))],
    ["(f() OR a) IS NULL", isNull(or(opaque("f()", false), a))],
    ["f(a)", opaque("f(a)", true)],
    ["f() AND a = 1", and(opaque("f()", false), is("a", "=", 1))],
    ["f(a) OR g(a)", or(opaque("f(a)", true), opaque("g(a)", true))],
    ["false", value(false)],
    ["NULL", value(null)],
    ["0", value(0)],
    ["'0'", value("0")],
    ["'x'", value("x")],
    ["1 = 2", is(value(1), "=", 2)],
    ["NULL <> 1", is(value(null), "<>", 1)],
    ["1 <> NULL", is(value(1), "<>", null)],
    ["NULL = NULL", is(value(null), "=", null)],
    ["1 IS NULL", isNull(value(1))],
    ["NOT (NULL IS NULL)", not(isNull(value(null)))],
  ])("%s", (_, condition) => {
    expect(isSelective(condition)).toBe(true);
  });
});

describe("a condition that may hold for every row", () => {
  it.each<[string, Condition]>([
    ["true", value(true)],
    ["-0.5", value(-0.5)],
    ["'0.5x'", value("0.5x")],
    ["a OR NOT a", or(a, not(a))],
    ["a < 5 OR a >= 5", or(is("a", "<", 5), is("a", ">=", 5))],
    ["a <= 5 OR 5 < a", or(is("a", "<=", 5), is(value(5), "<", a))],
    ["a = 5 OR 5 <> a", or(is("a", "=", 5), is(value(5), "<>", a))],
    ["5 > a OR 5 <= a", or(is(value(5), ">", a), is(value(5), "<=", a))],
    ["5 >= a OR a > 5", or(is(value(5), ">=", a), is("a", ">", 5))],
    ["a < 'b' OR a >= 'b'", or(is("a", "<", "b"), is("a", ">=", "b"))],
    ["a < 5 OR a >= 5 OR a = 'x', compared as texts", or(is("a", "<", 5), is("a", ">=", 5), is("a", "=", "x"))],
    ["a <= b OR a > b", or(is(a, "<=", b), is(a, ">", b))],
    ["a < b OR a >= b", or(is(a, "<", b), is(a, ">=", b))],
    ["a = b OR a <> b", or(is(a, "=", b), is(a, "<>", b))],
    ["a = a", is(a, "=", a)],
    ["a >= t.a", is(a, ">=", column("t.a"))],
    ["t.a <= a", is(column("t.a"), "<=", a)],
    ["f(a) = f(a)", is(opaque("f(a)", true), "=", opaque("f(a)", true))],
    ["a IS NULL OR a IS NOT NULL", or(isNull(a), not(isNull(a)))],
    ["NULL IS NULL", isNull(value(null))],
    ["f()", opaque("f()", false)],
    ["f() IS NULL", isNull(opaque("f()", false))],
    ["f() = 1", is(opaque("f()", false), "=", 1)],
    ["f() OR a = 1", or(opaque("f()", false), is("a", "=", 1))],
    ["1 = TRUE, which databases convert", is(value(1), "=", true)],
    ["1 = '1.0', which databases convert", is(value(1), "=", "1.0")],
    ["'a' = 'A', which databases fold", is(value("a"), "=", "A")],
    ["'a' = 'a'", is(value("a"), "=", "a")],
    ["1 <> 2", is(value(1), "<>", 2)],
    ["2 > 1", is(value(2), ">", 1)],
    ["1 < 2", is(value(1), "<", 2)],
    ["2 >= 2", is(value(2), ">=", 2)],
    ["2 <= 2", is(value(2), "<=", 2)],
  ])("%s", (_, condition) => {
    expect(isSelective(condition)).toBe(false);
  });
});

describe("a clause that costs too much", () => {
  const columns = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`);
  /** Three values are tried for each column, and only the very last mix of them fails. */
  const late = (count: number, padding = 0): Condition =>
    or(...columns(count).map((name) => is(name, "<=", 1)), ...Array.from({ length: padding }, () => value(false)));

  it("counts as leaving no row out from 65 columns on", () => {
    expect(isSelective(or(...columns(64).map((name) => is(name, "=", 1))))).toBe(true);
    expect(isSelective(or(...columns(65).map((name) => is(name, "=", 1))))).toBe(false);
  });

  it("counts as leaving no row out after 20000 trials", () => {
    expect(isSelective(late(9))).toBe(true);
    expect(isSelective(late(10))).toBe(false);
  });

  it("counts as leaving no row out sooner when each trial is long", () => {
    // 3 to the power of 5 trials of 4132 visits are just within a million, with one visit more they are not.
    expect(isSelective(late(5, 4132 - 6))).toBe(true);
    expect(isSelective(late(5, 4133 - 6))).toBe(false);
  });
});
