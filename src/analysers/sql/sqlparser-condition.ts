import { type Comparison, type Condition, isSelective } from "./condition.js";
import { parts, type SqlparserContext, sourceOf } from "./sqlparser-tree.js";
import { isTree, list, tagged, text, tree } from "./tree.js";

/** Whether a WHERE clause can leave rows out; notes it when it is there and cannot. */
export function selects(where: unknown, context: SqlparserContext): boolean {
  if (where === undefined || where === null) return false;
  if (isSelective(condition(where, context))) return true;
  context.notes.add("R4", "where_always_true", "The WHERE clause can be true for every row.", sourceOf(where, context));
  return false;
}

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ["Eq", "="],
  ["NotEq", "<>"],
  ["Lt", "<"],
  ["LtEq", "<="],
  ["Gt", ">"],
  ["GtEq", ">="],
  ["Spaceship", "="],
]);

function condition(node: unknown, context: SqlparserContext): Condition {
  const [type, body, raw] = tagged(node);
  const of = (inner: unknown): Condition => condition(inner, context);
  const not = (operand: Condition): Condition => ({ type: "not", operand });
  switch (type) {
    case "Nested":
      return of(raw);
    case "Value":
      return value(body.value) ?? opaque(node);
    case "Identifier":
      return column([body], node);
    case "CompoundIdentifier":
      return column(list(raw), node);
    case "UnaryOp": {
      const operand = of(body.expr);
      if (body.op === "Not") return not(operand);
      if (body.op === "Minus" && operand.type === "constant" && typeof operand.value === "number") {
        return { type: "constant", value: -operand.value };
      }
      return opaque(node);
    }
    case "BinaryOp":
      return binary(node, context);
    case "IsNull":
      return { type: "isNull", operand: of(raw) };
    case "IsNotNull":
      return not({ type: "isNull", operand: of(raw) });
    case "IsTrue":
    case "IsNotFalse":
      return of(raw);
    case "IsFalse":
    case "IsNotTrue":
      return not(of(raw));
    case "InList": {
      const operands = list(body.list).map((item) => comparison("=", of(body.expr), of(item), node, context));
      return body.negated === true ? not({ type: "or", operands }) : { type: "or", operands };
    }
    case "Between": {
      const inside: Condition = {
        type: "and",
        operands: [
          comparison(">=", of(body.expr), of(body.low), node, context),
          comparison("<=", of(body.expr), of(body.high), node, context),
        ],
      };
      return body.negated === true ? not(inside) : inside;
    }
    case "Like": {
      const pattern = of(body.pattern);
      // A pattern of percent signs matches every text.
      const any = pattern.type === "constant" && /^%+$/.test(String(pattern.value));
      return any && body.negated !== true ? { type: "constant", value: true } : opaque(node);
    }
    default:
      return opaque(node);
  }
}

function binary(node: unknown, context: SqlparserContext): Condition {
  const { left, op, right } = tree(tree(node).BinaryOp);
  const operands = (): readonly Condition[] => [condition(left, context), condition(right, context)];
  if (op === "And") return { type: "and", operands: operands() };
  // Unless sql_mode says otherwise, MySQL reads || as OR.
  if (op === "Or" || (op === "StringConcat" && context.dialect === "mysql"))
    return { type: "or", operands: operands() };
  const operator = COMPARISONS.get(text(op));
  if (operator === undefined) return opaque(node);
  return comparison(operator, condition(left, context), condition(right, context), node, context);
}

function comparison(
  operator: Comparison,
  left: Condition,
  right: Condition,
  node: unknown,
  context: SqlparserContext,
): Condition {
  // (a = '') = '' compares a truth with a value: what it selects depends on conversions, so it proves nothing.
  const proves = [left, right].every((side) => ["constant", "column", "opaque"].includes(side.type));
  if (!proves || quotedText(left, right, context) || quotedText(right, left, context))
    return { ...opaque(node), columns: false };
  return { type: "compare", operator, left, right };
}

/** To SQLite "a" is the text a when there is no such column, so "a" = 'a' may be two equal texts. */
function quotedText(side: Condition, other: Condition, { dialect }: SqlparserContext): boolean {
  if (dialect !== "sqlite" || side.type !== "column" || other.type !== "constant") return false;
  return String(other.value).toLowerCase() === side.name;
}

function value(raw: unknown): Condition | undefined {
  if (raw === "Null") return { type: "constant", value: null };
  const [type, , content] = tagged(raw);
  if (type === "Number") return { type: "constant", value: Number(list(content)[0]) };
  if (type === "Boolean") return { type: "constant", value: content === true };
  if (type === "SingleQuotedString" || type === "DoubleQuotedString" || type === "NationalStringLiteral") {
    return { type: "constant", value: text(content) };
  }
  return undefined;
}

function opaque(node: unknown): Extract<Condition, { type: "opaque" }> {
  const key = JSON.stringify(node, (name, inner: unknown) => (name === "span" ? undefined : inner)) ?? "";
  return { type: "opaque", key, columns: mentionsColumn(node) };
}

function column(names: readonly unknown[], node: unknown): Condition {
  return isVariable(names) ? opaque(node) : { type: "column", name: parts(names).join(".").toLowerCase() };
}

/** `@a` and `@@session.a` have one value for all rows. */
function isVariable(names: readonly unknown[]): boolean {
  return parts(names)[0]?.startsWith("@") === true;
}

/** Names of functions, tables, aliases and types are identifiers too, and say nothing about the row. */
const NOT_COLUMNS = new Set(["name", "alias", "data_type", "span"]);

function mentionsColumn(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(mentionsColumn);
  if (!isTree(node)) return false;
  return Object.entries(node).some(([key, child]) => {
    if (key === "CompoundIdentifier") return !isVariable(list(child));
    if (key === "Identifier") return !isVariable([child]);
    return !NOT_COLUMNS.has(key) && mentionsColumn(child);
  });
}
